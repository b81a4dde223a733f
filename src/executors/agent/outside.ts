// Places outside of the workspace. Owns: the directories into which prompts ask agents to write, and which are not in it.

import type { ExecutorCall } from "../executor.ts";

/** Never by the environment: a part of it is written by repositories, and a sandbox opens what is named here. */
export function outsideOf({ outside }: Pick<ExecutorCall, "outside">): readonly string[] {
  return outside ?? [];
}
