// Watches an agent's events, and its silence, for reasons to end it. The run ends it; the limits of every program are in
// system/process/limits.ts.

import type { AgentEvent, FailureKind } from "../../domain/agent-event.ts";
import { counted } from "../../domain/counted.ts";
import { longestTimerMs } from "../../system/clock.ts";
import type { PassingKind } from "../executor.ts";
import type { Reader } from "../stream/reader.ts";

/** Why Pawl ended it. What the agent says about that does not count, unless it was done already. */
export type OwnHalt =
  | { readonly kind: "over"; readonly waitedMs: number }
  | { readonly kind: "silent"; readonly waitedMs: number }
  | { readonly kind: "max_turns" | "max_budget" | "auth" | "context" | PassingKind; readonly message: string }
  /** It did not answer a request of ours; `command` is what was started. */
  | { readonly kind: "unanswered"; readonly method: string; readonly command: string; readonly waitedMs: number }
  /** It asks for what only a person may allow. */
  | { readonly kind: "permission"; readonly request: string }
  /** It cannot do what the attempt needs. */
  | { readonly kind: "unfit"; readonly message: string };

export interface WatchLimits {
  /** Without a first byte it has not started; null: its connection waits for its first answer. */
  readonly startMs: number | null;
  /** From its last event to its exit; some agents do not exit. */
  readonly leaveMs: number;
  /** For an agent that does nothing but retry: Pawl backs off better without it. */
  readonly retryMs: number;
  /** Null: the agent enforces that limit itself, or there is none. */
  readonly maxTurns: number | null;
  readonly maxUsd: number | null;
}

export interface AgentWatch {
  /** It printed a byte, on either stream. */
  heard(): void;
  saw(event: AgentEvent): void;
  forget(): void;
}

/** Some agents try for ever to shorten a prompt that is too long. */
const mostOverflows = 3;
/** Longer than most agents retry, and short compared with the usual hour of an attempt. */
export const usualRetryMs = 3 * 60_000;
/** Not every agent reports that it thinks: two retries with a long pause between them may be two separate hitches. */
const fewestRetries = 3;
const passing: ReadonlySet<FailureKind> = new Set<PassingKind>([
  "rate_limit",
  "quota",
  "overloaded",
  "server",
  "network",
]);
/** Events that show that the model answered. */
const answered: ReadonlySet<AgentEvent["type"]> = new Set(["text", "tool_call", "tool_result", "usage", "result"]);

export function watchAgent(limits: WatchLimits, reader: Reader, halt: (why: OwnHalt) => void): AgentWatch {
  let starting = limits.startMs === null ? null : startTimer(limits.startMs, halt);
  let leaving: NodeJS.Timeout | null = null;
  let turns = 0;
  let isModelsTurn = true;
  let overflows = 0;
  /** Since when it does nothing but retry; null: it does something else. */
  let retryingAt: number | null = null;
  let tries = 0;

  function heard(): void {
    if (starting === null) return;
    clearTimeout(starting);
    starting = null;
  }

  /** A turn is what the model says or calls before it gets a result. */
  function countTurn({ type }: AgentEvent): void {
    if (type === "tool_result") isModelsTurn = true;
    if (!isModelsTurn || (type !== "text" && type !== "tool_call")) return;
    isModelsTurn = false;
    turns += 1;
    if (limits.maxTurns !== null && turns > limits.maxTurns)
      halt({ kind: "max_turns", message: `it was stopped after ${counted(limits.maxTurns, "turn")}` });
  }

  /** Finished work counts even if it cost too much. */
  function countMoney(costUsd: number): void {
    if (limits.maxUsd !== null && costUsd > limits.maxUsd && !isOver(reader))
      halt({ kind: "max_budget", message: `it was stopped after $${Number(costUsd.toFixed(4))} of $${limits.maxUsd}` });
  }

  /** Each retry is a sign of life, so the quiet limit does not end it; some agents retry for ever. */
  function retries(kind: FailureKind, message: string): void {
    // Waiting does not help with a wrong key.
    if (kind === "auth") halt({ kind, message });
    if (!isPassing(kind)) return;
    retryingAt ??= performance.now();
    tries += 1;
    const triedMs = performance.now() - retryingAt;
    if (tries >= fewestRetries && triedMs >= limits.retryMs)
      halt({ kind, message: `it did nothing but retry for ${Math.round(triedMs / 1000)} s: ${message}` });
  }

  function getsOn(): void {
    retryingAt = null;
    tries = 0;
  }

  function leaves(): void {
    if (leaving !== null) clearTimeout(leaving);
    leaving = setTimeout(() => {
      if (isOver(reader)) halt({ kind: "over", waitedMs: limits.leaveMs });
    }, limits.leaveMs);
  }

  return {
    heard,
    saw(event) {
      countTurn(event);
      if (event.type === "result") leaves();
      if (answered.has(event.type)) getsOn();
      if (event.type === "retry") retries(event.kind, event.message);
      if (event.type === "error" && event.kind === "context") {
        overflows += 1;
        if (overflows >= mostOverflows) halt({ kind: "context", message: event.message });
      }
      if (event.type === "usage") countMoney(event.usage.costUsd ?? 0);
    },
    forget() {
      heard();
      if (leaving !== null) clearTimeout(leaving);
    },
  };
}

function startTimer(startMs: number, halt: (why: OwnHalt) => void): NodeJS.Timeout {
  return setTimeout(() => halt({ kind: "silent", waitedMs: startMs }), Math.min(startMs, longestTimerMs));
}

function isPassing(kind: FailureKind): kind is PassingKind {
  return passing.has(kind);
}

/** More may have followed what looked like the end: the reader knows, if it is asked as if the process had exited now. */
function isOver(reader: Reader): boolean {
  return reader.end({ code: 0 }).ok || reader.end({ signal: "SIGKILL" }).kind !== "killed";
}
