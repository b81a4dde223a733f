// Checks from states and events alone what an early end leaves: nothing behind it is to be done but an integration, and without
// one its run or story is done in the same decision.

import type { Accepted } from "../../../src/domain/decision.ts";
import type { Event } from "../../../src/domain/event.ts";
import type { StepId, StepName, StoryId } from "../../../src/domain/ids.ts";
import type { Run } from "../../../src/domain/run.ts";
import type { Step, StepStatus } from "../../../src/domain/step.ts";
import { holds } from "./invariants.ts";

export function checkEarlyEnds(after: Run, { events }: Accepted): void {
  for (const event of events) {
    const step = endedBy(after, event);
    if (step !== null) checkEnd(after, event.story, step);
  }
}

/** The step whose route was `end`. A part leads nowhere: such a route fails it. */
function endedBy(after: Run, event: Event): StepId | null {
  const scope = event.story === null ? after.header : after.stories[event.story];
  if (event.type === "attempt_ended" && event.taken?.to === "end") {
    const attempt = scope?.attempts.find(({ id }) => id === event.attempt);
    return attempt === undefined || attempt.part !== undefined ? null : attempt.step;
  }
  if (event.type === "parts_ended" && event.taken.to === "end") return event.step;
  if (event.type !== "gate_answered" || event.took !== "end") return null;
  const gate = scope?.gates.find(({ id }) => id === event.gate);
  return gate === undefined || gate.part !== undefined ? null : gate.step;
}

/** The end of an included workflow: the chain continues behind it. */
function isIncluded({ header }: Run, name: StepName | undefined): boolean {
  return header.definition.steps.some((step) => step.name === name && step.include !== undefined);
}

function isOver(status: StepStatus): boolean {
  return status === "skipped" || status === "done";
}

function checkEnd(after: Run, story: StoryId | null, step: StepId): void {
  const scope = story === null ? after.header : after.stories[story];
  const chain = scope?.chain ?? [];
  const at = chain.findIndex(({ id }) => id === step);
  const where = `${story ?? "run"}: ${step} ended early`;
  holds(chain[at]?.state.status === "done", `${where} and is ${chain[at]?.state.status}`);
  if (isIncluded(after, chain[at]?.name)) {
    const { item } = chain[at] ?? {};
    const isOther = (step: Step) => item?.include !== undefined && step.item?.number !== item.number;
    const behind = chain.slice(at + 1).filter((step) => isIncluded(after, step.name) && !isOther(step));
    const left = behind.filter(({ state }) => !isOver(state.status));
    return holds(left.length === 0, `${where}, but ${left[0]?.id} of the same include is not over`);
  }
  const open = chain.slice(at + 1).filter(({ state }) => !isOver(state.status));
  if (story === null) {
    holds(open.length === 0, `${where}, but ${open[0]?.id} is not over`);
    return holds(after.header.end?.status === "done", `${where}, and the run is not done`);
  }
  const status = after.header.stories.find(({ id }) => id === story)?.status;
  const isIntegrated = chain.at(-1)?.name === "bi";
  if (!isIntegrated) return holds(status === "done" && open.length === 0, `${where}, and the story is ${status}`);
  // Its integration is next: ready, or a person is asked before it starts.
  const [integration] = open;
  holds(
    open.length === 1 && integration?.name === "bi",
    `${where}, but ${open.map(({ id }) => id).join(", ")} is open`,
  );
  const states = after.header.end ? ["waiting", "ready", "held", "cancelled"] : ["ready", "held"];
  holds(
    states.includes(integration?.state.status ?? ""),
    `${where}, and its integration is ${integration?.state.status}`,
  );
}
