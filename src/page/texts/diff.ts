// Words of a diff.

import { counted } from "../../domain/counted.ts";

export const diffTexts = {
  files: (count: number) => counted(count, "file"),
  lines: (added: number, removed: number) => `${counted(added, "line")} added, ${removed} removed`,
  viewedCount: (viewed: number, all: number) => `${viewed} of ${all} viewed`,
  nothing: "Nothing was changed.",
  rolledBack: "These changes were rolled back: the next attempt did not see them.",
  changed: "changed since you looked",
  nextFile: "Next file",
  previousFile: "Previous file",
  commentLine: "Comment on the focused line",
  openAll: "Open all",
  closeAll: "Close all",
  status: { added: "new", changed: "", removed: "removed", renamed: "renamed" },
  renamedFrom: (path: string) => `from ${path}`,
  mode: (modes: string) => `mode ${modes}`,
  binary: "A binary file: its content is not shown.",
  empty: "No line of its content was changed.",
  noText: "Its text is left out: the diff is too long.",
  isCut: "The rest of its text is left out: the diff is too long.",
  viewed: "Viewed",
  lineEnd: "no line end",
  more: (count: number) => `… ${count} more characters`,
  comment: "Comment",
  commentOn: (path: string, line: number) => `Comment on ${path}, line ${line}`,
  commentOnRemoved: (path: string, line: number) => `Comment on ${path}, removed line ${line}`,
  save: "Keep comment",
  cancel: "Cancel",
  edit: "Edit",
  remove: "Remove",
} as const;
