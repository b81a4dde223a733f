// What a stream has reported so far, and the rule that makes a reading of it. Every reader fills one, so all agents are judged by the
// same rule.

import type { AgentEvent, FailureKind, TokenUsage } from "../../domain/agent-event.ts";
import { type Complaint, type Failure, failureFrom } from "./failure.ts";
import { countOf, nameOf } from "./fields.ts";
import { LastMessage } from "./last-message.ts";
import type { ProcessExit, StreamReading } from "./stream-reading.ts";

export type Tokens = Omit<TokenUsage, "costUsd">;
export const noTokens: Tokens = { inputTokens: 0, cacheReadTokens: 0, outputTokens: 0 };

/** An agent that is denied more often than this is in a loop; further ids are not kept. */
const mostDenials = 10_000;

export class StreamState {
  session: string | null = null;
  model: string | null = null;
  version: string | null = null;
  tokens: Tokens = noTokens;
  costUsd: number | null = null;
  readonly said = new LastMessage();
  readonly #now: () => number;
  readonly #denied = new Set<string>();
  #isOver = false;
  #failure: Failure | null = null;
  /** The last error that was not the end, until the agent says something again. */
  #complaint: Failure | null = null;
  #rejectedUntil: { readonly resetsAt: number | null } | null = null;

  constructor(now: () => number) {
    this.#now = now;
  }

  get denials(): number {
    return this.#denied.size;
  }

  /** Facts about a session come in pieces; a missing one keeps its value. */
  begins(told: { id?: unknown; model?: unknown; version?: unknown }): AgentEvent {
    this.session = nameOf(told.id) ?? this.session;
    this.model = nameOf(told.model) ?? this.model;
    this.version = nameOf(told.version) ?? this.version;
    return { type: "session", id: this.session, model: this.model, version: this.version };
  }

  says(text: string): AgentEvent {
    this.#complaint = null;
    this.said.whole(text);
    return { type: "text", text, isDelta: false };
  }

  saysMore(piece: string, message: string | null = null): AgentEvent {
    this.#complaint = null;
    this.said.add(piece, message);
    return { type: "text", text: piece, isDelta: true };
  }

  hasDenied(id: string): boolean {
    return this.#denied.has(id);
  }

  /** The same id counts once: some agents report a denial at once and again at the end. */
  isDenied(id: string, name: string, message: string): AgentEvent {
    if (this.#denied.size < mostDenials) this.#denied.add(id === "" ? `#${this.#denied.size}` : id);
    return { type: "denied", id, name, message };
  }

  uses(tokens: Tokens, costUsd: number | null): AgentEvent {
    this.tokens = tokens;
    this.costUsd = costUsd === null ? null : Math.max(0, roundedUsd(costUsd));
    return { type: "usage", usage: { ...this.tokens, costUsd: this.costUsd } };
  }

  limit(told: Omit<Extract<AgentEvent, { type: "limit" }>, "type">): AgentEvent {
    if (told.status === "rejected") this.#rejectedUntil = { resetsAt: told.resetsAt };
    return { type: "limit", ...told };
  }

  failureFrom(complaint: Omit<Complaint, "at"> & { readonly at?: number }): Failure {
    return failureFrom({ at: this.#now(), ...complaint });
  }

  /** An error after which it may still continue. */
  complains(failure: Failure): AgentEvent {
    this.#complaint = failure;
    return { type: "error", kind: failure.kind, message: failure.message };
  }

  /** The last event of the stream, unless it continues. */
  isOver(failure: Failure | null): AgentEvent {
    this.#isOver = true;
    this.#failure = failure;
    return { type: "result", ok: failure === null, text: failure?.message ?? this.said.text };
  }

  /** What looked like the end was not the end. */
  continues(): void {
    if (this.#failure) this.#complaint = this.#failure;
    this.#isOver = false;
    this.#failure = null;
  }

  /** `codes`: the meaning of this agent's exit codes if nothing else says more. */
  reading(exit: ProcessExit, codes: Readonly<Record<number, FailureKind>> = {}): StreamReading {
    const failure = this.#end(exit, codes);
    return {
      ok: failure === null,
      kind: failure?.kind ?? null,
      text: this.said.text,
      denials: this.denials,
      usage: { ...this.tokens, costUsd: this.costUsd },
      resetsAt: failure?.resetsAt ?? null,
      session: this.session,
      model: this.model,
      version: this.version,
      message: failure?.message ?? "",
    };
  }

  #end(exit: ProcessExit, codes: Readonly<Record<number, FailureKind>>): Failure | null {
    if (this.#isOver && this.#failure) return this.#withLimit(this.#failure);
    if ("signal" in exit) return plain("killed", `it was killed by ${exit.signal}`);
    if (this.#isOver)
      return exit.code === 0
        ? null
        : plain("exit", `its last event reports success, but its exit code is ${exit.code}`);
    const silent = `it ended with exit code ${exit.code} and without its last event`;
    const byCode = codes[exit.code];
    if (byCode) return plain(byCode, this.#complaint?.message ?? silent);
    if (this.#complaint && this.#complaint.kind !== "other") return this.#withLimit(this.#complaint);
    if (exit.code === 0 && this.denials > 0) return plain("denied", "it was denied something and ended there");
    return plain("no_result", this.#complaint ? `${silent}: ${this.#complaint.message}` : silent);
  }

  /** A limit that was reported separately says when it ends, and that a 429 is not a short burst. */
  #withLimit(failure: Failure): Failure {
    const limit = this.#rejectedUntil;
    if (limit === null || (failure.kind !== "rate_limit" && failure.kind !== "quota")) return failure;
    return { ...failure, kind: "quota", resetsAt: limit.resetsAt ?? failure.resetsAt };
  }
}

function plain(kind: FailureKind, message: string): Failure {
  return { kind, message, resetsAt: null };
}

/** Sums of fractions get a tail (0.016739999999999998); no bill is below a nano-dollar. */
function roundedUsd(usd: number): number {
  return Math.round(usd * 1e9) / 1e9;
}

/** For agents whose input includes what came from the cache. */
export function withoutCached(input: unknown, cached: unknown, output: unknown): Tokens {
  const cacheReadTokens = countOf(cached);
  return {
    inputTokens: Math.max(0, countOf(input) - cacheReadTokens),
    cacheReadTokens,
    outputTokens: countOf(output),
  };
}

export function sumOf(a: Tokens, b: Tokens): Tokens {
  return {
    inputTokens: a.inputTokens + b.inputTokens,
    cacheReadTokens: a.cacheReadTokens + b.cacheReadTokens,
    outputTokens: a.outputTokens + b.outputTokens,
  };
}
