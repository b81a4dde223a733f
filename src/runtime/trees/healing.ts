// Healing trees during a run: an agent that broke the git files of its tree costs its own story at most.

import type { Run } from "../../domain/run.ts";
import { type Healing, withHealing } from "../../workspaces/trees/heal.ts";
import type { Parts } from "../parts.ts";

/** Performs `act` in a tree of the run, and mends the tree first where that is needed. */
export async function inHealthyTree<T>(
  { log }: Pick<Parts, "log">,
  run: Run,
  work: Omit<Healing<T>, "told">,
): Promise<T> {
  const told = (broken: readonly string[]) =>
    log("workspace.healed", { run: run.header.id, tree: work.path, broken: broken.join("; ") });
  return await withHealing({ ...work, told });
}
