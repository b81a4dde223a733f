// Reads a report of a session, whichever of the two files it is.

import { basename } from "node:path";
import { readExecutorResult } from "./executor-result.ts";
import { readHandoff } from "./handoff.ts";
import type { SessionReport } from "./session-report.ts";

/** `file`: its name says which of the two it is; another name is decided by the text. */
export function readSessionFile(text: string, file: string, steps: readonly string[] = []): SessionReport {
  return isExecutorResult(text, file) ? readExecutorResult(text, steps) : readHandoff(text, steps);
}

function isExecutorResult(text: string, file: string): boolean {
  const name = basename(file);
  if (/^executor-result/i.test(name)) return true;
  if (/\.(?:md|markdown)$/i.test(name)) return false;
  return !/^\uFEFF?\s*---/.test(text) && /^\s*"?status"?\s*:/im.test(text);
}
