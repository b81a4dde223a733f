// Reads what `git diff` prints. Owns: cutting it into sections, one for each file, and a section into lines. Sections are found by
// their first line alone; the lines of one are read when somebody opens it, so that 50 MB of text cost little.

import { readBothPaths, readPath } from "./quoted-path.ts";

export interface DiffSection {
  /** The path now; null: the file was removed. */
  readonly to: string | null;
  /** The path before; null: the file is new. */
  readonly from: string | null;
  readonly isBinary: boolean;
  /** `100755`; null: git did not name it. */
  readonly oldMode: string | null;
  readonly newMode: string | null;
  /** From its first hunk on. Empty: it has none. */
  readonly body: string;
}

export interface DiffLine {
  readonly kind: "hunk" | "same" | "added" | "removed" | "note";
  readonly oldLine: number | null;
  readonly newLine: number | null;
  /** Without its sign. A hunk has its place, and what git says about it. */
  readonly text: string;
}

const beginning = /^diff --(?:git|cc|combined) /;

export function sectionsOf(text: string): readonly DiffSection[] {
  const starts: number[] = beginning.test(text.slice(0, 20)) ? [0] : [];
  for (let at = text.indexOf("\ndiff --"); at >= 0; at = text.indexOf("\ndiff --", at + 1))
    if (beginning.test(text.slice(at + 1, at + 21))) starts.push(at + 1);
  return starts.map((start, i) => sectionIn(text.slice(start, starts[i + 1] ?? text.length)));
}

function sectionIn(text: string): DiffSection {
  const hunk = text.startsWith("@@") ? 0 : text.indexOf("\n@@");
  const header = (hunk < 0 ? text : text.slice(0, hunk)).split("\n");
  const known = headerOf(header);
  return { ...known, body: hunk < 0 ? "" : text.slice(hunk + 1) };
}

type Header = Omit<DiffSection, "body">;

function headerOf([first = "", ...lines]: readonly string[]): Header {
  const named = first.startsWith("diff --git ") ? readBothPaths(first.slice("diff --git ".length)) : null;
  const single = named === null ? readPath(first.replace(beginning, "")) : "";
  let [from, to]: [string | null, string | null] = [named?.from ?? single, named?.to ?? single];
  let [oldMode, newMode]: [string | null, string | null] = [null, null];
  let isBinary = false;
  for (const line of lines) {
    if (line.startsWith("--- ")) from = sideOf(line.slice(4));
    else if (line.startsWith("+++ ")) to = sideOf(line.slice(4));
    else if (/^(?:rename|copy) from /.test(line)) from = readPath(line.replace(/^\w+ from /, ""));
    else if (/^(?:rename|copy) to /.test(line)) to = readPath(line.replace(/^\w+ to /, ""));
    else if (line.startsWith("new file mode ")) [from, newMode] = [null, line.slice(14)];
    else if (line.startsWith("deleted file mode ")) [to, oldMode] = [null, line.slice(18)];
    else if (line.startsWith("old mode ")) oldMode = line.slice(9);
    else if (line.startsWith("new mode ")) newMode = line.slice(9);
    else if (line.startsWith("Binary files ") || line === "GIT binary patch") isBinary = true;
  }
  return { from, to, isBinary, oldMode, newMode };
}

function sideOf(text: string): string | null {
  const path = readPath(text);
  return path === "/dev/null" ? null : path.slice(2);
}

/** A hunk of a merge has a sign for each of its parents; numbers of lines before are those of the first one. */
export function linesIn(body: string): readonly DiffLine[] {
  const lines: DiffLine[] = [];
  let [oldLine, newLine, signs] = [0, 0, 1];
  for (let at = 0; at < body.length; ) {
    const end = body.indexOf("\n", at);
    const text = body.slice(at, end < 0 ? body.length : end);
    at = end < 0 ? body.length : end + 1;
    const hunk = /^(@@+) -(\d+)[^+]*\+(\d+)/.exec(text);
    if (hunk !== null) {
      [oldLine, newLine, signs] = [Number(hunk[2]), Number(hunk[3]), (hunk[1] ?? "@@").length - 1];
      lines.push({ kind: "hunk", oldLine: null, newLine: null, text });
      continue;
    }
    if (text.startsWith("\\")) {
      lines.push({ kind: "note", oldLine: null, newLine: null, text: text.slice(1).trim() });
      continue;
    }
    const sign = text.slice(0, signs);
    const kind = sign.includes("+") ? "added" : sign.includes("-") ? "removed" : "same";
    lines.push({
      kind,
      oldLine: kind === "added" ? null : oldLine,
      newLine: kind === "removed" ? null : newLine,
      text: text.slice(signs),
    });
    if (kind !== "added") oldLine += 1;
    if (kind !== "removed") newLine += 1;
  }
  return lines;
}
