// Qwen Code's stream. Owns: where it differs from Claude Code's, whose schema it prints. Its `input_tokens` has what came from the
// cache in it; it is taken as printed all the same (docs/spec/executors.md).

import { streamJsonReader } from "../claude/reader.ts";
import type { NewReader } from "../stream/reader.ts";

export const qwenReader: NewReader = (now) =>
  streamJsonReader(now, {
    version: "qwen_code_version",
    // At its turn limit it prints no result. 55, its limit of tool calls or of time, stays a missing result.
    exitCodes: { 53: "max_turns" },
  });
