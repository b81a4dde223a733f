// References to runs. Owns: which run a caller means by an id, a unique prefix of it, or a number. A number is never taken for a
// prefix.

import { AppError } from "../domain/error.ts";
import { runId } from "../domain/ids.ts";
import { didYouMean } from "../domain/nearest.ts";
import type { Header, Run } from "../domain/run.ts";
import type { StoryEntry } from "../domain/story.ts";
import { unknownRun } from "../runtime/transition/unknown-run.ts";
import type { RunSummary, Store } from "../store/store.ts";

type Runs = Pick<Store, "runByNumber" | "runById" | "runsByPrefix" | "listRuns">;

const shownCandidates = 10;

export async function findRun(store: Runs, reference: string): Promise<RunSummary> {
  const number = /^#?(\d+)$/.exec(reference)?.[1];
  if (number !== undefined) return (await store.runByNumber(Number(number))) ?? fail(reference);
  const exact = await store.runById(runId(reference));
  if (exact) return exact;
  const candidates = reference === "" ? [] : await store.runsByPrefix(reference, shownCandidates);
  const [only, ...others] = candidates;
  if (only && others.length === 0) return only;
  if (only) throw ambiguous(reference, candidates);
  return fail(reference);
}

/** Without a reference: the newest run. */
export async function findRunOrNewest(store: Runs, reference: string | undefined): Promise<RunSummary> {
  if (reference !== undefined) return await findRun(store, reference);
  const [newest] = await store.listRuns({ statuses: null, limit: 1 });
  if (newest) return newest;
  throw new AppError("NOT_FOUND", "there is no run yet", { hint: 'start one: pawl demo, or pawl run feature-dev "…"' });
}

/** By number, exact task, part of a task, or id, in that order. */
export async function findRunByQuery(store: Runs, query: string): Promise<RunSummary> {
  if (/^#?\d+$/.test(query)) return await findRun(store, query);
  const runs = await store.listRuns({ statuses: null, limit: 1_000 });
  const exact = runs.find((run) => run.task === query);
  if (exact) return exact;
  const partial = runs.filter((run) => run.task.toLowerCase().includes(query.toLowerCase()));
  const [only, ...others] = partial;
  if (only && others.length === 0) return only;
  if (only) throw ambiguous(query, partial.slice(0, shownCandidates));
  return await findRun(store, query);
}

/** Every story of it. */
export async function wholeRun(store: Pick<Store, "wholeRun">, { id }: Pick<RunSummary, "id">): Promise<Run> {
  return (await store.wholeRun(id)) ?? fail(id);
}

/** The entry of a story, by its id. */
export function storyIn({ stories }: Pick<Header, "stories">, number: number, story: string): StoryEntry {
  const found = stories.find(({ id }) => id === story);
  if (found) return found;
  throw new AppError("NOT_FOUND", `run #${number} has no story ${story}`, {
    hint: `${didYouMean(
      story,
      stories.map(({ id }) => id),
    )}\`pawl stories ${number}\` lists them`,
  });
}

/** For lists and candidates. */
export function firstLine(text: string, width = 60): string {
  const line = text.split("\n", 1)[0] ?? "";
  return line.length > width ? `${line.slice(0, width - 1)}…` : line;
}

function ambiguous(reference: string, candidates: readonly RunSummary[]): AppError {
  return new AppError("AMBIGUOUS", `"${reference}" matches several runs; nothing was changed`, {
    details: candidates.map((run) => `#${run.number} ${run.id} ${run.workflow} ${run.status}: ${firstLine(run.task)}`),
    hint: "use the run's number, or more of its id",
  });
}

function fail(reference: string): never {
  throw unknownRun(reference);
}
