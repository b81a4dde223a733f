// Checks from states and events alone that a step with a condition begins only where the condition holds, is skipped only where it
// does not, and can run again when a route goes back before it.

import type { Accepted } from "../../../src/domain/decision.ts";
import type { StepDefinition } from "../../../src/domain/definition.ts";
import type { Event } from "../../../src/domain/event.ts";
import type { StepId, StoryId } from "../../../src/domain/ids.ts";
import type { Run } from "../../../src/domain/run.ts";
import { holds } from "./invariants.ts";

/** What a walk says of a step that it passes by. */
const passedBy = "it runs if";

export function checkConditions(before: Run, after: Run, { events }: Accepted): void {
  // A step whose list cannot be used is opened only to fail, before its own condition is asked.
  const failed = new Set(events.flatMap((event) => (event.type === "step_failed" ? [event.step] : [])));
  for (const event of events) {
    if (event.type === "step_opened" && failed.has(event.step)) continue;
    for (const step of begun(event)) checkAsked(before, after, event.story, step, true);
    if (event.type === "steps_skipped" && event.reason.startsWith(passedBy)) {
      // With an included workflow all of its steps are skipped; its first one has the condition.
      const [first, ...others] = event.steps;
      if (first) checkAsked(before, after, event.story, first, false);
      for (const step of others) holds(isIncluded(after, event.story, step), `${step} was skipped with ${first}`);
    }
    if (event.type === "steps_reset") checkRevived(before, event);
    if (event.type === "parts_opened" || event.type === "step_readied") checkWhole(before, after, event);
  }
}

/** The steps that an event begins: ready, asked about, or opened. */
function begun(event: Event): readonly StepId[] {
  if (event.type === "step_readied" || event.type === "step_opened" || event.type === "parts_opened")
    return [event.step];
  return event.type === "gate_opened" && (event.gate.cause === "step" || event.gate.cause === "waits")
    ? [event.gate.step]
    : [];
}

/** What repeats is not asked again: its chain had reached it before. */
function checkAsked(before: Run, after: Run, story: StoryId | null, id: StepId, runs: boolean): void {
  const step = scopeIn(after, story)?.chain.find((each) => each.id === id);
  const was = scopeIn(before, story)?.chain.find((each) => each.id === id);
  const isNew = was === undefined || was.state.status === "waiting" || was.visit !== step?.visit;
  const definition = step && definitionsOf(after, story).find(({ name }) => name === step.name);
  const asked = [...(definition?.entries ?? []), ...(definition ? [definition] : [])];
  const conditions = asked.flatMap((each) => (each.if ? [each.if] : []));
  if (conditions.length === 0) return holds(runs, `${story ?? "run"}: ${id} has no condition and was passed by`);
  const met = conditions.every((condition) => isMet(after, story, condition));
  if (isNew) holds(met === runs, `${story ?? "run"}: ${id} ${runs ? "began" : "was skipped"}`);
}

/** A step whose parts have a condition is performed as parts where it holds, else as a whole. What repeats stays as it was. */
function checkWhole(before: Run, after: Run, { type, story, step: id }: Event & { readonly step: StepId }): void {
  const step = scopeIn(after, story)?.chain.find((each) => each.id === id);
  const definition = definitionsOf(after, story).find(({ name }) => name === step?.name);
  const parts = definition && "parts" in definition ? definition.parts : undefined;
  if (parts === undefined) return;
  const was = scopeIn(before, story)?.chain.find((each) => each.id === id);
  const hadParts = was?.parts !== undefined && was.visit === step?.visit;
  const met = hadParts || parts.if === undefined || isMet(after, story, parts.if);
  holds(
    met === (type === "parts_opened"),
    `${story ?? "run"}: ${id} was ${type} where its parts ${met ? "" : "do not "}open`,
  );
}

function isIncluded(run: Run, story: StoryId | null, id: StepId): boolean {
  const step = scopeIn(run, story)?.chain.find((each) => each.id === id);
  return definitionsOf(run, story).some(({ name, include }) => name === step?.name && include !== undefined);
}

function isMet(run: Run, story: StoryId | null, condition: NonNullable<StepDefinition["if"]>): boolean {
  if ("vote" in condition) return isCarried(run, condition);
  const own = scopeIn(run, story)?.context[condition.key];
  // A story reads what steps of the run's own chain said; their keys begin with o_s.
  const value = own ?? (condition.key.startsWith("o_s") ? run.header.context[condition.key] : undefined);
  return value !== undefined && condition.values.some((word) => word === value.trim().toLowerCase());
}

/** Counts what the stories that are done have in their own contexts. */
function isCarried({ header, stories }: Run, vote: Extract<StepDefinition["if"], { vote: string }>): boolean {
  const done = header.stories.filter(({ status }) => status === "done");
  const yes = done.filter(({ id }) => {
    const value = stories[id]?.context[vote.of.key];
    return value !== undefined && vote.values.includes(value.trim().toLowerCase());
  }).length;
  if (vote.vote === "all") return done.length > 0 && yes === done.length;
  if (vote.vote === "majority") return yes > done.length - yes;
  return yes >= (vote.vote === "count" ? vote.atLeast : 1);
}

/** What more than half of the stories that are done said; unknown where one of them said nothing. */
export function majorityIn({ header, stories }: Run, key: string): string {
  const said = header.stories
    .filter(({ status }) => status === "done")
    .map(({ id }) => stories[id]?.context[key]?.trim().toLowerCase() ?? null);
  const most = ["yes", "no"].find((word) => said.filter((value) => value === word).length * 2 > said.length);
  return said.includes(null) ? "unknown" : (most ?? "unknown");
}

function checkRevived(before: Run, { story, steps }: Extract<Event, { type: "steps_reset" }>): void {
  const chain = scopeIn(before, story)?.chain ?? [];
  const at = steps.map((id) => chain.findIndex((step) => step.id === id)).filter((index) => index >= 0);
  const span = at.length === 0 ? [] : chain.slice(Math.min(...at), Math.max(...at) + 1);
  const left = span.filter(
    ({ id, state }) => state.status === "skipped" && state.by === "route" && !steps.includes(id),
  );
  holds(left.length === 0, `${story ?? "run"}: going back left ${left.map(({ id }) => id).join(", ")} skipped`);
}

function scopeIn(run: Run, story: StoryId | null) {
  return story === null ? run.header : run.stories[story];
}

function definitionsOf({ header }: Run, story: StoryId | null): readonly StepDefinition[] {
  const { steps } = header.definition;
  return story === null ? steps : (steps.find((step) => step.kind === "stories")?.body ?? []);
}
