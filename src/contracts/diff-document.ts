// The contract of a diff: what a run or a story changed.

import { z } from "zod";
import { count, list, object, text, texts } from "./shape.ts";

const fileContract = object({
  path: text,
  status: z.enum(["added", "changed", "removed", "renamed"]),
  from: text.exactOptional().describe("The path before, of a file that was renamed."),
  added: count.describe("Lines. 0 for a binary file."),
  removed: count,
  binary: z.boolean(),
}).meta({ id: "DiffFile" });

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
  files: list(fileContract),
  total: object({ files: count, added: count, removed: count }).describe("Of all files, also where the list is cut."),
  text: text.describe("As `git diff` prints it, without the contents of binary files."),
  isCut: z.boolean().describe("Files or text are left out; the notes say which."),
  notes: texts,
}).meta({ id: "DiffDocument" });

export type DiffDocument = z.infer<typeof diffContract>;
