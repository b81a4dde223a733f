// antfarm: its workflows tell agents to keep their progress log in the working directory.

import type { Protocol } from "../protocol.ts";

export const antfarm: Protocol = {
  name: "antfarm",

  /** The log must not end up in a commit. In a tree that is the user's own, nothing is excluded. */
  excludes: ({ place }) => (place.kind === "worktree" ? ["/progress.txt", "/progress-*.txt"] : []),
};
