// Applies events to the list of steps: how steps enter a chain, move in it, and are reset.

import type { Event, PlacedStep } from "../../domain/event.ts";
import type { StepId } from "../../domain/ids.ts";
import type { Chain, Step, StepState } from "../../domain/step.ts";
import type { AdoptedStep } from "../../domain/story.ts";
import { nextStepState } from "../moves.ts";
import { IllegalTransition } from "../tables.ts";

type Of<T extends Event["type"]> = Extract<Event, { type: T }>;

export function placed(step: PlacedStep): Step {
  return {
    id: step.id,
    name: step.name,
    state: { status: "waiting" },
    visit: 1,
    produced: [],
    feedback: "",
    ...(step.description === undefined ? {} : { description: step.description }),
  };
}

/** A step with the state that it had before this run. */
export function adopted(step: AdoptedStep): Step {
  return {
    ...placed(step),
    state: adoptedState(step),
    ...(step.notes === "" ? {} : { notes: step.notes }),
    ...(step.restarts === 0 ? {} : { restartsBefore: step.restarts }),
    ...(step.attempts === undefined ? {} : { attemptsBefore: step.attempts }),
  };
}

function adoptedState({ state, reason }: AdoptedStep): StepState {
  switch (state) {
    case "waiting":
    case "done":
      return { status: state };
    case "failed":
      return { status: "failed", reason };
    case "skipped":
      return { status: "skipped", by: "edit", reason };
  }
}

export function withInserted(chain: Chain, event: Of<"steps_inserted">): Chain {
  const asked = event.asked ?? event.steps.at(-1)?.id;
  // What is inserted for one entry of a list runs for the same entry.
  const item = chain.find(({ id }) => id === event.before)?.item;
  const added = event.steps.map((step, index): Step => {
    const feedback = (step.id === asked && event.asks) || (index === 0 && event.feedback);
    return { ...placed(step), ...(feedback ? { feedback } : {}), ...(item ? { item } : {}) };
  });
  if (event.before === null) return [...chain, ...added];
  const index = chain.findIndex((step) => step.id === event.before);
  if (index < 0) throw new IllegalTransition(`step ${event.before}`, "nothing", "insert");
  return chain.toSpliced(index, 0, ...added);
}

export function withItems(chain: Chain, event: Of<"items_taken">): Chain {
  const copies = event.copies.map(({ item, ...step }): Step => ({ ...placed(step), item }));
  const taken = chain.map((step): Step => {
    if (!event.steps.includes(step.id)) return step;
    return { ...step, item: event.item, ...(step.id === event.step ? { itemsVisit: step.visit } : {}) };
  });
  return taken.toSpliced(taken.findIndex(({ id }) => id === event.after) + 1, 0, ...copies);
}

export function inOrder(chain: Chain, order: readonly StepId[]): Chain {
  const byId = new Map(chain.map((step) => [step.id, step]));
  const ordered = order.flatMap((id) => byId.get(id) ?? []);
  if (ordered.length !== chain.length || byId.size !== new Set(order).size)
    throw new IllegalTransition("chain", "its steps", "reorder");
  return ordered;
}

export function resetStep(step: Step, event: Of<"steps_reset">): Step {
  const { notes: _void, dropping: _over, parts, round, ...kept } = step;
  return {
    ...kept,
    ...(event.keepsParts && parts !== undefined ? { parts } : {}),
    ...(event.keepsParts && round !== undefined ? { round } : {}),
    state: nextStepState(step, "reset", { status: "waiting" }),
    visit: step.visit + 1,
    produced: step.id === event.keeps ? step.produced : [],
    feedback: event.feedback.steps.includes(step.id) ? event.feedback.text : "",
  };
}
