// Claude Code's stream. Owns: its dialect of stream-json.

import type { NewReader } from "../stream/reader.ts";
import { streamJsonReader } from "../stream/stream-json.ts";

export const claudeReader: NewReader = (now) =>
  streamJsonReader(now, { version: "claude_code_version", exitCodes: {} });
