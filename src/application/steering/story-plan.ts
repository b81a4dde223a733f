// The plan of a run. Owns: how a person adds, changes and moves stories that have not started, by the engine's one command for it.

import type { StoryPlan } from "../../contracts/run-documents.ts";
import { AppError } from "../../domain/error.ts";
import { isSafeId, storyId } from "../../domain/ids.ts";
import type { Header } from "../../domain/run.ts";
import { hasBegunText, isUnbegun, type StoryEntry, type StorySpec } from "../../domain/story.ts";
import { transition } from "../../runtime/transition/transition.ts";
import type { Application } from "../application.ts";
import { findRun, storyIn, wholeRun } from "../references.ts";

export interface NewStory {
  readonly id: string;
  readonly title: string;
  readonly description?: string | undefined;
  readonly criteria?: readonly string[] | undefined;
  /** It starts when these are done. */
  readonly after?: readonly string[] | undefined;
  readonly priority?: number | undefined;
}

export async function addStoriesTo(
  app: Application,
  reference: string,
  stories: readonly NewStory[],
  author = app.author,
): Promise<StoryPlan> {
  return await replan(app, reference, author, (plan) => {
    const added = stories.map((story) => specOf(plan, story));
    const ids = [...plan.header.stories.map(({ id }) => id), ...added.map(({ id }) => id)].map((id) =>
      id.toLowerCase(),
    );
    const twice = added.find(({ id }) => ids.filter((other) => other === id.toLowerCase()).length > 1);
    if (twice) throw refused(plan, `story ${twice.id} is there already`, "choose another id");
    return { next: [...plan.open, ...added], changed: added };
  });
}

export type StoryWords = Pick<NewStory, "title" | "description" | "criteria">;

export async function editStory(
  app: Application,
  reference: string,
  story: string,
  words: Partial<StoryWords>,
  author = app.author,
): Promise<StoryPlan> {
  if (words.title === undefined && words.description === undefined && words.criteria === undefined)
    throw new AppError("USAGE", "nothing to change was given", { hint: "use --title, --description or --criteria" });
  return await replan(app, reference, author, (plan) => {
    const spec = unbegun(plan, story);
    const { title, description = spec.description, criteria } = words;
    const acceptanceCriteria = criteria === undefined ? spec.acceptanceCriteria : criteriaOf(criteria);
    const text = title === undefined ? spec.title : titleOf(title);
    const changed: StorySpec = { ...spec, title: text, description, acceptanceCriteria, byPerson: true };
    return { next: plan.open.map((each) => (each === spec ? changed : each)), changed: [changed] };
  });
}

export type MoveTo = { readonly first: true } | { readonly before: string } | { readonly after: string };

export async function moveStory(
  app: Application,
  reference: string,
  story: string,
  to: MoveTo,
  author = app.author,
): Promise<StoryPlan> {
  return await replan(app, reference, author, (plan) => {
    const spec = unbegun(plan, story);
    const others = inOrder(plan.open.filter((each) => each !== spec));
    const at = "first" in to ? others[0] : unbegun(plan, "before" in to ? to.before : to.after);
    if (at === undefined || at === spec) return { next: plan.open, changed: [] };
    // With the priority of its neighbour, the order of the plan decides.
    const { priority: _, ...rest } = spec;
    const moved: StorySpec = {
      ...rest,
      ...(at.priority === undefined ? {} : { priority: at.priority }),
      byPerson: true,
    };
    const index = others.indexOf(at) + ("after" in to ? 1 : 0);
    return { next: others.toSpliced(index, 0, moved), changed: [moved] };
  });
}

interface Plan {
  readonly header: Header;
  readonly number: number;
  /** The stories that have not begun, as they were planned. */
  readonly open: readonly StorySpec[];
}

interface Replanned {
  readonly next: readonly StorySpec[];
  readonly changed: readonly StorySpec[];
}

async function replan(
  app: Application,
  reference: string,
  author: string,
  change: (plan: Plan) => Replanned,
): Promise<StoryPlan> {
  return await app.change(null, async ({ parts }) => {
    const { store, clock } = parts;
    const { id, number } = await findRun(store, reference);
    const { header } = await wholeRun(store, { id });
    const specs = new Map((await store.storySpecs(id)).map((spec) => [spec.id, spec]));
    const open = header.stories.filter(isUnbegun).flatMap((entry) => specs.get(entry.id) ?? []);
    const plan: Plan = { header, number, open };
    if (header.stories.length === 0)
      throw refused(plan, "the run has no stories yet", "stories can be changed once they are planned");
    const { next, changed } = change(plan);
    const from = next.findIndex((spec, index) => spec !== open[index]);
    if (from >= 0) {
      const command = {
        type: "add_stories",
        stories: next.slice(from),
        dropped: open.slice(from).map((spec) => spec.id),
      } as const;
      const decision = await transition(parts, id, { ...command, at: clock.now(), author });
      if (!decision.accepted) throw refused(plan, decision.why, `\`pawl stories ${number}\` shows the stories`);
    }
    const after = await wholeRun(store, { id });
    const waiting = inOrder(after.header.stories.filter(isUnbegun)).map((entry) => entry.id);
    const { status } = (await store.runById(id)) ?? { status: "running" as const };
    return { run: id, number, changed: changed.map((spec) => spec.id), order: waiting, status };
  });
}

/** As they start, if nothing holds them: by priority, then in the order of the plan. */
function inOrder<S extends Pick<StoryEntry, "priority">>(stories: readonly S[]): readonly S[] {
  const rank = ({ priority }: S) => priority ?? Number.MAX_SAFE_INTEGER;
  return stories.toSorted((one, other) => rank(one) - rank(other));
}

function unbegun(plan: Plan, story: string): StorySpec {
  const entry = storyIn(plan.header, plan.number, story);
  const spec = isUnbegun(entry) ? plan.open.find(({ id }) => id === entry.id) : undefined;
  if (spec) return spec;
  throw refused(
    plan,
    hasBegunText(entry),
    "only stories that have not started can be changed; `pawl note` tells a story at work",
  );
}

function specOf(plan: Plan, { id, title, description = "", criteria = [], after = [], priority }: NewStory): StorySpec {
  if (!isSafeId(id)) {
    throw new AppError("USAGE", `"${id}" cannot be the id of a story; nothing was changed`, {
      hint: "use letters, digits, dots, dashes and underscores, at most 64: US-001",
    });
  }
  if (priority !== undefined && !Number.isFinite(priority))
    throw new AppError("USAGE", "a priority is a number; nothing was changed", {
      hint: "the lowest starts first: --priority 1",
    });
  const dependsOn = [...new Set(after)].map((other) => storyIn(plan.header, plan.number, other).id);
  return {
    id: storyId(id),
    title: titleOf(title),
    description,
    acceptanceCriteria: criteriaOf(criteria),
    dependsOn,
    ...(priority === undefined ? {} : { priority }),
    byPerson: true,
  };
}

function titleOf(title: string): string {
  const line = title.replaceAll(/\s+/g, " ").trim();
  if (line !== "") return line;
  throw new AppError("USAGE", "a story needs a title; nothing was changed", { hint: "--title TEXT" });
}

function criteriaOf(criteria: readonly string[]): readonly string[] {
  return criteria.map((text) => text.trim()).filter((text) => text !== "");
}

function refused({ number }: Plan, why: string, hint: string): AppError {
  return new AppError("REFUSED", `run #${number}: nothing was changed: ${why}`, { hint });
}
