// The evidence of a decision: which file says so, its content as a hash, and the place in it; or which story or part said what.

import { type SaidValue, speakerName } from "./said.ts";

export interface Evidence {
  /** As the reader opened it, relative to its folder. */
  readonly file: string;
  /** Of its bytes; null: there is no such file, or it was not read. */
  readonly sha256: string | null;
  /** A JSON Pointer, a line and column, a heading; null: the file as a whole. */
  readonly place: string | null;
}

/** What one story or part said; null: nothing. */
export type SaidEvidence = SaidValue & {
  /** As the step names it: `review.*.verdict`. */
  readonly name: string;
};

/** The value of a decision whose files do not say what they mean. Every reader may answer it, and it never leads on by itself. */
export const unknownValue = "unknown";

/** One line for people. A hash is shortened: the whole one is in the facts of the attempt. */
export function evidenceText(evidence: Evidence | SaidEvidence): string {
  if ("value" in evidence)
    return `${speakerName(evidence)} said ${evidence.value === null ? "nothing" : shown(evidence.value)}`;
  const { file, sha256, place } = evidence;
  const at = place === null ? "" : ` at ${place}`;
  return `${file}${at} (${sha256 === null ? "missing, or not read" : `sha256 ${sha256.slice(0, 12)}`})`;
}

function shown(value: string): string {
  const line = value.trim().replace(/\s+/g, " ");
  return line.length > 100 ? `${line.slice(0, 99)}…` : line;
}
