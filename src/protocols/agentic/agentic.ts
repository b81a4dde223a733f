// The agentic coding protocol: an orchestrator and executors that talk by the files of a project's `.ai/` folder.

import type { Protocol } from "../protocol.ts";

/** Values of prompts that only this protocol has. */
const templateKeys = ["attempt_line", "files_to_read", "human_instruction"] as const;

export const agentic: Protocol = {
  name: "agentic",
  templateKeys,
  needsStories: true,
  hasFolder: true,
};
