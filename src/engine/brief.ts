// Says in a few words what a run is doing, for one line of a list. `why` says all of it; this says nothing that `why` does not.

import { counted } from "../domain/counted.ts";
import type { RunStatus } from "../domain/run.ts";
import type { StepStatus } from "../domain/step.ts";
import { spanText } from "./why.ts";

export interface BriefFacts {
  readonly status: RunStatus;
  readonly startedAt: number;
  readonly endedAt: number | null;
  /** The step that it is at; null: none. */
  readonly step: { readonly name: string; readonly status: StepStatus } | null;
  /** Why it ended. */
  readonly reason: string;
  /** The oldest open question; null: no person is asked. */
  readonly question: string | null;
  readonly stories: { readonly total: number; readonly done: number; readonly running: number };
  readonly isDriven: boolean;
}

const longest = 200;

export function briefly(facts: BriefFacts): string {
  const { status, reason, question, startedAt, endedAt } = facts;
  switch (status) {
    case "done":
      return `Done in ${spanText((endedAt ?? startedAt) - startedAt)}`;
    case "failed":
      return withReason("Failed", reason);
    case "cancelled":
      return withReason("Cancelled", reason);
    case "paused":
      return question === null ? "Paused" : withReason("Paused, and asks", question);
    case "held":
      return question === null ? `${facts.step?.name ?? "A step"} waits for a signal` : withReason("Asks", question);
    case "running":
      return `${facts.isDriven ? "" : "No process drives it: "}${progress(facts)}`;
  }
}

function progress({ step, stories, question }: BriefFacts): string {
  const asks = question === null ? "" : "; a question is open";
  if (step === null) return `nothing is ready to run${asks}`;
  if (step.status !== "running" || stories.total === 0 || stories.running === 0)
    return `${step.name} is ${step.status}${asks}`;
  const many = counted(stories.total, "story", "stories");
  return `${step.name}: ${stories.done} of ${many} done, ${stories.running} at work${asks}`;
}

function withReason(what: string, reason: string): string {
  const line = reason.trim().split("\n", 1)[0] ?? "";
  if (line === "") return what;
  return `${what}: ${line.length > longest ? `${line.slice(0, longest - 1)}…` : line}`;
}
