// A transcript: turns what an agent printed into entries. Nothing is lost and nothing throws: a line that is no event is an entry as it
// is, and events that say nothing to Pawl are counted by their types.

import type { AgentEvent, TokenUsage } from "../domain/agent-event.ts";
import { ByteLines, type SplitLine } from "./byte-lines.ts";
import type { LogEntry, ToolCall } from "./entry.ts";
import { readCall } from "./tool-call.ts";

/** What a transcript needs of the reader of an agent's events. */
export interface EventReader {
  /** Beginnings of lines that mean nothing to it. */
  readonly noise: readonly string[];
  read(event: object): readonly AgentEvent[];
}

export interface TranscriptOptions {
  /** null: its lines are no events, but text. */
  readonly reader: EventReader | null;
  /** The tree of the attempt: paths are shown without it. */
  readonly root: string | null;
  /** false: it begins in the middle of a log, where the numbers of turns and the sums of tokens are not known. */
  readonly isWhole?: boolean;
}

/** Calls whose results may still come. */
const mostCalls = 1_000;
/** Of a message that comes in pieces; what is longer becomes several entries. */
const longestText = 64 * 1024;
/** Of a line that is shown as it is. */
const longestShown = 4_000;
const mostTypes = 20;
const pawlLine = "[pawl] ";

export class Transcript {
  readonly #reader: EventReader | null;
  readonly #root: string | null;
  readonly #isWhole: boolean;
  readonly #splitter = new ByteLines();
  readonly #calls = new Map<string, ToolCall>();
  readonly #others = new Map<string, number>();
  #entries: LogEntry[] = [];
  #otherSample = "";
  #session = "";
  #saying = "";
  #lastText = "";
  #lastCall: ToolCall | null = null;
  #turns = 0;
  #isModelsTurn = true;
  #usage: TokenUsage | null = null;

  constructor({ reader, root, isWhole = true }: TranscriptOptions) {
    this.#reader = reader;
    this.#root = root;
    this.#isWhole = isWhole;
  }

  /** The message that is not complete yet. */
  get saying(): string {
    return this.#saying;
  }

  /** The next bytes that it printed. */
  write(chunk: Uint8Array): readonly LogEntry[] {
    for (const line of this.#splitter.write(chunk)) this.#read(line);
    return this.#taken();
  }

  /** Nothing follows, or not soon: what waits for more becomes entries. */
  end(): readonly LogEntry[] {
    for (const line of this.#splitter.end()) this.#read(line);
    this.#endText();
    this.#endOthers();
    return this.#taken();
  }

  #taken(): readonly LogEntry[] {
    const entries = this.#entries;
    this.#entries = [];
    return entries;
  }

  #add(entry: LogEntry): void {
    this.#endText();
    this.#endOthers();
    this.#entries.push(entry);
  }

  #read({ text, cutBytes }: SplitLine): void {
    if (text.startsWith(pawlLine)) return this.#add({ kind: "note", text: text.slice(pawlLine.length) });
    const event = this.#reader === null || cutBytes !== null ? null : parsed(text);
    if (this.#reader !== null && event !== null) return this.#readEvent(this.#reader, event, text);
    if (this.#reader !== null && text.trim() === "") return;
    const isLong = text.length > longestShown;
    this.#add({
      kind: "line",
      text: isLong ? text.slice(0, longestShown) : text,
      bytes: cutBytes ?? (isLong ? text.length : null),
    });
  }

  #readEvent(reader: EventReader, event: object, text: string): void {
    const isNoise = reader.noise.some((beginning) => text.trimStart().startsWith(beginning));
    const events = isNoise ? [] : reader.read(event);
    for (const each of events) this.#take(each);
    if (events.length === 0) this.#count(event, text);
  }

  #count(event: object, text: string): void {
    const name = typeName(event);
    if (housekeeping.test(name)) return;
    this.#endText();
    if (this.#others.size === 0) this.#otherSample = text.slice(0, longestShown);
    const known = this.#others.has(name) || this.#others.size < mostTypes ? name : "…";
    this.#others.set(known, (this.#others.get(known) ?? 0) + 1);
  }

  #take(event: AgentEvent): void {
    switch (event.type) {
      case "session":
        return this.#begins(event.model, event.version);
      case "text":
        return this.#says(event.text, event.isDelta);
      case "tool_call":
        return this.#callsTool(event);
      case "tool_result":
        return this.#getsResult(event);
      case "denied":
        return this.#add({ kind: "denied", tool: event.name, message: event.message });
      case "usage":
        this.#usage = event.usage;
        // It does not end a message that comes in pieces.
        this.#entries.push({ kind: "usage", usage: event.usage });
        return;
      case "limit": {
        if (event.status === "allowed") return;
        const until = event.resetsAt === null ? "" : ` until ${new Date(event.resetsAt).toISOString()}`;
        const message = `the limit ${event.name || "of the account"} is ${event.status === "rejected" ? "used up" : "near"}`;
        return this.#add({ kind: "trouble", what: "limit", message: message + until });
      }
      case "retry":
        return this.#add({ kind: "trouble", what: "retry", message: event.message });
      case "error":
        return this.#add({ kind: "trouble", what: "error", message: event.message });
      case "result":
        return this.#ends(event.ok, event.text);
    }
  }

  /** Some agents tell the facts of their session in pieces, and some of them again. */
  #begins(model: string | null, version: string | null): void {
    const session = [model, version].filter(Boolean).join(" ");
    if (session === "" || session === this.#session) return;
    this.#session = session;
    this.#add({ kind: "session", model, version });
  }

  #says(text: string, isPiece: boolean): void {
    if (text === "") return;
    if (!isPiece || this.#saying === "") this.#beginTurn();
    if (isPiece) {
      this.#saying += text;
      if (this.#saying.length > longestText) this.#endText();
      return;
    }
    this.#add({ kind: "text", text });
    this.#lastText = text;
  }

  #endText(): void {
    const text = this.#saying;
    if (text === "") return;
    this.#saying = "";
    this.#endOthers();
    this.#entries.push({ kind: "text", text });
    this.#lastText = text;
  }

  #endOthers(): void {
    if (this.#others.size === 0) return;
    const types = [...this.#others].map(([name, count]) => ({ name, count }));
    this.#others.clear();
    const isOne = types.length === 1 && types[0]?.count === 1;
    this.#entries.push({ kind: "other", types, sample: isOne ? this.#otherSample : null });
  }

  #callsTool({ id, name, input }: Extract<AgentEvent, { type: "tool_call" }>): void {
    this.#beginTurn();
    const call = readCall(name, input, this.#root);
    this.#calls.set(id, call);
    const [oldest = ""] = this.#calls.keys();
    if (this.#calls.size > mostCalls) this.#calls.delete(oldest);
    this.#lastCall = call;
    this.#add({ kind: "call", call });
  }

  #getsResult({ id, ok, text, exitCode }: Extract<AgentEvent, { type: "tool_result" }>): void {
    const call = this.#calls.get(id) ?? null;
    this.#calls.delete(id);
    this.#isModelsTurn = true;
    const told = exitCode ?? codeIn(text);
    this.#add({ kind: "result", call, isLate: call !== this.#lastCall, ok, exitCode: told, text });
  }

  #beginTurn(): void {
    if (!this.#isModelsTurn) return;
    this.#isModelsTurn = false;
    this.#turns += 1;
    this.#add({ kind: "turn", ...this.#counts() });
  }

  #counts(): { readonly number: number | null; readonly usage: TokenUsage | null } {
    return this.#isWhole ? { number: this.#turns, usage: this.#usage } : { number: null, usage: null };
  }

  #ends(ok: boolean, text: string): void {
    this.#endText();
    const isKnown = text.trim() === this.#lastText.trim();
    const { number: turns, usage } = this.#counts();
    this.#add({ kind: "end", ok, text: isKnown ? "" : text, turns, usage });
    this.#isModelsTurn = true;
  }
}

/** Types that every run of an agent has, and that say nothing about its work: pieces of messages, begins and ends of requests. */
const housekeeping =
  /^(?:turn\.started|step_start|stream_event|item\.updated|initialize|answer|_auth|session|assistant|model|tool|user|message)(?:$|[./])/;

/** Some agents report it only in the text of a result. */
function codeIn(text: string): number | null {
  const found = /^(?:Error: )?Exit code:? (\d{1,3})\b/i.exec(text)?.[1];
  return found === undefined ? null : Number(found);
}

function parsed(text: string): object | null {
  const json = text.trim();
  if (!json.startsWith("{")) return null;
  try {
    return JSON.parse(json) as object; // it begins with a brace
  } catch {
    return null;
  }
}

/** `system/hook_started`, `session/update/plan`: as specific as the event says it. */
function typeName(event: object): string {
  const outer = event as Readonly<Record<string, unknown>>;
  const inner = fieldsOf(outer["m"] ?? outer);
  const update = fieldsOf(fieldsOf(inner["params"])["update"])["sessionUpdate"];
  const item = fieldsOf(inner["item"])["type"];
  const names = [inner["type"], inner["subtype"], inner["method"], update, item];
  const known = names.filter((name): name is string => typeof name === "string" && name !== "");
  return known.join("/").slice(0, 80) || ("result" in inner || "error" in inner ? "answer" : "event");
}

function fieldsOf(value: unknown): Readonly<Record<string, unknown>> {
  return typeof value === "object" && value !== null ? (value as Readonly<Record<string, unknown>>) : {};
}
