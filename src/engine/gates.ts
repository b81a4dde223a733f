// Gates. Owns: asking a person. The answer is a route; it is taken in answers.ts.

import type { GateCause } from "../domain/gate.ts";
import type { GateId, StoryId } from "../domain/ids.ts";
import type { GateOptions } from "../domain/route.ts";
import type { Step } from "../domain/step.ts";
import type { Draft } from "./draft.ts";
import { changeStory } from "./ends.ts";

export interface Question {
  readonly question: string;
  readonly options: GateOptions;
  readonly cause: GateCause;
  readonly feedback: string;
  readonly tree: string | null;
}

export function openGate(draft: Draft, story: StoryId | null, step: Step, asked: Question): void {
  draft.emit(story, {
    type: "gate_opened",
    gate: { id: nextGateId(draft, story), story, step: step.id, visit: step.visit, openedAt: draft.at, ...asked },
  });
  if (story !== null) changeStory(draft, story, "held", asked.question);
}

/** Derived, so that a decision needs no chance of its own. */
function nextGateId(draft: Draft, story: StoryId | null): GateId {
  const number = draft.scope(story).gates.length + 1;
  return `${draft.run.header.id}.${story ?? "run"}.${number}` as GateId;
}
