// A decision in progress. Each event is applied at once, so that the next rule sees its result.

import type { Accepted } from "../domain/decision.ts";
import type { StepDefinition } from "../domain/definition.ts";
import type { Effect } from "../domain/effect.ts";
import type { Event } from "../domain/event.ts";
import type { StepId, StepName, StoryId } from "../domain/ids.ts";
import { type Run, scopeOf } from "../domain/run.ts";
import type { Scope } from "../domain/scope.ts";
import type { Step } from "../domain/step.ts";
import { definitionOf } from "./definitions.ts";
import { evolve } from "./evolve.ts";
import { type StoryGroups, storyGroupsOf } from "./stories/story-groups.ts";
import { IllegalTransition } from "./tables.ts";

/** An event without its time, author and story. */
export type Fact = Event extends infer E ? (E extends Event ? Omit<E, "at" | "author" | "story"> : never) : never;

export class Draft {
  readonly at: number;
  readonly author: string;
  /** The current tree, if the command knows it. A gate that opens shows it. */
  readonly tree: string | null;
  readonly #events: Event[] = [];
  readonly #effects: Effect[] = [];
  #run: Run | null;

  constructor(run: Run | null, command: { readonly at: number; readonly author: string }, tree: string | null = null) {
    this.#run = run;
    this.at = command.at;
    this.author = command.author;
    this.tree = tree;
  }

  get run(): Run {
    if (this.#run === null) throw new IllegalTransition("run", "nothing", "read");
    return this.#run;
  }

  /** The number of events so far. */
  get length(): number {
    return this.#events.length;
  }

  get isOver(): boolean {
    return this.run.header.end !== null;
  }

  get storyGroups(): StoryGroups {
    return storyGroupsOf(this.run.header.stories);
  }

  emit(story: StoryId | null, fact: Fact): void {
    // The union of `Omit`s loses which payload belongs to which type; `Fact` has checked it at the call.
    const event = { ...fact, at: this.at, author: this.author, story } as Event;
    this.#run = evolve(this.#run, event);
    this.#events.push(event);
  }

  /** A draft for trying something. Its events count only after `join`. */
  fork(): Draft {
    return new Draft(this.#run, this, this.tree);
  }

  join(fork: Draft): void {
    this.#run = fork.run;
    this.#events.push(...fork.#events);
    this.#effects.push(...fork.#effects);
  }

  perform(effect: Effect): void {
    this.#effects.push(effect);
  }

  scope(story: StoryId | null): Scope {
    const scope = scopeOf(this.run, story);
    if (!scope) throw new IllegalTransition(`story ${story}`, "not loaded", "read");
    return scope;
  }

  step(story: StoryId | null, id: StepId): Step {
    const step = this.scope(story).chain.find((candidate) => candidate.id === id);
    if (!step) throw new IllegalTransition(`step ${id}`, "nothing", "read");
    return step;
  }

  definition(story: StoryId | null, name: StepName): StepDefinition {
    return definitionOf(this.run, story, name);
  }

  accept(): Accepted {
    return { accepted: true, events: this.#events, effects: this.#effects, run: this.run };
  }
}
