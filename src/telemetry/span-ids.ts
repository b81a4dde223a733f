// Ids of traces and spans. They are made from the ids of runs, stories and attempts, so every process that works on a run adds to the
// same trace, also after a crash, and no process has to tell another one.

import type { AttemptId, RunId, StoryId } from "../domain/ids.ts";
import { sha256Of } from "../system/sha256.ts";

export function traceIdOf(run: RunId): string {
  return sha256Of(`pawl trace\n${run}`).slice(0, 32);
}

/** `opening`: 1 for its first one; a run that is reopened gets a new span. */
export function runSpanId(run: RunId, opening: number): string {
  return spanId(run, "run", String(opening));
}

export function storySpanId(run: RunId, story: StoryId, opening: number): string {
  return spanId(run, "story", story, String(opening));
}

export function attemptSpanId(run: RunId, attempt: AttemptId): string {
  return spanId(run, "attempt", attempt);
}

/** The header `traceparent` of W3C's Trace Context, for spans below the one of an attempt. */
export function traceparentOf(run: RunId, attempt: AttemptId): string {
  return `00-${traceIdOf(run)}-${attemptSpanId(run, attempt)}-01`;
}

function spanId(...words: readonly string[]): string {
  return sha256Of(["pawl span", ...words].join("\n")).slice(0, 16);
}
