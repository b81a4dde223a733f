// The snapshot that the parts of a step share: each of them reads the same tree. The first part that begins takes it.

import { type Attempt, baseOf, hasEnded } from "../../../domain/attempt.ts";
import type { StoryId } from "../../../domain/ids.ts";
import { attemptsOf, type Run } from "../../../domain/run.ts";
import { restoreSnapshot } from "../../../workspaces/trees/restore.ts";
import { takeSnapshot } from "../../../workspaces/trees/snapshot.ts";
import type { Parts } from "../../parts.ts";
import type { RegisterStop } from "../../stop-switch.ts";
import { hasOwnTree } from "../../trees/part-trees.ts";
import { salvage } from "../../trees/salvage.ts";
import { withTreeLock } from "../../trees/trees.ts";

type SharePorts = Pick<Parts, "store" | "home" | "machines" | "protocols" | "secrets" | "log" | "clock">;

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

/** The tree of the step, and how its state is taken before the first part begins. */
export interface StepTree {
  readonly path: string;
  readonly take: () => Promise<string>;
}

const lookEveryMs = 200;

/**
 * `take`: what the first part does, which finds the tree as the step before left it. One part at a time. While another part reads a tree
 * that was changed, nothing in it is moved, and to read it would fail again: a part that is repeated waits until the others have ended.
 */
export async function sharedBase(
  parts: SharePorts,
  run: Run,
  attempt: Attempt,
  tree: StepTree,
  registerStop: RegisterStop,
): Promise<string> {
  const stopped = new AbortController();
  registerStop((reason) => stopped.abort(new Error(reason)));
  for (;;) {
    const base = await baseNow(parts, run, attempt, tree);
    if (base !== null) return base;
    await parts.clock.sleep(lookEveryMs, stopped.signal);
    stopped.signal.throwIfAborted();
  }
}

/** null: the tree is changed, and others read it. */
async function baseNow(
  parts: SharePorts,
  run: Run,
  attempt: Attempt,
  { path, take }: StepTree,
): Promise<string | null> {
  let base: string | null = null;
  await withTreeLock(`${path}.parts`, async () => {
    const others = await partsBeside(parts, run, attempt);
    const known = others.map(baseOf).find((each) => each !== null);
    base = known ?? (await take());
    if (known === undefined || !others.some(hasFailed) || (await takeSnapshot(path)) === known) return;
    if (others.some((other) => !hasEnded(other) && baseOf(other) !== null)) {
      // An agent that pulls may be the one that performs the others as well: it would wait for itself.
      if (attempt.driver !== "pull") base = null;
      return;
    }
    const last = others.findLast((other) => baseOf(other) !== null) ?? attempt;
    await salvage(parts, run, path, { attempt: last, base: known });
    await restoreSnapshot(path, known);
  });
  return base;
}

function hasFailed(attempt: Attempt): boolean {
  return hasEnded(attempt) && attempt.state.outcome !== "completed";
}
