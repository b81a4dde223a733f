// Trees that a process may have lost. One that was frozen or cut off since it claimed an attempt may have lost that to another process, which
// works in the tree: what it finds there is not its own, and what it would put back is the work of others.

import { type Attempt, hasEnded } from "../../domain/attempt.ts";
import { AppError } from "../../domain/error.ts";
import type { Parts } from "../parts.ts";

type StorePorts = Pick<Parts, "store">;

export async function hasLostTree({ store }: StorePorts, { id }: Pick<Attempt, "id">): Promise<boolean> {
  const now = await store.attempt(id);
  return now === null || hasEnded(now.attempt);
}

export async function assertNotEnded(parts: StorePorts, attempt: Pick<Attempt, "id">): Promise<void> {
  if (!(await hasLostTree(parts, attempt))) return;
  throw new AppError("WORKSPACE_BUSY", `attempt ${attempt.id} has ended, and its tree may be used by others`, {
    hint: "nothing has to be done: its step was given to another process",
  });
}
