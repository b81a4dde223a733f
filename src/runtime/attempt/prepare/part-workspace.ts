// The tree of a part that changes files: it begins with what its step began with. A part that could not be joined begins again with the
// work of the parts before it.

import { type Attempt, baseOf } from "../../../domain/attempt.ts";
import type { PartName } from "../../../domain/ids.ts";
import { joinPart } from "../../../domain/part.ts";
import { attemptsOf, type Run } from "../../../domain/run.ts";
import { restoreSnapshot } from "../../../workspaces/trees/restore.ts";
import type { Parts } from "../../parts.ts";
import {
  attemptsSinceOpened,
  detached,
  ensurePartTree,
  joinWorks,
  keepUnjoined,
  worksOf,
} from "../../trees/part-trees.ts";
import { withTreeLock } from "../../trees/trees.ts";
import { runNow, type StepTree } from "./shared-base.ts";

type PartPorts = Pick<Parts, "store" | "home" | "trees" | "protocols" | "log" | "machines" | "secrets">;

/** Only the first attempt of a part resets its tree: a later one continues there, as an attempt of a step does. */
export async function enterPartTree(
  parts: PartPorts,
  before: Run,
  attempt: Attempt & { readonly part: PartName },
  tree: StepTree,
): Promise<string> {
  const { story, part } = attempt;
  const run = await runNow(parts, before, story);
  let start = "";
  await withTreeLock(`${tree.path}.parts`, async () => {
    start = detached(baseOfStep(run, attempt) ?? (await tree.take()));
  });
  const path = await ensurePartTree(parts, run, { story, part }, start);
  const own = attemptsSinceOpened(attemptsOf(run, story), attempt);
  const isFirst = own.every((other) => other.id === attempt.id || baseOf(other) === null);
  if (!isFirst) return path;
  // A part that is sent back has done nothing wrong: its next attempt can look at what it did.
  await keepUnjoined(parts, run, story, path);
  await restoreSnapshot(path, await beginningOf(parts, run, attempt, tree.path, start));
  return path;
}

/** What the step began with in this visit, as the first of its parts recorded it; null: none has begun. */
function baseOfStep(run: Run, attempt: Attempt): string | null {
  return (
    attemptsOf(run, attempt.story)
      .filter((other) => isBeside(attempt, other))
      .map(baseOf)
      .find(Boolean) ?? null
  );
}

function isBeside({ step, visit }: Attempt, other: Attempt): boolean {
  return other.step === step && other.visit === visit && other.part !== joinPart;
}

async function beginningOf(
  parts: PartPorts,
  run: Run,
  attempt: Attempt & { readonly part: PartName },
  path: string,
  start: string,
): Promise<string> {
  const { story, step, visit, part } = attempt;
  const wasJoined = attemptsOf(run, story).some(
    (other) => other.step === step && other.visit === visit && other.part === joinPart,
  );
  if (!wasJoined) return start;
  const joined = await joinWorks(run, path, start, worksOf(parts, run, attempt, part));
  // A conflict among those before it is found by the next join, and sends another part back.
  return joined.result === "joined" ? joined.snapshot : start;
}
