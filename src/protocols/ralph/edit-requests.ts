// The edit request of Dynamic Ralph: a file in which an agent requests changes to its chain. It is read when the attempt ends,
// and removed or archived after the commit.

import { lstatSync, rmSync } from "node:fs";
import { dirname, join } from "node:path";
import type { Attempt } from "../../domain/attempt.ts";
import type { EditRequest } from "../../domain/edit.ts";
import { errorText } from "../../domain/error.ts";
import type { Header } from "../../domain/run.ts";
import { moveInside, readInside, within } from "../../system/files/inside.ts";
import { readEdits } from "../files/edit-request.ts";
import { editFile, sharedIn } from "./shared.ts";

type RequestingRun = Pick<Header, "place">;

const largest = 1024 * 1024;

/** The edit request of the attempt; undefined: none. Only the file of its own story is read. */
export function readRequest(run: RequestingRun, attempt: Attempt): EditRequest | undefined {
  const file = fileOf(run, attempt);
  if (file === null) return undefined;
  try {
    const text = readInside(sharedOf(run), file, largest);
    return text === null ? undefined : readEdits(text);
  } catch (error) {
    return { unreadable: `the edit request cannot be read: ${errorText(error)}` };
  }
}

/** Removes a file that an earlier attempt left, so that it is not applied. */
export function clearRequest(run: RequestingRun, attempt: Attempt): void {
  const file = fileOf(run, attempt);
  if (file === null) return;
  // An agent may have put a link in the place of the directory: the next one could not ask for anything.
  if (lstatSync(dirname(file), { throwIfNoEntry: false })?.isSymbolicLink()) rmSync(dirname(file));
  if (isThere(run, file)) putAside(run, file, attempt, "stale");
}

/** After the commit: removes an applied request, and keeps any other for people to read. */
export function putAway(run: RequestingRun, attempt: Attempt, applied: boolean): void {
  const file = fileOf(run, attempt);
  if (file === null || !isThere(run, file)) return;
  if (applied) remove(run, file);
  else putAside(run, file, attempt, String(attempt.number));
}

function putAside(run: RequestingRun, file: string, attempt: Attempt, why: string): void {
  const { failedEdits } = sharedIn(sharedOf(run));
  const kept = join(failedEdits, `${attempt.story}-${attempt.step}-${why}.json`);
  try {
    if (isThere(run, kept)) remove(run, kept);
    moveInside(sharedOf(run), file, kept);
  } catch {
    // An agent put something else there. It only must not be read again.
    remove(run, file);
  }
}

function remove(run: RequestingRun, file: string): void {
  within(sharedOf(run), file, (path) => rmSync(path, { recursive: true, force: true }));
}

/** Whatever it is. A place that is reached through a link has nothing that an agent may have written there. */
function isThere(run: RequestingRun, file: string): boolean {
  try {
    return within(sharedOf(run), file, (path) => lstatSync(path, { throwIfNoEntry: false }) !== undefined);
  } catch {
    return false;
  }
}

function sharedOf({ place }: RequestingRun): string {
  return place.shared ?? "";
}

function fileOf({ place }: RequestingRun, { story }: Attempt): string | null {
  return place.shared === undefined || story === null ? null : editFile(sharedIn(place.shared), story);
}
