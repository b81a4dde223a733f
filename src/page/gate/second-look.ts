// A second look at work that moved. Owns: which files differ from the diff that was shown before, so that only those need to be read.

import { useMemo, useRef } from "preact/hooks";
import type { GateDiff } from "../../contracts/diff-document.ts";
import type { FileChange } from "../diff/file-change.ts";

interface Shown {
  readonly from: string | null;
  readonly tree: string | null;
  readonly files: readonly FileChange[];
  readonly changed: ReadonlySet<string> | null;
}

/** Null: this is the first look. Otherwise the paths of what changed since the page was opened. */
export function useChangedFiles(diff: GateDiff | null, files: readonly FileChange[]): ReadonlySet<string> | null {
  const shown = useRef<Shown | null>(null);
  return useMemo(() => {
    if (diff === null) return null;
    const before = shown.current;
    const { from, tree } = diff;
    const changed = changedSince(before, { from, tree, files });
    shown.current = { from, tree, files, changed };
    return changed;
  }, [diff, files]);
}

/** Compared with something else than before, nothing is known to be the same. */
export function changedSince(before: Shown | null, now: Omit<Shown, "changed">): ReadonlySet<string> | null {
  if (before === null || before.from !== now.from) return null;
  if (before.tree === now.tree) return before.changed;
  const marks = new Map(before.files.map((file) => [file.path, file.mark]));
  const differs = now.files.filter((file) => !isWhole(file) || marks.get(file.path) !== file.mark);
  return new Set([...(before.changed ?? []), ...differs.map(({ path }) => path)]);
}

/** All of its text is there, so the same text is the same file. */
function isWhole({ isBinary, isCut, isWithoutText }: FileChange): boolean {
  return !isBinary && !isCut && !isWithoutText;
}
