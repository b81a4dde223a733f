// Edit requests of Dynamic Ralph: the file in which an agent asks for changes to its chain. It is read when the attempt has ended,
// and put away once the store knows.

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

/** What the attempt asks for; undefined: nothing. Only the file of its own story is looked at. */
export function readRequest(run: RequestingRun, attempt: Attempt): EditRequest | undefined {
  const file = fileOf(run, attempt);
  const stats = file === null ? null : whatIs(file);
  if (file === null || stats === null) return undefined;
  if (!stats.isFile()) return { unreadable: "the edit request is not a file" };
  if (stats.size > largest) return { unreadable: "the edit request has more than 1 MiB" };
  try {
    return readEdits(readFileSync(file, "utf8"));
  } catch (error) {
    return { unreadable: `the edit request cannot be read: ${errorText(error)}` };
  }
}

/** A file that is there before an attempt begins is from an earlier attempt, and is not applied. */
export function clearRequest(run: RequestingRun, attempt: Attempt): void {
  const file = fileOf(run, attempt);
  if (file !== null && whatIs(file) !== null) putAside(run, file, attempt, "stale");
}

/** Once the store knows: a request that was applied is removed, any other is kept for people to see. */
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
    // An agent has put something else there. It must not be read again, and is not worth more than that.
    rmSync(file, { recursive: true, force: true });
  }
}

/** What lies there, links not followed; null: nothing, or nothing that could be a request. */
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
