// Opens gates, which ask a person. answers.ts accepts the answer, which is a route.

import { type GateCause, namesOf } from "../../domain/gate.ts";
import type { GateId, PartName, StoryId } from "../../domain/ids.ts";
import type { GateDeadline, GateOptions } from "../../domain/route.ts";
import type { Step } from "../../domain/step.ts";
import type { Draft } from "../draft.ts";
import { sendMessage } from "../messages.ts";
import { changeStory } from "../status-changes.ts";
import { wordsBefore } from "./words-before.ts";

export interface Question {
  /** As the person reads it: `renderQuestion` renders that of a workflow. */
  readonly question: string;
  readonly options: GateOptions;
  readonly deadline: GateDeadline | null;
  readonly cause: GateCause;
  /** A program answers it, by this signal, and no person is told. */
  readonly signal?: string;
  readonly feedback: string;
  /** The part that waits for the answer; absent: the whole step does. */
  readonly part?: PartName | undefined;
}

export function openGate(draft: Draft, story: StoryId | null, step: Step, asked: Question): void {
  const { deadline, part, ...question } = asked;
  const isForPerson = asked.signal === undefined;
  const isTold = asked.feedback !== "" || asked.cause === "cap" || part !== undefined;
  const said = isTold || !isForPerson ? "" : wordsBefore(draft, story, step);
  const gate = {
    id: nextGateId(draft, story),
    story,
    step: step.id,
    ...(part === undefined ? {} : { part }),
    visit: step.visit,
    openedAt: draft.at,
    tree: isAboutStart(asked.cause) || !isForPerson ? null : draft.tree,
    deadline: deadline === null ? null : { at: draft.at + deadline.afterMs, option: deadline.option },
    ...question,
    ...(said === "" ? {} : { said }),
  };
  draft.emit(story, { type: "gate_opened", gate });
  // Other parts may be at work: the walk holds the story when none is.
  if (story !== null && part === undefined) changeStory(draft, story, "held", asked.question);
  if (!isForPerson) return;
  const { id, options, cause, feedback, tree, deadline: until } = gate;
  sendMessage(draft, "needs_you", {
    story,
    step: step.name,
    text: asked.question,
    gate: { id, options: namesOf(options), cause, feedback: feedback || said, tree, deadline: until },
  });
}

/** It asks whether a step may start, not what a person thinks of the work, which may change until the answer. */
export function isAboutStart(cause: GateCause): boolean {
  return cause === "waits" || cause === "stopped";
}

/** Derived from the run, so that a decision needs no random id. */
function nextGateId(draft: Draft, story: StoryId | null): GateId {
  const number = draft.scope(story).gates.length + 1;
  const scope = story === null ? draft.run.header.id : `${draft.run.header.id}.${story}`;
  return `${scope}.${number}` as GateId;
}
