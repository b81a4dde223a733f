// Recorded transcripts of real agents (test/fixtures/agents), and how each must be read.

import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

const folder = fileURLToPath(new URL("../fixtures/agents/", import.meta.url));

/** The names of all transcripts: `AGENT-CASE.jsonl`. */
export const recordings: readonly string[] = readdirSync(folder).filter((file) => file.endsWith(".jsonl"));

/** A line for each transcript of a command line agent: the file, how it ended, how it must be read. */
export const expectedReadings: readonly string[] = readFileSync(join(folder, "expected.txt"), "utf8")
  .trim()
  .split("\n");

export function recordingPath(file: string): string {
  return join(folder, file);
}
