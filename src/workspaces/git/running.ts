// Git processes that outlive their parent. Owns: waiting until the git of a dead process has ended, because it may still write.

import { setTimeout as sleep } from "node:timers/promises";
import type { ProcessIdentity } from "../../system/process/identity.ts";
import { findMarked, killStrays } from "../../system/process/strays.ts";
import { gitMarker } from "./git.ts";

const lookEveryMs = 20;
/** Longer than any honest command in a tree of ours. */
const endsWithinMs = 60_000;

export async function waitForGitOf(parent: ProcessIdentity): Promise<void> {
  while (await hasRunningGit(parent)) await sleep(lookEveryMs);
}

/**
 * As `waitForGitOf`, but kills a git that does not end in time. Waiting comes first, because a git that is killed leaves locks in the
 * user's repository. Without waiting, the git of a dead driver could clean away what the next agent writes.
 */
export async function letGitEnd(parent: ProcessIdentity): Promise<void> {
  const giveUpAt = performance.now() + endsWithinMs;
  while (await hasRunningGit(parent)) {
    if (performance.now() > giveUpAt) return void (await killStrays({ marker: gitMarker(parent) }));
    await sleep(lookEveryMs);
  }
}

/** Whether a git that the process started still works. */
export async function hasRunningGit(parent: ProcessIdentity): Promise<boolean> {
  const { name, value } = gitMarker(parent);
  return (await findMarked(name, value)).length > 0;
}
