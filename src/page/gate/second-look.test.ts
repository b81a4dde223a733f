// Which files a second look is about.

import { expect, test } from "vitest";
import { FileChange } from "../diff/file-change.ts";
import { sectionsOf } from "../diff/unified-diff.ts";
import { changedSince } from "./second-look.ts";

function file(path: string, text: string, more: { readonly binary?: boolean; readonly isCut?: true } = {}): FileChange {
  const sections =
    text === ""
      ? []
      : sectionsOf(`diff --git a/${path} b/${path}\n--- a/${path}\n+++ b/${path}\n@@ -0,0 +1 @@\n+${text}\n`);
  return new FileChange({ path, status: "changed", added: 1, removed: 0, binary: false, ...more }, sections);
}

const first = { from: "base", tree: "t1", files: [file("a", "1"), file("b", "1"), file("gone", "1")], changed: null };

test("[PG50] after the work moved, the files that differ from what was shown are known; those of an earlier move stay", () => {
  const files = [file("a", "1"), file("b", "2"), file("c", "1")];
  const changed = changedSince(first, { from: "base", tree: "t2", files });
  expect([...(changed ?? [])]).toEqual(["b", "c"]);
  const again = changedSince(
    { from: "base", tree: "t2", files, changed },
    { from: "base", tree: "t3", files: [file("a", "9")] },
  );
  expect([...(again ?? [])]).toEqual(["b", "c", "a"]);
});

test("[PG50] where the text does not say it, a file counts as changed; another comparison knows of nothing", () => {
  const hidden = [file("a", "1", { binary: true }), file("b", "1", { isCut: true }), file("gone", "")];
  const changed = changedSince({ ...first, files: hidden }, { from: "base", tree: "t2", files: hidden });
  expect([...(changed ?? [])]).toEqual(["a", "b", "gone"]);
  expect(changedSince(null, first)).toBeNull();
  expect(changedSince(first, { ...first, from: "shown", tree: "t2" })).toBeNull();
  expect(changedSince({ ...first, changed: new Set(["a"]) }, first)).toEqual(new Set(["a"]));
});
