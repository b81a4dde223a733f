// Whether a whole report for exactly one attempt has arrived, for an attempt that another program performs. A file that is still being
// written has not arrived.

import { sessionFolder } from "./ai-folder.ts";
import { type AttemptSession, type Left, leftBy } from "./collected.ts";

/** A writer that pauses for longer than this between two parts of a file is not waited for. */
const quietMs = 300;
/** An executor-result alone: its hand-off usually follows. */
const aloneQuietMs = 1_500;

export function hasArrived(session: AttemptSession, workspace: string, now: number): boolean {
  const left = leftBy(session, sessionFolder(session.run.header, workspace));
  if (!isWhole(left) || left.changedAt === null) return false;
  // Where the clock was put back meanwhile, the file is from the future.
  return Math.abs(now - left.changedAt) >= (left.handoff === null ? aloneQuietMs : quietMs);
}

/** One that says which attempt it is about, or an executor-result with a status. A text alone says neither. */
function isWhole({ report }: Left): boolean {
  if (report === null || report.status === null || report.source === "free_text") return false;
  return (
    report.source === "executor_result" || (report.story !== null && report.step !== null && report.attempt !== null)
  );
}
