// Edits in tool calls. Owns: the lines that a call adds and removes, from the text that it replaces or from a patch.

import type { EditLine, FileEdit } from "./entry.ts";

/** More lines than a person reads of one call; the rest is counted. */
const mostLines = 60;
/** Unchanged lines around a change. */
const around = 2;
const longestLine = 2_000;

/** `before` is "" for a new file. */
export function replaced(path: string, before: string, after: string): FileEdit {
  const [old, now] = [linesOf(before), linesOf(after)];
  let start = 0;
  while (start < old.length && start < now.length && old[start] === now[start]) start += 1;
  let end = 0;
  while (end < old.length - start && end < now.length - start && old.at(-1 - end) === now.at(-1 - end)) end += 1;
  const removed = old.slice(start, old.length - end);
  const added = now.slice(start, now.length - end);
  const lines = [
    ...signed(" ", old.slice(Math.max(0, start - around), start)),
    ...signed("-", removed),
    ...signed("+", added),
    ...signed(" ", old.slice(old.length - end, old.length - end + around)),
  ];
  return { path, lines: lines.slice(0, mostLines), added: added.length, removed: removed.length };
}

/** Several edits of one file. */
export function joined(path: string, edits: readonly FileEdit[]): FileEdit {
  return {
    path,
    lines: edits.flatMap(({ lines }) => lines).slice(0, mostLines),
    added: edits.reduce((sum, { added }) => sum + added, 0),
    removed: edits.reduce((sum, { removed }) => sum + removed, 0),
  };
}

/** The edits of a patch: `*** Update File: PATH` as some agents write it, or a unified diff. */
export function patched(patch: string): readonly FileEdit[] {
  const edits: { path: string; lines: EditLine[]; added: number; removed: number }[] = [];
  for (const line of patch.split("\n")) {
    const path = /^(?:\*\*\* (?:Add|Update|Delete) File: |\+\+\+ (?:b\/)?)(.+)$/.exec(line)?.[1];
    const edit = edits.at(-1);
    if (path !== undefined) edits.push({ path: path.trim(), lines: [], added: 0, removed: 0 });
    else if (edit !== undefined && /^[-+ ](?!--|\+\+)/.test(line)) {
      const sign = line[0] === "+" ? "+" : line[0] === "-" ? "-" : " ";
      if (sign === "+") edit.added += 1;
      if (sign === "-") edit.removed += 1;
      if (edit.lines.length < mostLines) edit.lines.push({ sign, text: line.slice(1, longestLine) });
    }
  }
  return edits;
}

function linesOf(text: string): readonly string[] {
  return text === "" ? [] : text.replace(/\n$/, "").split("\n");
}

function signed(sign: EditLine["sign"], lines: readonly string[]): readonly EditLine[] {
  return lines.slice(0, mostLines).map((text) => ({ sign, text: text.slice(0, longestLine) }));
}
