// Caps of a run: those that fit its plan, and those that a person raises.

import type { RaiseCaps } from "../domain/command.ts";
import type { Rejection } from "../domain/decision.ts";
import { type CapName, type Caps, type Definition, isGiven, isPerformed } from "../domain/definition.ts";
import type { Draft } from "./draft.ts";
import { capsOf } from "./limits.ts";
import { rejectCommand } from "./rejection.ts";

/** What a plan needs if nothing is repeated. */
export interface PlannedWork {
  readonly attempts: number;
  readonly steps: number;
}

export function plannedWork({ steps }: Pick<Definition, "steps">, stories: number): PlannedWork {
  const bodies = steps.flatMap((step) => (step.kind === "stories" ? step.body : [])).filter((step) => !step.spare);
  const own = steps.filter((step) => !step.spare);
  const performed = (list: Definition["steps"]) => list.filter(isPerformed).length;
  return {
    attempts: performed(own) + stories * performed(bodies),
    steps: own.length + stories * bodies.length,
  };
}

/** Repetitions, conflicts and edits of a normal run stay far below this many times its plan. */
const room = 4;

/** A cap that nobody set is a net under runs that never end: a large plan must not touch it. One that was set stays. */
export function fittingCaps(definition: Pick<Definition, "steps" | "caps">, caps: Caps, stories: number): Caps {
  const work = plannedWork(definition, stories);
  const fits = (name: keyof PlannedWork) =>
    isGiven(definition.caps, name) ? caps[name] : Math.max(caps[name], room * work[name]);
  return { ...caps, attempts: fits("attempts"), steps: fits("steps") };
}

/** After the plan of a run has grown. */
export function fitCaps(draft: Draft): void {
  const { definition, caps, stories } = draft.run.header;
  const fitting = fittingCaps(definition, caps, stories.length);
  if (fitting.attempts === caps.attempts && fitting.steps === caps.steps) return;
  draft.emit(null, { type: "caps_raised", caps: fitting });
}

/** A person raises caps. A lower one would be a way to stop a run that nobody expects. */
export function raiseCaps(draft: Draft, { caps }: RaiseCaps): Rejection | null {
  const { header } = draft.run;
  if (header.end && header.end.status !== "failed") return rejectCommand("over", `the run is ${header.end.status}`);
  const wanted = Object.entries(caps) as [CapName, number][];
  if (wanted.length === 0) return rejectCommand("illegal", "no cap is named");
  const used = new Map(capsOf(header, draft.at).map((cap) => [cap.name, cap.used]));
  for (const [name, value] of wanted) {
    if (value <= header.caps[name])
      return rejectCommand("illegal", `the cap on ${name} is ${header.caps[name]} already, and caps are only raised`);
    if (value <= (used.get(name) ?? 0))
      return rejectCommand("illegal", `the run has used ${used.get(name)} of ${name}: ${value} would change nothing`);
  }
  draft.emit(null, { type: "caps_raised", caps: { ...header.caps, ...caps } });
  return null;
}
