// The snapshot that the parts of a step share: each of them reads the same tree. The first part that begins takes it.

import { type Attempt, baseOf, hasEnded } from "../../../domain/attempt.ts";
import { attemptsOf, type Run } from "../../../domain/run.ts";
import { restoreSnapshot } from "../../../workspaces/trees/restore.ts";
import { takeSnapshot } from "../../../workspaces/trees/snapshot.ts";
import type { Parts } from "../../parts.ts";
import { salvage } from "../../trees/salvage.ts";
import { withTreeLock } from "../../trees/trees.ts";

type SharePorts = Pick<Parts, "store" | "home" | "protocols" | "log">;

/** Attempts of other parts of the same step, in this visit, as the store has them now. */
export async function partsBeside(
  { store }: Pick<Parts, "store">,
  run: Run,
  { id, story, step, visit }: Attempt,
): Promise<readonly Attempt[]> {
  const loaded = await store.transaction((tx) => tx.load(run.header.id, () => (story === null ? [] : [story])));
  const attempts = attemptsOf(loaded?.run ?? run, story);
  return attempts.filter((other) => other.step === step && other.visit === visit && other.id !== id);
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
