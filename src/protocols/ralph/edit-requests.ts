// The edit request of Dynamic Ralph: a file in which an agent requests changes to its chain. It is read when the attempt ends,
// and removed or archived after the commit.

import { lstatSync, mkdirSync, readFileSync, renameSync, rmSync, type Stats } from "node:fs";
import { join } from "node:path";
import type { Attempt } from "../../domain/attempt.ts";
import type { EditRequest } from "../../domain/edit.ts";
import { errorText } from "../../domain/error.ts";
import type { Header } from "../../domain/run.ts";
import { readEdits } from "../files/edit-request.ts";
import { editFile, sharedIn } from "./shared.ts";

type RequestingRun = Pick<Header, "place">;

const largest = 1024 * 1024;

/** The edit request of the attempt; undefined: none. Only the file of its own story is read. */
export function readRequest(run: RequestingRun, attempt: Attempt): EditRequest | undefined {
  const file = fileOf(run, attempt);
  const stats = file === null ? null : whatIs(file);
  if (file === null || stats === null) return undefined;
  if (!stats.isFile()) return { unreadable: "the edit request is not a file" };
  if (stats.size > largest) return { unreadable: "the edit request is larger than 1 MiB" };
  try {
    return readEdits(readFileSync(file, "utf8"));
  } catch (error) {
    return { unreadable: `the edit request cannot be read: ${errorText(error)}` };
  }
}

/** Removes a file that an earlier attempt left, so that it is not applied. */
export function clearRequest(run: RequestingRun, attempt: Attempt): void {
  const file = fileOf(run, attempt);
  if (file !== null && whatIs(file) !== null) putAside(run, file, attempt, "stale");
}

/** After the commit: removes an applied request, and keeps any other for people to read. */
export function putAway(run: RequestingRun, attempt: Attempt, applied: boolean): void {
  const file = fileOf(run, attempt);
  if (file === null || whatIs(file) === null) return;
  if (applied) rmSync(file, { recursive: true, force: true });
  else putAside(run, file, attempt, String(attempt.number));
}

function putAside(run: RequestingRun, file: string, attempt: Attempt, why: string): void {
  const { failedEdits } = sharedIn(run.place.shared ?? "");
  const kept = join(failedEdits, `${attempt.story}-${attempt.step}-${why}.json`);
  try {
    mkdirSync(failedEdits, { recursive: true });
    rmSync(kept, { recursive: true, force: true });
    renameSync(file, kept);
  } catch {
    // An agent put something else there. It only must not be read again.
    rmSync(file, { recursive: true, force: true });
  }
}

/** The stats of the file without following links; null if there is none. */
function whatIs(file: string): Stats | null {
  try {
    return lstatSync(file);
  } catch {
    return null;
  }
}

function fileOf({ place }: RequestingRun, { story }: Attempt): string | null {
  return place.shared === undefined || story === null ? null : editFile(sharedIn(place.shared), story);
}
