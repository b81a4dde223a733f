// Appends to, reads and archives scratch files, in which agents leave notes for later agents.

import { closeSync, fstatSync, linkSync, lstatSync, readSync, unlinkSync } from "node:fs";
import { basename, dirname, join } from "node:path";
import { AppError, systemCode } from "../../domain/error.ts";
import type { StoryId } from "../../domain/ids.ts";
import { cleanText } from "../../prompts/plaintext.ts";
import type { Clock } from "../../system/clock.ts";
import { withFileLock } from "../../system/files/file-lock.ts";
import { appendInside, readInside, within } from "../../system/files/inside.ts";
import { openRegular } from "../../system/files/regular-file.ts";
import { type Shared, storyScratch } from "./shared.ts";

interface AppendOptions {
  /** An entry with this mark is added only once. */
  readonly mark?: string;
  readonly clock?: Clock;
}

/** Appends an entry after an empty line. Entries of concurrent processes all survive. */
export async function appendScratch(file: string, entry: string, options: AppendOptions = {}): Promise<void> {
  const text = cleanText(entry).text.trim();
  if (text === "") return;
  const mark = options.mark === undefined ? null : markLine(options.mark);
  const add = () => {
    const present = readInside(dirname(file), file) ?? "";
    if (mark !== null && present.split(/\r?\n/).includes(mark)) return;
    const gap = present.trim() === "" ? "" : present.endsWith("\n") ? "\n" : "\n\n";
    // The mark comes last, so that an entry that was cut off has none and is added again.
    appendInside(dirname(file), file, `${gap}${text}\n${mark === null ? "" : `${mark}\n`}`);
  };
  await withFileLock(`${file}.lock`, add, { clock: options.clock });
}

/** The newest `maxBytes` of the file for a prompt, with a note if the beginning is missing. Empty if there is no file. */
export function readScratch(file: string, maxBytes: number): string {
  try {
    const { text, left } = tailOf(file, maxBytes);
    const kept = cleanText(text)
      .text.split("\n")
      .filter((line) => !/^<!-- pawl:.* -->$/.test(line))
      .join("\n")
      .trim();
    return left === 0 ? kept : `(the first ${left} bytes of ${basename(file)} are left out)\n\n${kept}`;
  } catch (error) {
    // A broken notes file must not stop the next agent.
    if (systemCode(error) === "ENOENT") return "";
    if (error instanceof AppError) return `(${error.message})`;
    return `(${basename(file)} cannot be read: ${systemCode(error) ?? "unreadable"})`;
  }
}

/** Moves the file of a finished story to the archive; null if it had none. Running it twice is harmless. */
export function archiveScratch(shared: Shared, story: StoryId): string | null {
  const file = storyScratch(shared, story);
  const found = lstatSync(file, { throwIfNoEntry: false });
  if (!found?.isFile()) return null;
  for (let number = 1; ; number++) {
    const kept = join(shared.scratchArchive, number === 1 ? basename(file) : basename(file, ".md") + `.${number}.md`);
    // Unlike a rename, a link never replaces an existing file.
    const isKept = within(
      shared.dir,
      kept,
      (path) => link(file, path) || lstatSync(path, { throwIfNoEntry: false })?.ino === found.ino,
      { make: true },
    );
    if (!isKept) continue;
    unlinkSync(file);
    return kept;
  }
}

function link(from: string, to: string): boolean {
  try {
    linkSync(from, to);
    return true;
  } catch (error) {
    if (systemCode(error) === "EEXIST") return false;
    throw error;
  }
}

function markLine(mark: string): string {
  return `<!-- pawl:${mark.replace(/[^\w.:/~-]/g, "_")} -->`;
}

/** Starts at a line, so that no line is cut. */
function tailOf(file: string, maxBytes: number): { readonly text: string; readonly left: number } {
  const handle = openRegular(file, { name: basename(file) });
  try {
    const { size } = fstatSync(handle);
    const from = Math.max(0, size - maxBytes);
    const bytes = Buffer.alloc(size - from);
    const tail = bytes.subarray(0, readSync(handle, bytes, 0, bytes.length, from));
    const cut = from === 0 ? 0 : tail.indexOf("\n") + 1;
    return { text: tail.subarray(cut).toString("utf8"), left: from + cut };
  } finally {
    closeSync(handle);
  }
}
