// What an attempt may write: nothing, or its workspace and the directories that its call names.

import type { Access, ExecutorCall } from "./executor.ts";

/** `read` where the executor or the call says so: neither can give back what the other takes away. */
export function accessOf(options: { readonly access?: Access }, call: Pick<ExecutorCall, "access">): Access {
  return options.access === "read" || call.access === "read" ? "read" : "write";
}

/**
 * The directories beside the workspace in which the prompt asks the agent to write. They come from the call and never from the
 * environment: repositories write a part of that, and a sandbox opens what is named here.
 */
export function writableBeside(access: Access, { outside = [] }: Pick<ExecutorCall, "outside">): readonly string[] {
  return access === "write" ? outside : [];
}
