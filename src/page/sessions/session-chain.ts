// The chain of a session: what was done, where it stands, and what is still to come.

import type { LifecycleSession } from "../../contracts/lifecycle-documents.ts";
import type { AnyStatus } from "../texts/common.ts";

export type SessionStep = LifecycleSession["steps"][number];

export interface SessionChain {
  /** Up to the last one that has begun, and one more where nothing runs: the next one. */
  readonly soFar: readonly SessionStep[];
  readonly later: readonly SessionStep[];
  readonly done: number;
}

export function chainOfSession({ steps }: Pick<LifecycleSession, "steps">): SessionChain {
  const last = steps.findLastIndex(({ status }) => status !== "pending");
  const isWaiting = !steps.some(({ status }) => status === "running" || status === "failed");
  const until = last + (isWaiting ? 2 : 1);
  return {
    soFar: steps.slice(0, until),
    later: steps.slice(until),
    done: steps.filter(({ status }) => status === "completed" || status === "skipped").length,
  };
}

/** `maestro-plan 2`, or the name of a decision. */
export function callOf({ type, skill, args, step }: SessionStep): string {
  return type === "decision" ? step : `${skill} ${args}`.trim();
}

const signs: Readonly<Record<SessionStep["status"], AnyStatus>> = {
  pending: "waiting",
  running: "running",
  completed: "done",
  failed: "failed",
  skipped: "skipped",
};

export function signOf({ status }: SessionStep): AnyStatus {
  return signs[status];
}
