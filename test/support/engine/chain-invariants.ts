// Checks invariants of parallel stories and of edited chains after every command, from states and events alone.

import type { Accepted } from "../../../src/domain/decision.ts";
import type { StepDefinition, StoriesStep } from "../../../src/domain/definition.ts";
import type { Event } from "../../../src/domain/event.ts";
import type { StoryId } from "../../../src/domain/ids.ts";
import type { Run } from "../../../src/domain/run.ts";
import type { Scope } from "../../../src/domain/scope.ts";
import type { Step } from "../../../src/domain/step.ts";
import type { StoryEntry } from "../../../src/domain/story.ts";
import { holds, scopesOf } from "./invariants.ts";
import { same } from "./same.ts";

export function checkChains(run: Run): void {
  const loop = run.header.definition.steps.find((step) => step.kind === "stories");
  for (const { story, scope } of scopesOf(run)) {
    const where = story ?? "run";
    const definitions = definitionsOf(run, story);
    const active = scope.chain.filter(({ state }) => ["ready", "running", "held"].includes(state.status));
    holds(active.length <= 1, `${where}: ${active.map(({ id }) => id).join(" and ")} at once`);
    checkFlags(scope, definitions, where);
    if (story !== null && loop?.maxSteps !== undefined) {
      const visible = visibleOf(scope, definitions).length;
      holds(visible <= loop.maxSteps, `${where}: ${visible} steps, at most ${loop.maxSteps} are allowed`);
    }
  }
  if (loop) checkSlots(run.header.stories, loop);
  if (loop) checkBusy(run, loop);
  if (loop) checkNeed(run, loop);
}

function checkFlags(scope: Scope, definitions: readonly StepDefinition[], where: string): void {
  const visible = visibleOf(scope, definitions);
  const last = visible.findIndex((step) => flagOf(definitions, step, "last"));
  holds(last < 0 || last === visible.length - 1, `${where}: ${visible[last + 1]?.id} comes after the last step`);
  for (const step of scope.chain) {
    const wanted = flagOf(definitions, step, "mandatory") || flagOf(definitions, step, "last");
    const gone = step.state.status === "skipped" && step.state.by === "edit";
    holds(!(wanted && gone), `${where}: an edit skipped ${step.id}`);
  }
  const own = scope.chain.findIndex(({ name }) => kindOf(definitions, name) === "integrate");
  holds(own < 0 || own === scope.chain.length - 1, `${where}: a step comes after the integration`);
}

function definitionsOf({ header }: Run, story: StoryId | null): readonly StepDefinition[] {
  const { steps } = header.definition;
  return story === null ? steps : (steps.find((step) => step.kind === "stories")?.body ?? []);
}

function visibleOf(scope: Scope, definitions: readonly StepDefinition[]): readonly Step[] {
  return scope.chain.filter(({ name }) => kindOf(definitions, name) !== "integrate");
}

function kindOf(definitions: readonly StepDefinition[], name: string): StepDefinition["kind"] | undefined {
  return definitions.find((definition) => definition.name === name)?.kind;
}

function flagOf(definitions: readonly StepDefinition[], step: Step, flag: "mandatory" | "last"): boolean {
  const definition = definitions.find(({ name }) => name === step.name);
  return definition?.kind === "agent" && definition[flag] === true;
}

const isAtWork = ({ status }: StoryEntry) => status === "running" || status === "held";

/** No two stories share a slot, and a story has one only while it is at work. */
function checkSlots(stories: readonly StoryEntry[], loop: StoriesStep): void {
  const slots = stories.flatMap(({ slot }) => slot ?? []);
  holds(new Set(slots).size === slots.length, `two stories in one slot: ${slots.join(", ")}`);
  holds(
    slots.every((slot) => slot >= 1 && slot <= loop.concurrency),
    `slots ${slots.join(", ")} of ${loop.concurrency}`,
  );
  for (const entry of stories) {
    const wanted = loop.workspace === "worktree" && isAtWork(entry);
    holds((entry.slot !== undefined) === wanted, `${entry.id} is ${entry.status} in slot ${entry.slot}`);
  }
}

/** A story waits only if every slot is taken, a dependency is not done, or a failure stops the rest. */
function checkBusy({ header }: Run, loop: StoriesStep): void {
  const { stories } = header;
  const open = header.chain.some(({ name, state }) => name === loop.name && state.status === "running");
  if (header.end || !open || stories.filter(isAtWork).length >= loop.concurrency) return;
  const done = new Set(stories.filter(({ status }) => status === "done").map(({ id }) => id));
  const { round } = stepOf(header, loop) ?? {};
  const isOfRound = ({ id }: StoryEntry) => round?.without.includes(id) !== true;
  const stopped =
    loop.onStoryFailed === "stop" && stories.some((entry) => entry.status === "failed" && isOfRound(entry));
  for (const { id, status, dependsOn, begun } of stories) {
    if (status !== "waiting" || (stopped && !begun)) continue;
    holds(!dependsOn.every((other) => done.has(other)), `${id} waits while a slot is free`);
  }
}

function stepOf({ chain }: Pick<Run["header"], "chain">, { name }: StoriesStep): Step | undefined {
  return chain.find((step) => step.name === name);
}

/** A step that has passed has as many stories as it needs and leaves none open; what it does not need is being stopped. */
function checkNeed({ header, stories: scopes }: Run, loop: StoriesStep): void {
  const step = stepOf(header, loop);
  const { stories, end } = header;
  if (!step || end?.status === "cancelled") return;
  const done = stories.filter(({ status, leftOut }) => status === "done" && !leftOut).length;
  const needed = step.round?.needed ?? null;
  const ofRound = stories.filter(({ id }) => step.round?.without.includes(id) !== true);
  const failed = ofRound.filter(({ status }) => status === "failed" || status === "blocked");
  const open = stories.filter((entry) => isAtWork(entry) || entry.status === "waiting");
  if (step.state.status === "done") {
    holds(needed === null ? failed.length === 0 : done >= needed, `${step.name} passed with ${done} of ${needed}`);
    holds(!open.some(isAtWork), `${step.name} passed while ${open.map(({ id }) => id).join(", ")} worked`);
  }
  if (step.state.status !== "running" || loop.others !== "stop") return;
  const isKnown = needed === null ? failed.length > 0 : done >= needed || done + open.length < needed;
  for (const { id } of isKnown ? open : []) {
    const isStopped = scopes[id]?.chain.some((own) => own.dropping !== undefined) === true;
    holds(isStopped, `${id} is not needed, and nothing stops it`);
  }
}

/** Checks how a command changed chains, and that the records match. */
export function checkEdits(after: Run, decision: Accepted, asked: number | null): void {
  const { events } = decision;
  const records = events.filter((event) => event.type === "chain_edited");
  const refused = events.some(({ type }) => type === "edit_refused");
  holds(!(refused && records.length > 0), "an edit was both refused and applied");
  holds(records.length === 0 || records.length === asked, `${records.length} of ${asked} operations were applied`);
  holds(records.length > 0 || !events.some(isEdit), "a chain was changed without a record");
  records.forEach((record, index) => {
    const next = records[index + 1];
    if (next) holds(same(record.after, next.before), "the chain changed between two operations");
    else checkLeft(after, events, record);
  });
}

function isEdit(event: Event): boolean {
  const { type } = event;
  if (type === "steps_skipped") return event.by === "edit";
  return type === "steps_removed" || type === "steps_reordered" || type === "step_amended";
}

/** The chain is as the last record says, unless a route or a list inserted something after it. */
function checkLeft(after: Run, events: readonly Event[], record: Extract<Event, { type: "chain_edited" }>): void {
  const later = events.slice(events.indexOf(record));
  if (later.some(({ type }) => type === "steps_inserted" || type === "items_taken")) return;
  const scope = record.story === null ? after.header : after.stories[record.story];
  const ids = scope ? visibleOf(scope, definitionsOf(after, record.story)).map(({ id }) => id) : [];
  holds(
    same(
      ids,
      record.after.map(({ id }) => id),
    ),
    `the record says ${record.after.length} steps, there are ${ids.length}`,
  );
}

/** Ids that were ever assigned, by scope. None is reused, even after its step was removed. */
export class Ids {
  readonly #given = new Map<StoryId | null, Set<string>>();

  enter(events: readonly Event[]): void {
    for (const event of events) {
      if (event.type === "run_started" || event.type === "story_opened" || event.type === "story_adopted")
        this.#give(event.story, event.chain);
      if (event.type === "steps_inserted") this.#give(event.story, event.steps);
    }
  }

  #give(story: StoryId | null, steps: readonly { readonly id: string }[]): void {
    const given = this.#given.get(story) ?? new Set();
    this.#given.set(story, given);
    for (const { id } of steps) {
      holds(!given.has(id), `${story ?? "run"}: the id ${id} was assigned twice`);
      given.add(id);
    }
  }
}
