// Opens a file that decides something: below its folder without following a link, a regular file, of a bounded size. What cannot be
// opened is an answer, too, never an error.

import { errorText } from "../../domain/error.ts";
import type { Evidence } from "../../domain/evidence.ts";
import { readBytesInside } from "../../system/files/inside.ts";
import { sha256Of } from "../../system/sha256.ts";

/** No result file that somebody wrote on purpose is larger. */
const largestEvidence = 8 * 1024 * 1024;

export type EvidenceRead =
  | { readonly kind: "text"; readonly text: string; readonly evidence: Evidence }
  | { readonly kind: "missing" | "unreadable"; readonly why: string; readonly evidence: Evidence };

/** `file` is relative to `root`. Its evidence has no place yet: `{ ...evidence, place }` adds one. */
export function readEvidence(root: string, file: string): EvidenceRead {
  const evidence = { file, sha256: null, place: null };
  try {
    const bytes = readBytesInside(root, file, largestEvidence);
    if (bytes === null) return { kind: "missing", why: `${file} is missing`, evidence };
    const sha256 = sha256Of(bytes);
    return { kind: "text", text: bytes.toString("utf8"), evidence: { ...evidence, sha256 } };
  } catch (error) {
    return { kind: "unreadable", why: errorText(error), evidence };
  }
}
