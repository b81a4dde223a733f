// Tool calls. Owns: what a call of any agent is about: its file, its command, the lines that it changes. Agents name the same things
// differently; what no name here fits is shown by its first short value.

import type { FileEdit, ToolCall } from "./entry.ts";
import { joined, patched, replaced } from "./file-edit.ts";

type Fields = Readonly<Record<string, unknown>>;

const pathNames = ["file_path", "filePath", "path", "notebook_path", "absolute_path", "target_file", "file"];
const commandNames = ["command", "cmd", "script"];
const otherNames = ["pattern", "query", "url", "name", "skill", "subject", "summary", "description", "prompt"];
const oldNames = ["old_string", "oldString", "old_str", "oldText"];
const newNames = ["new_string", "newString", "new_str", "newText", "new_source"];
const contentNames = ["content", "file_text", "contents"];
const longestTarget = 400;

/** `root`: paths below it are shown without it. */
export function readCall(tool: string, input: unknown, root: string | null): ToolCall {
  const fields = fieldsOf(input);
  const near = (path: string) => (root !== null && path.startsWith(`${root}/`) ? path.slice(root.length + 1) : path);
  const changes = changesOf(input, fields, tool).map((edit) => ({ ...edit, path: near(edit.path) }));
  if (changes.length > 0) {
    const paths = [...new Set(changes.map(({ path }) => path))];
    return { tool, kind: "change", target: short(paths.join(", ")), changes };
  }
  const command = typeof input === "string" ? input : wordsOf(firstOf(fields, commandNames));
  if (command !== "") return { tool, kind: "run", target: short(unwrapped(command)), changes };
  const path = textOf(firstOf(fields, pathNames));
  const other = textOf(firstOf(fields, otherNames));
  if (path !== "" || other !== "") {
    const target = [other && path ? other : "", near(path) || other].filter(Boolean).join(" in ");
    return { tool, kind: "read", target: short(target), changes };
  }
  const [any = ""] = Object.values(fields).filter((value) => typeof value === "string" && value !== "");
  return { tool, kind: "other", target: short(textOf(any)), changes };
}

function changesOf(input: unknown, fields: Fields, tool: string): readonly FileEdit[] {
  // A list of changed files, with their texts or without.
  const list = Array.isArray(input) ? input : fields["changes"];
  if (Array.isArray(list)) return list.map(fieldsOf).flatMap((each) => changeIn(each, textOf(each["path"])));
  const patch = [input, fields["patch"], fields["input"], fields["diff"]].map(textOf).find(isPatch);
  if (patch !== undefined) return patched(patch);
  const path = textOf(firstOf(fields, pathNames));
  if (path === "") return [];
  if (Array.isArray(fields["edits"])) {
    const edits = fields["edits"].map(fieldsOf).flatMap((each) => changeIn(each, path));
    return edits.length === 0 ? [] : [joined(path, edits)];
  }
  if (firstOf(fields, newNames) !== undefined) return changeIn(fields, path);
  const content = firstOf(fields, contentNames);
  const isWrite = typeof content === "string" && /writ|creat|save|edit|file/i.test(tool);
  return isWrite ? [replaced(path, "", content)] : [];
}

function changeIn(fields: Fields, path: string): readonly FileEdit[] {
  if (path === "") return [];
  return [replaced(path, textOf(firstOf(fields, oldNames)), textOf(firstOf(fields, newNames)))];
}

function isPatch(text: string): boolean {
  return /^\*\*\* (?:Begin Patch|Add File|Update File|Delete File)|^(?:diff --git|--- )/m.test(text);
}

/** Without the shell that every command of some agents is wrapped in. */
function unwrapped(command: string): string {
  const inner = /^(?:\/\S*\/)?(?:ba|z|da)?sh -l?c (['"])([^]*)\1$/.exec(command.trim())?.[2];
  return inner ?? command.trim();
}

function short(text: string): string {
  const line = text.trim().replace(/\s*\n\s*/g, " ⏎ ");
  return line.length > longestTarget ? `${line.slice(0, longestTarget)}…` : line;
}

function firstOf(fields: Fields, names: readonly string[]): unknown {
  const name = names.find((each) => Object.hasOwn(fields, each) && fields[each] !== null && fields[each] !== "");
  return name === undefined ? undefined : fields[name];
}

function fieldsOf(value: unknown): Fields {
  return typeof value === "object" && value !== null ? (value as Fields) : {};
}

function textOf(value: unknown): string {
  return typeof value === "string" ? value : "";
}

function wordsOf(value: unknown): string {
  return Array.isArray(value) ? value.filter((each) => typeof each === "string").join(" ") : textOf(value);
}
