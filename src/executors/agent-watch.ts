// Watching an agent. Owns: noticing in its stream, or in its silence, that it must be ended. Does not own: ending it, nor the
// limits of every program (system/process/limits.ts).

import { longestTimerMs } from "../system/clock.ts";
import type { AgentEvent } from "./agent-event.ts";
import type { Reader } from "./reader.ts";

/** Why we ended it ourselves. What the agent says of it then does not count, except for one that had ended already. */
export type OwnHalt =
  | { readonly kind: "over"; readonly waitedMs: number }
  | { readonly kind: "silent"; readonly waitedMs: number }
  | { readonly kind: "max_turns" | "max_budget" | "auth" | "context"; readonly message: string };

export interface WatchLimits {
  /** Without a first byte it has not started. */
  readonly startMs: number;
  /** From its last event to its exit; some agents forget to leave. */
  readonly leaveMs: number;
  /** Null: it keeps that limit itself, or there is none. */
  readonly maxTurns: number | null;
  readonly maxUsd: number | null;
}

export interface AgentWatch {
  /** A byte, on either stream. */
  heard(): void;
  saw(event: AgentEvent): void;
  forget(): void;
}

/** Some agents shorten a prompt that is too long, in vain, and for ever. */
const mostOverflows = 3;

export function watchAgent(limits: WatchLimits, reader: Reader, halt: (why: OwnHalt) => void): AgentWatch {
  let starting: NodeJS.Timeout | null = setTimeout(
    () => halt({ kind: "silent", waitedMs: limits.startMs }),
    Math.min(limits.startMs, longestTimerMs),
  );
  let leaving: NodeJS.Timeout | null = null;
  let turns = 0;
  let isModelsTurn = true;
  let overflows = 0;

  function heard(): void {
    if (starting === null) return;
    clearTimeout(starting);
    starting = null;
  }

  /** A turn is what the model says or calls before it is told a result. */
  function countTurn({ type }: AgentEvent): void {
    if (type === "tool_result") isModelsTurn = true;
    if (!isModelsTurn || (type !== "text" && type !== "tool_call")) return;
    isModelsTurn = false;
    turns += 1;
    if (limits.maxTurns !== null && turns > limits.maxTurns)
      halt({ kind: "max_turns", message: `it was stopped after ${limits.maxTurns} turns` });
  }

  /** What is done is done, also when it cost too much. */
  function countMoney(costUsd: number): void {
    if (limits.maxUsd !== null && costUsd > limits.maxUsd && !isOver(reader))
      halt({ kind: "max_budget", message: `it was stopped after $${costUsd} of $${limits.maxUsd}` });
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
      // Waiting does not make a wrong key right.
      if (event.type === "retry" && event.kind === "auth") halt({ kind: "auth", message: event.message });
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

/** What looked like the end may have been followed by more: asked as if it had exited now, a reader says which. */
function isOver(reader: Reader): boolean {
  return reader.end({ code: 0 }).ok || reader.end({ signal: "SIGKILL" }).kind !== "killed";
}
