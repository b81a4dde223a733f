// Qwen Code's stream. Owns: its dialect of stream-json. Its `input_tokens` include what came from the cache; the reader takes the
// number as printed all the same (docs/spec/executors.md).

import type { NewReader } from "../stream/reader.ts";
import { streamJsonReader } from "../stream/stream-json.ts";

export const qwenReader: NewReader = (now) =>
  streamJsonReader(now, {
    version: "qwen_code_version",
    // At its turn limit it prints no result. Exit code 55, its limit of tool calls or of time, counts as a missing result.
    exitCodes: { 53: "max_turns" },
  });
