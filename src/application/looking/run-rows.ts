// What a list says of each run in one line. Owns: reading it for a whole page at once, with a fixed number of queries.

import type { ListedRun } from "../../contracts/http-documents.ts";
import { isQuestion } from "../../domain/gate.ts";
import type { RunId } from "../../domain/ids.ts";
import { briefly } from "../../engine/brief.ts";
import type { RunSummary } from "../../store/store.ts";
import type { ReadSession } from "../application.ts";

type RowWords = Pick<ListedRun, "why" | "step" | "stories" | "needsYou" | "capUsd"> & {
  /** What moves it now; null: nothing. */
  readonly driver: string | null;
};

/** `drivers`: what moves each run now; null: nothing is said about that. */
export async function wordsOf(
  { store }: Pick<ReadSession["parts"], "store">,
  runs: readonly RunSummary[],
  drivers: ReadonlyMap<RunId, string> | null,
): Promise<(run: RunSummary) => RowWords> {
  const outlines = await store.outlines(runs);
  const questions = new Map<RunId, { readonly oldest: string; readonly count: number }>();
  for (const { run, gate } of await store.openGates(null)) {
    const known = questions.get(run);
    if (isQuestion(gate))
      questions.set(run, { oldest: known?.oldest ?? gate.question, count: (known?.count ?? 0) + 1 });
  }
  return (run) => {
    const { step = null, capUsd = null, reason = "", stories = noStories } = outlines.get(run.id) ?? {};
    const asked = questions.get(run.id);
    const driver = run.status === "running" ? (drivers?.get(run.id) ?? null) : null;
    const { status, startedAt, endedAt } = run;
    const question = asked?.oldest ?? null;
    const isDriven = drivers === null || driver !== null;
    const why = briefly({ status, startedAt, endedAt, step, reason, question, stories, isDriven });
    return { why, step: step?.name ?? null, stories, needsYou: asked?.count ?? 0, capUsd, driver };
  };
}

const noStories = { total: 0, done: 0, running: 0, failed: 0 };
