// A diff that was saved as a file, within the limits of every other diff. Git reads the file alone: no repository, no tree. It may have
// gigabytes: its text is read piece by piece, and only as far as it is shown.

import { closeSync, read } from "node:fs";
import { tmpdir } from "node:os";
import { promisify } from "node:util";
import { openRegular } from "../../system/files/regular-file.ts";
import { git, splitNul } from "../git/git.ts";
import {
  countsIn,
  type Diff,
  type DiffLimits,
  type FileStatus,
  limitedDiff,
  markCut,
  maxListBytes,
  maxReadBytes,
  sectionsIn,
  timeoutMs,
  usualDiffLimits,
} from "./diff.ts";
import { DiffTextCutter } from "./diff-text.ts";

export async function savedDiff(file: string, limits: DiffLimits = usualDiffLimits): Promise<Diff> {
  // Outside of every repository: git applies a patch below its current folder alone.
  const listed = await git(tmpdir(), ["apply", "--numstat", "-z", "--", file], {
    timeoutMs,
    maxOutputBytes: maxListBytes,
  });
  const { text, isTextCut, cutFiles } = await textIn(file, limits);
  const statuses = statusesIn(text);
  const files = countsIn(splitNul(listed.stdout)).map((counts) => ({
    ...counts,
    status: statuses.get(counts.path) ?? "changed",
    // Git lists a file that became a link twice.
    sections: 1,
  }));
  const marked = markCut(files, cutFiles, isTextCut ? sectionsIn(text) - 1 : files.length);
  return limitedDiff(marked, text, { maxFiles: limits.maxFiles, isTextCut });
}

interface SavedText {
  readonly text: string;
  readonly isTextCut: boolean;
  /** Of each file in the order of the text: whether something of it was left out. */
  readonly cutFiles: readonly boolean[];
}

async function textIn(
  file: string,
  { maxTextBytes, maxFileBytes = maxTextBytes }: Pick<DiffLimits, "maxTextBytes" | "maxFileBytes">,
): Promise<SavedText> {
  const cutter = new DiffTextCutter({ maxFileBytes, maxReadBytes });
  const kept: Buffer[] = [];
  let bytes = 0;
  const textOf = (isTextCut: boolean): SavedText => ({
    text: Buffer.concat(kept).toString("utf8", 0, Math.min(bytes, maxTextBytes)),
    isTextCut,
    cutFiles: cutter.cutFiles,
  });
  for await (const piece of piecesOf(file)) {
    const more = cutter.take(piece);
    if (more === null) return textOf(true);
    kept.push(more);
    bytes += more.length;
    if (bytes > maxTextBytes) return textOf(true);
  }
  const rest = cutter.end();
  kept.push(rest);
  bytes += rest.length;
  return textOf(bytes > maxTextBytes);
}

const pieceBytes = 1024 * 1024;
const readPiece = promisify(read);

async function* piecesOf(file: string): AsyncGenerator<Buffer, void, undefined> {
  const handle = openRegular(file);
  try {
    for (;;) {
      const { bytesRead, buffer } = await readPiece(handle, Buffer.allocUnsafe(pieceBytes), 0, pieceBytes, null);
      if (bytesRead === 0) return;
      yield buffer.subarray(0, bytesRead);
    }
  } finally {
    closeSync(handle);
  }
}

/** Of files that are new or gone; a saved diff has no renames. A name that git quotes is not found, and counts as changed. */
function statusesIn(text: string): ReadonlyMap<string, FileStatus> {
  const found = text.matchAll(/^diff --git a\/(.+) b\/\1\n(new|deleted) file mode/gm);
  return new Map([...found].map(([, path = "", what]) => [path, what === "new" ? "added" : "removed"]));
}
