// Places outside of the workspace. Owns: the directories into which prompts ask agents to write, and which are not in it.

import { dirname } from "node:path";
import type { ExecutorCall } from "./executor.ts";

export function outsideOf({ env }: Pick<ExecutorCall, "env">): readonly string[] {
  const [progress, shared] = [env["PAWL_PROGRESS_FILE"], env["RALPH_SHARED_DIR"]];
  return [...(progress ? [dirname(progress)] : []), ...(shared ? [shared] : [])];
}
