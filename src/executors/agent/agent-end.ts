// Derives the outcome of an agent from how its process ended, what its stream says and why Pawl ended it, with what a person can do
// about it.

import type { FailureKind } from "../../domain/agent-event.ts";
import { noUsage, type Usage } from "../../domain/attempt.ts";
import type { ProcessEnd } from "../../system/process/call.ts";
import type { Access, ExecutionEnd, PassingKind } from "../executor.ts";
import { diedBy, lastWords, processNotes, timeLimit } from "../process-end.ts";
import type { Denials } from "../stream/denials.ts";
import { failureFrom, isDenial } from "../stream/failure.ts";
import type { ProcessExit, StreamReading } from "../stream/stream-reading.ts";
import type { OwnHalt } from "./agent-watch.ts";

/** What the messages about an end need to know about the agent. */
export interface EndingAgent {
  readonly title: string;
  readonly login: string;
  /** What to do about a denial, if its arguments do not decide it. */
  readonly denied?: string;
}

export interface AgentFacts {
  /** The executor's name, by which the configuration knows its settings. */
  readonly name: string;
  readonly agent: EndingAgent;
  readonly access: Access;
  readonly end: ProcessEnd;
  /** Set when Pawl ended it by itself, and not because the caller asked. */
  readonly halt: OwnHalt | null;
  readonly reading: StreamReading;
  /** Whether it printed at least one event. */
  readonly hasSpoken: boolean;
  readonly denials: Denials;
  /** The model that was asked for and the version that was found, if the stream does not report them. */
  readonly model: string | null;
  readonly version: string | null;
  readonly notes: readonly string[];
  readonly logError: string | null;
}

/** Exit codes by which a shell reports that a signal ended a program; agents behind a wrapper, and some others, end so. */
const signalCodes: Readonly<Record<number, string>> = {
  130: "SIGINT",
  134: "SIGABRT",
  137: "SIGKILL",
  139: "SIGSEGV",
  143: "SIGTERM",
};

/** The exit as the reader of the stream sees it: an agent that was ended after its last event has ended by itself. */
export function exitOf(end: ProcessEnd, halt: OwnHalt | null): ProcessExit {
  if (halt?.kind === "over") return { code: 0 };
  if (end.kind === "exited") return { code: end.code };
  return { signal: end.kind === "signalled" ? end.signal : "SIGTERM" };
}

export function executionEndOf(facts: AgentFacts): ExecutionEnd {
  const { end, reading, halt } = facts;
  const common = {
    text: reading.text,
    usage: end.kind === "not_started" ? noUsage : usageOf(reading),
    session: reading.session,
    model: reading.model ?? facts.model,
    version: reading.version ?? facts.version,
    notes: [...facts.notes, ...ownNotes(facts), ...processNotes(end, facts.logError)],
  };
  switch (end.kind) {
    case "not_started":
      return { ...common, outcome: "failed", why: `${facts.agent.title} could not be started: ${end.message}` };
    case "timed_out":
      return { ...common, outcome: "timed_out", why: timeLimit(end) + (end.limit === "quiet" ? said(end) : "") };
    case "stopped":
      if (halt === null) return { ...common, outcome: "cancelled", why: end.reason };
      return { ...common, ...(halt.kind === "over" ? fromReading(facts) : fromHalt(facts, halt)) };
    case "exited":
    case "signalled":
      return { ...common, ...fromReading(facts) };
  }
}

type Outcome = ExecutionEnd extends infer End
  ? End extends { readonly outcome: string }
    ? Omit<End, "text" | "usage" | "session" | "model" | "version" | "notes">
    : never
  : never;

function fromHalt(facts: AgentFacts, halt: Exclude<OwnHalt, { kind: "over" }>): Outcome {
  const { name } = facts;
  const noResult = (why: string, hint: string): Outcome => ({
    outcome: "failed",
    kind: "no_result",
    why: hinted(why, hint),
  });
  switch (halt.kind) {
    case "silent":
      return noResult(
        `it did not start: nothing was printed within ${halt.waitedMs / 1000} s`,
        `try \`pawl executor test ${name}\``,
      );
    case "unanswered":
      return noResult(
        `it did not answer \`${halt.method}\` within ${halt.waitedMs / 1000} s${said(facts.end)}`,
        `does \`${halt.command}\` speak ACP? Try \`pawl executor test ${name}\``,
      );
    case "permission": {
      const hint = `allow what it asks with executors.${name}.permissions, or allow this in the agent's own settings`;
      return { outcome: "blocked", kind: "permission", why: hinted(`it asks for permission: ${halt.request}`, hint) };
    }
    case "unfit":
      return { outcome: "failed", kind: "other", why: halt.message };
    case "max_turns":
    case "max_budget":
    case "auth":
    case "context":
    case "rate_limit":
    case "quota":
    case "overloaded":
    case "server":
    case "network":
      return fromKind(facts, halt.kind, halt.message);
  }
}

function fromReading(facts: AgentFacts): Outcome {
  const { reading, denials, end } = facts;
  if (reading.ok) {
    // An agent with `read` access is expected to be denied other things, and may judge all the same.
    const isRefused = facts.access === "write" && denials.endedThere;
    return isRefused
      ? fromKind(facts, "denied", `${denials.words}, and nothing that it did afterwards succeeded`)
      : ran;
  }
  if (reading.kind === "denied") return fromKind(facts, "denied", denials.words || reading.message);
  if (reading.kind === "no_result") return fromSilence(facts, end.kind === "exited" ? end.code : 0);
  return fromKind(facts, reading.kind ?? "other", reading.message + (facts.hasSpoken ? "" : said(end)));
}

/** It reported no end: only what it printed beside its events is known. */
function fromSilence(facts: AgentFacts, code: number): Outcome {
  const { end, hasSpoken, reading } = facts;
  const signal = signalCodes[code];
  if (signal) return { outcome: "failed", kind: "killed", why: `${diedBy(signal)}${said(end)}` };
  if (code === 0) return fromKind(facts, "no_result", reading.message + said(end));
  const failure = failureFrom({ message: said(end), at: 0 });
  const isTelling = !hasSpoken && beforeTheFirstWord.has(failure.kind);
  return fromKind(facts, isTelling ? failure.kind : "no_result", `exit code ${code}${said(end)}`);
}

/** Some agents say only on stderr that they are not logged in; after the first event, such words may be about anything. */
const beforeTheFirstWord: ReadonlySet<FailureKind> = new Set(["auth", "quota", "rate_limit"]);

const ran: Outcome = { outcome: "ran" };

function fromKind(facts: AgentFacts, kind: FailureKind, what: string): Outcome {
  const { name, agent } = facts;
  const settings = `executors.${name}`;
  const failed = (hint: string): Outcome => ({ outcome: "failed", kind, why: hinted(what, hint) });
  switch (kind) {
    case "auth":
      return { outcome: "blocked", kind, why: hinted(what, agent.login) };
    case "context":
      return { outcome: "blocked", kind, why: hinted(what, "make the step smaller, or choose another model") };
    case "rate_limit":
    case "quota":
    case "overloaded":
    case "server":
    case "network":
      return passing(kind, what, facts.reading.resetsAt);
    case "killed":
      return {
        outcome: "failed",
        kind,
        why: facts.end.kind === "signalled" ? `${diedBy(facts.end.signal)}${said(facts.end)}` : what,
      };
    case "aborted":
      return { outcome: "failed", kind, why: `interrupted from outside: ${what}` };
    case "denied":
      return failed(
        agent.denied ?? `allow it with ${settings}.args, in the agent's own settings, or choose another executor`,
      );
    case "max_turns":
      return failed(`raise ${settings}.max_turns, or make the step smaller`);
    case "max_budget":
      return failed(`raise ${settings}.max_usd, or make the step smaller`);
    case "no_result":
    case "exit":
    case "other":
      return failed("`pawl logs` shows all that it printed");
  }
}

function passing(kind: PassingKind, why: string, retryAt: number | null): Outcome {
  return { outcome: "rate_limited", kind, why, retryAt };
}

function hinted(what: string, hint: string): string {
  return `${what} (${hint})`;
}

/** A cost that the agent does not report is not counted. */
function usageOf({ usage }: StreamReading): Usage {
  const { costUsd, inputTokens, cacheReadTokens, outputTokens } = usage;
  return { costUsd: costUsd ?? 0, inputTokens, cacheReadTokens, outputTokens };
}

function ownNotes({ access, denials, end, halt }: AgentFacts): readonly string[] {
  const wrote = deniedLine(end.stderr) || denials.words;
  return [
    ...(access === "read" && wrote !== "" ? [`it may only read, and tried to do more: ${wrote}`] : []),
    ...(halt?.kind === "over"
      ? [`it did not exit within ${halt.waitedMs / 1000} s of its last event, so Pawl ended it`]
      : []),
  ];
}

/** Some agents say only on stderr that they were kept from writing. */
function deniedLine(stderr: string): string {
  const line = stderr.split("\n").find(isDenial) ?? "";
  return line.trim().slice(0, 300);
}

/** What it printed beside its events. */
function said({ stderr, stdout }: ProcessEnd): string {
  const plain = stdout.split("\n").filter((line) => !line.trimStart().startsWith("{"));
  return lastWords(stderr, plain.join("\n"));
}
