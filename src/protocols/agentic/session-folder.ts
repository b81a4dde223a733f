// Prepares the folder of a session: a story tree gets its own `.ai/`, and an executor-result of an earlier session goes.

import { lstatSync, rmSync, utimesSync } from "node:fs";
import type { Attempt } from "../../domain/attempt.ts";
import { readInside, within, writeInside } from "../../system/files/inside.ts";
import { type AttemptFacts, fileTimeOf } from "../protocol.ts";
import {
  type AiFolder,
  aiFolder,
  largestFile,
  ownHandoff,
  roleHandoff,
  sessionFolder,
  storyHandoff,
  storyState,
  worksInPlace,
} from "./ai-folder.ts";

export function prepareFolder(work: AttemptFacts, workspace: string): void {
  const { run, attempt } = work;
  const { header } = run;
  const beganAt = fileTimeOf(work);
  const folder = sessionFolder(header, workspace);
  // An executor may have put a link in the place of the folder of its tree: the next session could not report there.
  if (!worksInPlace(header) && lstatSync(folder.dir, { throwIfNoEntry: false })?.isSymbolicLink()) rmSync(folder.dir);
  removeStale(folder, beganAt);
  const { shared } = header.place;
  if (shared === undefined || worksInPlace(header) || attempt.story === null) return;
  const project = aiFolder(shared);
  // A folder, a link or gigabytes in the place of an old hand-off are nothing to read, and no reason to fail every session.
  const read = (file: string) => {
    try {
      return readInside(project.root, file, largestFile);
    } catch {
      return null;
    }
  };
  // Never a report of a session, so what is there, such as one that git has checked out, is always replaced.
  place(folder, folder.state, ofRole(read(storyState(project, attempt.story)), attempt), beganAt);
  // The newest hand-off of the story, or of the session before, which this one reads.
  put(folder, folder.handoff, read(storyHandoff(project, attempt.story)) ?? read(project.handoff), beganAt);
  // A role whose session broke off finds what it had written.
  const { part } = attempt;
  if (part !== undefined)
    put(folder, ownHandoff(folder, part), read(roleHandoff(project, attempt.story, part)), beganAt);
}

/** The roles of a team count their own sessions, and a program that knows only the files finds its role nowhere else. */
function ofRole(text: string | null, { part, number }: Attempt): string | null {
  if (part === undefined || text === null) return text;
  return `${JSON.stringify({ ...(JSON.parse(text) as object), attempt: number, role: part }, null, 2)}\n`;
}

/** What the executor has written since stays. */
function put(folder: AiFolder, file: string, text: string | null, beganAt: number): void {
  if (!isNewer(file, beganAt)) place(folder, file, text, beganAt);
}

/** Dated before the attempt, so that it is not taken for a report of it. */
function place(folder: AiFolder, file: string, text: string | null, beganAt: number): void {
  if (text === null) {
    remove(folder, file);
    return;
  }
  writeInside(folder.root, file, text);
  const before = new Date(beganAt - 60_000);
  within(folder.root, file, (path) => utimesSync(path, before, before));
}

/** A report that is there when an attempt is prepared again after a crash is its own. */
function removeStale(folder: AiFolder, beganAt: number): void {
  if (!isNewer(folder.result, beganAt)) remove(folder, folder.result);
}

function isNewer(file: string, beganAt: number): boolean {
  const found = lstatSync(file, { throwIfNoEntry: false });
  return found !== undefined && found.mtimeMs >= beganAt;
}

function remove(folder: AiFolder, file: string): void {
  if (lstatSync(file, { throwIfNoEntry: false }) === undefined) return;
  within(folder.root, file, (path) => rmSync(path, { recursive: true, force: true }));
}
