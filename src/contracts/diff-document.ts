// The contract of a diff: what a run or a story changed.

import { z } from "zod";
import { count, list, object, text, texts, time } from "./shape.ts";

const fileContract = object({
  path: text,
  status: z.enum(["added", "changed", "removed", "renamed"]),
  from: text.exactOptional().describe("The path before, of a file that was renamed."),
  added: count.describe("Lines. 0 for a binary file."),
  removed: count,
  binary: z.boolean(),
  isCut: z.literal(true).exactOptional().describe("Something of its text is left out. Absent: all of it is there."),
}).meta({ id: "DiffFile" });

/** What every diff says. */
const changesShape = {
  files: list(fileContract),
  total: object({ files: count, added: count, removed: count }).describe("Of all files, also where the list is cut."),
  text: text.describe("As `git diff` prints it, without the contents of binary files."),
  isCut: z.boolean().describe("Files or text are left out; the notes say which."),
  notes: texts,
};

export const diffContract = object({
  run: text,
  number: count,
  story: text.nullable().describe("null: what the whole run changed."),
  from: z
    .enum(["tree", "commit", "branch", "parked", "saved", "nothing"])
    .describe(
      "Where the work is: a tree with its uncommitted files, a commit, a branch, kept refs, a diff that was saved before the work was rolled back; nothing: there is none, and the notes say why.",
    ),
  base: text.nullable().describe("The commit that the work began from. null: not known."),
  head: text.nullable().describe("The commit that has the work. null: a tree as it is now, or a saved diff."),
  ...changesShape,
}).meta({ id: "DiffDocument" });

export const shownBeforeContract = object({
  gate: text,
  tree: text,
  at: time.describe("When it was answered."),
  option: text,
  by: text.describe("Who answered it: `user:NAME`, `token:NAME`, or `deadline`."),
}).meta({ id: "ShownBefore" });

export const gateDiffContract = object({
  gate: text,
  run: text,
  number: count,
  story: text.nullable(),
  since: z.enum(["base", "shown"]).describe("What was asked for."),
  shown: shownBeforeContract
    .nullable()
    .describe("The gate of this step that a person answered before. null: none, and `shown` is the same as `base`."),
  from: text.nullable().describe("The commit or tree that the work is compared with. null: there is no work."),
  tree: text.nullable().describe("The tree that the diff is of. null: there is no work."),
  isMoved: z.boolean().describe("The gate shows another tree: the work changed after the question was asked."),
  ...changesShape,
}).meta({ id: "GateDiff" });

export const attemptDiffContract = object({
  attempt: text,
  run: text,
  number: count,
  story: text.nullable(),
  step: text,
  from: text.nullable().describe("The commit with the files as they were at its start. null: it has not started."),
  tree: text
    .nullable()
    .describe("The tree or commit at its end, or as it is now. null: a diff that was saved, or none."),
  isRunning: z.boolean(),
  isRolledBack: z.boolean().describe("Its changes were saved, and taken out of the tree."),
  ...changesShape,
}).meta({ id: "AttemptDiff" });

export type ShownBefore = z.infer<typeof shownBeforeContract>;
export type GateDiff = z.infer<typeof gateDiffContract>;
export type AttemptDiff = z.infer<typeof attemptDiffContract>;
export type DiffDocument = z.infer<typeof diffContract>;
