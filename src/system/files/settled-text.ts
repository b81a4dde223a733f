// Small files that are read between every two steps and hardly ever change. A text that was read holds while its file has the same
// identity, size and times, so that a look at these takes the place of opening and reading.

import { lstatSync, type Stats } from "node:fs";
import { readIfReadable } from "./text.ts";

interface Known {
  readonly text: string;
  readonly state: string;
}

const known = new Map<string, Known>();
const mostFiles = 1_000;

/** Larger files are read each time. */
const mostBytes = 64 * 1024;

/** A file's text; null when it cannot be read, for whatever reason. */
export function readSettled(file: string): string | null {
  const stats = look(file);
  if (stats === null) return null;
  const state = stateOf(stats);
  const before = known.get(file);
  if (before?.state === state) return before.text;
  // Taken before the file is read: what changes meanwhile makes the next look differ.
  const isSettled = stats.size <= mostBytes && isOlderThanATick(stats);
  const text = readIfReadable(file);
  known.delete(file);
  if (text !== null && isSettled) remember(file, { text, state });
  return text;
}

function look(file: string): Stats | null {
  try {
    return lstatSync(file, { throwIfNoEntry: false }) ?? null;
  } catch {
    return null;
  }
}

/**
 * A file that was written twice within the resolution of its time stamps would look unchanged. They advance every 10 ms or more often,
 * or every second or two where they have whole seconds only.
 */
function isOlderThanATick({ ctimeMs }: Stats): boolean {
  const tickMs = ctimeMs % 1_000 === 0 ? 2_000 : 10;
  return ctimeMs < Date.now() - 2 * tickMs;
}

function stateOf({ dev, ino, mode, size, mtimeMs, ctimeMs }: Stats): string {
  return `${dev} ${ino} ${mode} ${size} ${mtimeMs} ${ctimeMs}`;
}

/** The oldest is forgotten when there are too many. */
function remember(file: string, read: Known): void {
  const [oldest] = known.keys();
  if (known.size >= mostFiles && oldest !== undefined) known.delete(oldest);
  known.set(file, read);
}
