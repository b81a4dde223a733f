// Knows which steps of a chain people and agents see, which are still to come, and which new steps a chain accepts.

import { counted } from "../../domain/counted.ts";
import type { StepDefinition } from "../../domain/definition.ts";
import type { ChainLine, NewStep } from "../../domain/edit.ts";
import type { StoryId } from "../../domain/ids.ts";
import type { Step } from "../../domain/step.ts";
import { bodyOf } from "../definitions.ts";
import type { Draft } from "../draft.ts";
import { stepsLeft } from "./edits.ts";

/** Still to come: it can be changed. */
export function isPending(step: Step): boolean {
  return step.state.status === "waiting" || step.state.status === "ready";
}

/** All steps except those that Pawl itself adds at the end. */
export function visibleSteps(draft: Draft, story: StoryId | null): readonly Step[] {
  return draft.scope(story).chain.filter(({ name }) => draft.definition(story, name).kind !== "integrate");
}

export function chainLines(draft: Draft, story: StoryId | null): readonly ChainLine[] {
  return visibleSteps(draft, story).map((step) => ({
    id: step.id,
    name: step.name,
    status: step.state.status,
    description: step.description ?? draft.definition(story, step.name).title,
  }));
}

/** Checks steps that a request wants to add. */
export class NewSteps {
  readonly #draft: Draft;
  readonly #story: StoryId | null;

  constructor(draft: Draft, story: StoryId | null) {
    this.#draft = draft;
    this.#story = story;
  }

  /** Why the steps cannot be added if `leaving` others leave the chain; null if they can. */
  refuse(steps: readonly NewStep[], leaving: number): string | null {
    if (steps.length === 0) return "it adds no steps";
    for (const { name } of steps) {
      const why = this.#refuseOne(name);
      if (why !== null) return why;
    }
    const left = stepsLeft(this.#draft, this.#story) + leaving;
    if (steps.length <= left) return null;
    const most = visibleSteps(this.#draft, this.#story).length + stepsLeft(this.#draft, this.#story);
    return `the chain would have more than ${counted(most, "step")}`;
  }

  #refuseOne(name: string): string | null {
    const known = this.#definitions();
    const definition = known.find((candidate) => candidate.name === name);
    const usable = known.filter((candidate) => isAddable(candidate)).map((candidate) => candidate.name);
    if (!definition || definition.kind === "integrate" || definition.kind === "stories")
      return `there is no step type "${name.slice(0, 60)}"; use one of: ${usable.join(", ")}`;
    if (definition.spare) return `only Pawl itself adds ${name}`;
    return isAddable(definition) ? null : `there is already a ${name} step, and it must stay last`;
  }

  #definitions(): readonly StepDefinition[] {
    const { run } = this.#draft;
    return this.#story === null ? run.header.definition.steps : bodyOf(run, this.#story).body;
  }
}

function isAddable(definition: StepDefinition): boolean {
  if (definition.spare || definition.kind === "integrate" || definition.kind === "stories") return false;
  return !("last" in definition && definition.last);
}
