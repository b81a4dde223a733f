// Scratch files. Owns: what agents write down for those after them: adding an entry, reading for a prompt, archiving.

import {
  appendFileSync,
  closeSync,
  fstatSync,
  linkSync,
  mkdirSync,
  openSync,
  readSync,
  statSync,
  unlinkSync,
} from "node:fs";
import { basename, join } from "node:path";
import { systemCode } from "../../domain/error.ts";
import type { StoryId } from "../../domain/ids.ts";
import { cleanText } from "../../prompts/plaintext.ts";
import type { Clock } from "../../system/clock.ts";
import { withFileLock } from "../../system/files/file-lock.ts";
import { readOptional } from "../../system/files/text.ts";
import { type Shared, storyScratch } from "./shared.ts";

interface AppendOptions {
  /** An entry with this mark is added once, however often somebody tries. */
  readonly mark?: string;
  readonly clock?: Clock;
}

/** Adds a whole entry, with an empty line before it. Entries of processes that write at once all survive. */
export async function appendScratch(file: string, entry: string, options: AppendOptions = {}): Promise<void> {
  const text = cleanText(entry).text.trim();
  if (text === "") return;
  const mark = options.mark === undefined ? null : markLine(options.mark);
  const add = () => {
    const present = readOptional(file) ?? "";
    if (mark !== null && present.split(/\r?\n/).includes(mark)) return;
    const gap = present.trim() === "" ? "" : present.endsWith("\n") ? "\n" : "\n\n";
    // The mark comes last: an entry that was cut off in the middle has none, and is added again.
    appendFileSync(file, `${gap}${text}\n${mark === null ? "" : `${mark}\n`}`);
  };
  await withFileLock(`${file}.lock`, add, options.clock);
}

/** For a prompt: at most so many bytes, the newest ones, with a note where the beginning is missing. Empty when there is none. */
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
    const code = systemCode(error) ?? "unreadable";
    // What agents did to their own notes must not stop the next of them.
    return code === "ENOENT" ? "" : `(${basename(file)} cannot be read: ${code})`;
  }
}

/** A finished story's file leaves the folder and is kept; null when it had none. Doing it twice is harmless. */
export function archiveScratch(shared: Shared, story: StoryId): string | null {
  const file = storyScratch(shared, story);
  const inode = statSync(file, { throwIfNoEntry: false })?.ino;
  if (inode === undefined) return null;
  mkdirSync(shared.scratchArchive, { recursive: true });
  for (let number = 1; ; number++) {
    const kept = join(shared.scratchArchive, number === 1 ? basename(file) : basename(file, ".md") + `.${number}.md`);
    // A link does not replace what is there, as a rename would.
    if (!link(file, kept) && statSync(kept, { throwIfNoEntry: false })?.ino !== inode) continue;
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

/** From the beginning of a line: half a line is half a finding. */
function tailOf(file: string, maxBytes: number): { readonly text: string; readonly left: number } {
  const handle = openSync(file, "r");
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
