import { expect, test } from "vitest";
import { FileChange, fileChangesOf } from "./file-change.ts";
import { linesIn, sectionsOf } from "./unified-diff.ts";

const short = (text: string) =>
  linesIn(text).map(({ kind, oldLine, newLine, text: said }) => [kind, oldLine, newLine, said]);

test("[PG45] sections know the paths of changed, new, removed, renamed and copied files", () => {
  const sections = sectionsOf(`diff --git a/src/a.ts b/src/a.ts
index 1..2 100644
--- a/src/a.ts
+++ b/src/a.ts
@@ -1 +1 @@
-one
+two
diff --git a/new.txt b/new.txt
new file mode 100644
index 0..1
--- /dev/null
+++ b/new.txt
@@ -0,0 +1 @@
+diff --git a/x b/x
diff --git a/old.txt b/old.txt
deleted file mode 100755
--- a/old.txt
+++ /dev/null
@@ -1 +0,0 @@
--- a/not-a-header
diff --git a/from here.txt b/to here.txt
similarity index 90%
rename from from here.txt
rename to to here.txt
diff --git a/c b/d
copy from c
copy to d
`);
  expect(sections.map(({ from, to }) => [from, to])).toEqual([
    ["src/a.ts", "src/a.ts"],
    [null, "new.txt"],
    ["old.txt", null],
    ["from here.txt", "to here.txt"],
    ["c", "d"],
  ]);
  expect(short(sections[1]?.body ?? "").at(-1)).toEqual(["added", null, 1, "diff --git a/x b/x"]);
  expect(short(sections[2]?.body ?? "").at(-1)).toEqual(["removed", 1, null, "-- a/not-a-header"]);
});

test("[PG45] binary files, modes and empty files have paths and no lines, also where only the first line names them", () => {
  const sections = sectionsOf(`diff --git a/a b.png b/a b.png
index 1..2 100644
Binary files a/a b.png and b/a b.png differ
diff --git a/run.sh b/run.sh
old mode 100644
new mode 100755
diff --git a/empty b/empty
new file mode 100644
index 000..e69
diff --git a/logo.gif b/logo.gif
index 1..2 100644
GIT binary patch
literal 3
Kc$
`);
  expect(sections).toEqual([
    { from: "a b.png", to: "a b.png", isBinary: true, oldMode: null, newMode: null, body: "" },
    { from: "run.sh", to: "run.sh", isBinary: false, oldMode: "100644", newMode: "100755", body: "" },
    { from: null, to: "empty", isBinary: false, oldMode: null, newMode: "100644", body: "" },
    { from: "logo.gif", to: "logo.gif", isBinary: true, oldMode: null, newMode: null, body: "" },
  ]);
});

test("[PG45] names in quotes are read with their escapes, octal bytes and letters", () => {
  const sections = sectionsOf(`diff --git "a/\\303\\244 \\"q\\"\\t.txt" "b/\\303\\244 \\"q\\"\\t.txt"
old mode 100644
new mode 100755
diff --git a/plain b/plain
--- "a/pl\\nain"
+++ "b/grüße \\033[31m👋.md"
@@ -1 +1 @@
-a
+b
diff --git a/with space b/with space
--- a/with space\t
+++ b/with space\t
diff --git a/x "b/y\\\\z"
similarity index 100%
`);
  expect(sections.map(({ from, to }) => [from, to])).toEqual([
    ['ä "q"\t.txt', 'ä "q"\t.txt'],
    ["pl\nain", "grüße \u001B[31m👋.md"],
    ["with space", "with space"],
    ["x", "y\\z"],
  ]);
});

test("[PG45] lines have the numbers of both sides, over several hunks, and without a line end at the end", () => {
  expect(
    short(`@@ -3,3 +3,4 @@ function f() {
 same
-gone
+new
+newer

@@ -20 +21 @@
-x
\\ No newline at end of file
+y
\\ No newline at end of file
`),
  ).toEqual([
    ["hunk", null, null, "@@ -3,3 +3,4 @@ function f() {"],
    ["same", 3, 3, "same"],
    ["removed", 4, null, "gone"],
    ["added", null, 4, "new"],
    ["added", null, 5, "newer"],
    ["same", 5, 6, ""],
    ["hunk", null, null, "@@ -20 +21 @@"],
    ["removed", 20, null, "x"],
    ["note", null, null, "No newline at end of file"],
    ["added", null, 21, "y"],
    ["note", null, null, "No newline at end of file"],
  ]);
});

test("[PG45] a merge has a sign for each parent", () => {
  const [section] = sectionsOf(`diff --cc src/a.ts
index 1,2..3
--- a/src/a.ts
+++ b/src/a.ts
@@@ -1,3 -1,3 +1,3 @@@
  both
- ours
 -theirs
++merged
`);
  expect(section).toMatchObject({ from: "src/a.ts", to: "src/a.ts" });
  expect(short(section?.body ?? "").slice(1)).toEqual([
    ["same", 1, 1, "both"],
    ["removed", 2, null, "ours"],
    ["removed", 3, null, "theirs"],
    ["added", null, 2, "merged"],
  ]);
});

const file = { path: "a", status: "changed", added: 1, removed: 1, binary: false } as const;

test("[PG45] a CR at the end of a line is shown where only some lines have it", () => {
  const text = (lines: string) => `diff --git a/a b/a\n--- a/a\n+++ b/a\n@@ -1,2 +1,2 @@\n${lines}`;
  const [all] = fileChangesOf({ files: [file], text: text(" one\r\n-two\r\n+three\r\n") });
  expect(all?.lines.map((line) => line.text)).toEqual(["@@ -1,2 +1,2 @@", "one", "two", "three"]);
  const [some] = fileChangesOf({ files: [file], text: text("-two\r\n+two\n") });
  expect(some?.lines.map((line) => line.text)).toEqual(["@@ -1,2 +1,2 @@", "two\r", "two"]);
});

test("[PG45] a text that is cut ends in the middle, and a file without text says so", () => {
  const text = "diff --git a/a b/a\n--- a/a\n+++ b/a\n@@ -1,9 +1,9 @@\n one\n-tw";
  const [cut, without] = fileChangesOf({
    files: [
      { ...file, isCut: true },
      { ...file, path: "b", isCut: true },
    ],
    text,
  });
  expect(cut?.lines.at(-1)).toMatchObject({ kind: "removed", text: "tw" });
  expect([cut?.isWithoutText, without?.isWithoutText, without?.lines]).toEqual([false, true, []]);
});

test("[PG45] a file that became a link has both of its sections, and its mark changes with its text", () => {
  const sections = `diff --git a/a b/a
deleted file mode 100644
--- a/a
+++ /dev/null
@@ -1 +0,0 @@
-text
diff --git a/a b/a
new file mode 120000
--- /dev/null
+++ b/a
@@ -0,0 +1 @@
+target
\\ No newline at end of file
`;
  const [both] = fileChangesOf({ files: [file], text: sections });
  expect(both?.lines.map(({ kind }) => kind)).toEqual(["hunk", "removed", "hunk", "added", "note"]);
  const [other] = fileChangesOf({ files: [file], text: sections.replace("target", "tarhet") });
  expect(other).toBeInstanceOf(FileChange);
  expect(other?.mark).not.toBe(both?.mark);
});

test("[PG46] 3,000 files with 50 MB and a line of 10 MB are found, and each is read when it is opened", () => {
  const body = `@@ -1,400 +1,400 @@\n${"+some words of a line that was added\n".repeat(450)}`;
  const paths = Array.from({ length: 3_000 }, (_, i) => `src/file-${i}.ts`);
  const text = [
    ...paths.map((path) => `diff --git a/${path} b/${path}\n--- a/${path}\n+++ b/${path}\n${body}`),
    `diff --git a/long b/long\n--- a/long\n+++ b/long\n@@ -1 +1 @@\n+${"x".repeat(10_000_000)}\n`,
  ].join("");
  expect(text.length).toBeGreaterThan(50_000_000);
  const files = fileChangesOf({ files: [...paths, "long"].map((path) => ({ ...file, path })), text });
  expect(files).toHaveLength(3_001);
  expect(files[2_999]?.lines).toHaveLength(451);
  expect(files[3_000]?.lines[1]?.text).toHaveLength(10_000_000);
});
