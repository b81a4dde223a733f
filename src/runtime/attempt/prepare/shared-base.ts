// The snapshot that the parts of a step share: each of them reads the same tree. The first part that begins takes it.

import { type Attempt, baseOf, hasEnded } from "../../../domain/attempt.ts";
import type { StoryId } from "../../../domain/ids.ts";
import { attemptsOf, type Run } from "../../../domain/run.ts";
import { restoreSnapshot } from "../../../workspaces/trees/restore.ts";
import { takeSnapshot } from "../../../workspaces/trees/snapshot.ts";
import type { Parts } from "../../parts.ts";
import { hasOwnTree } from "../../trees/part-trees.ts";
import { salvage } from "../../trees/salvage.ts";
import { withTreeLock } from "../../trees/trees.ts";

type SharePorts = Pick<Parts, "store" | "home" | "protocols" | "log">;

/** The run as the store has it now: other parts have moved since this one was claimed. */
export async function runNow({ store }: Pick<Parts, "store">, run: Run, story: StoryId | null): Promise<Run> {
  const loaded = await store.transaction((tx) => tx.load(run.header.id, () => (story === null ? [] : [story])));
  return loaded?.run ?? run;
}

/** Attempts of other parts of the same step and visit that work in the same tree. */
export async function partsBeside(
  parts: Pick<Parts, "store">,
  run: Run,
  { id, story, step, visit }: Attempt,
): Promise<readonly Attempt[]> {
  const attempts = attemptsOf(await runNow(parts, run, story), story);
  const beside = attempts.filter((other) => other.step === step && other.visit === visit && other.id !== id);
  return beside.filter((other) => !hasOwnTree(run, other));
}

/** `take`: what the first part does, which finds the tree as the step before left it. One part at a time. */
export async function sharedBase(
  parts: SharePorts,
  run: Run,
  path: string,
  attempt: Attempt,
  take: () => Promise<string>,
): Promise<string> {
  let base = "";
  await withTreeLock(`${path}.parts`, async () => {
    const others = await partsBeside(parts, run, attempt);
    const known = others.map(baseOf).find((each) => each !== null);
    base = known ?? (await take());
    // What an attempt left that was lost. While another part reads the tree, nothing in it is moved.
    if (known === undefined || others.some((other) => !hasEnded(other))) return;
    if ((await takeSnapshot(path)) === known) return;
    const last = others.findLast((other) => baseOf(other) !== null) ?? attempt;
    await salvage(parts, run, path, { attempt: last, base: known });
    await restoreSnapshot(path, known);
  });
  return base;
}
