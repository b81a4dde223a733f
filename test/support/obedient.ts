// An agent that obeys its prompt to the letter: it reads what it is told to write, commit and report, and does exactly that, without
// knowing any workflow. As a program (`obedient.ts [reject DIRECTORY]`) it reads the prompt from stdin and works in the current tree;
// with `reject`, every step that may reject does so once.

import { execFileSync } from "node:child_process";
import { appendFileSync, existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";

export interface Obeying {
  readonly prompt: string;
  readonly cwd: string;
  /** Whether it takes the way out that a prompt offers where the work is not good enough. */
  readonly rejects: boolean;
}

/** Does what the prompt says, and returns the reply. */
export function obey({ prompt, cwd, rejects }: Obeying): string {
  if (!rejects) carryOut(prompt, cwd);
  return ["I did what you asked.", ...replyTo(prompt, cwd, rejects)].join("\n");
}

/** Whether the prompt offers a way to reject. */
export function mayReject(prompt: string): boolean {
  return blocksIn(prompt).some(isRejection) || prompt.includes("write `STATUS: retry`");
}

// What it does.

function carryOut(prompt: string, cwd: string): void {
  const lines = prompt.split("\n").filter((line) => !isForbidden(line));
  const checkout = lines.join("\n").match(/git checkout -b ([A-Za-z0-9][\w./-]*)/)?.[1];
  const branch = checkout ?? (/create (?:the|a)[^.\n]*branch/i.test(lines.join("\n")) ? valueIn(prompt, "BRANCH") : "");
  if (branch && !/[[{<]/.test(branch)) checkOut(cwd, branch);
  for (const line of lines) if (holds(line, prompt)) for (const path of pathsToWrite(line)) writeInto(cwd, path);
  const progress = valueIn(prompt, "PROGRESS_FILE");
  if (progress !== "" && /append an entry/i.test(prompt)) {
    mkdirSync(dirname(progress), { recursive: true });
    appendFileSync(progress, `## ${valueIn(prompt, "RUN")}\n- did it\n`);
  }
  const mayCommit = !/change nothing|do not change anything|make no new commits/i.test(prompt);
  if (
    mayCommit &&
    lines.some((line) => /\b(?:implement|fix|code and tests)\b/i.test(line)) &&
    /\bcommit\b/i.test(prompt)
  )
    appendFileSync(join(cwd, `work-${/^Story ([^:\s]+):/m.exec(prompt)?.[1] ?? "all"}.txt`), "work\n");
  if (mayCommit && lines.some((line) => /\bcommit\b/i.test(line))) commit(cwd);
}

function isForbidden(line: string): boolean {
  return /\b(?:do not|don't|never|write nothing|write nowhere|change nothing|write no|make no)\b/i.test(line);
}

/** "If REVIEW_ISSUES is not empty: …" holds where something stands below or behind that key. */
function holds(line: string, prompt: string): boolean {
  const key = /\bif ([A-Z_]+) is not empty/i.exec(line)?.[1];
  return key === undefined || new RegExp(`^${key}\\b[^\\n]*:(?: *\\S|\\n\\S)`, "m").test(prompt);
}

/** "Write … docs/plans/<date>-plan.md", "one file to todos/". */
function pathsToWrite(line: string): readonly string[] {
  if (!/\bwrite\b|\bcreate\b/i.test(line)) return [];
  const paths = [...line.matchAll(/(?:^|[\s`])((?:docs|todos|src)\/[^\s`,;:]*)/g)].map(([, path = ""]) => path);
  return paths.map((path) => path.replace(/\.$/, "")).filter((path) => /\/$|\.\w+$/.test(path));
}

function writeInto(cwd: string, path: string): void {
  const named = path.endsWith("/") ? `${path}001-p2-finding.md` : path.replace(/<[^>]*>/g, "obeyed");
  mkdirSync(dirname(join(cwd, named)), { recursive: true });
  appendFileSync(join(cwd, named), "# Written as asked\n");
}

function checkOut(cwd: string, branch: string): void {
  const known = git(cwd, "branch", "--list", branch) !== "";
  git(cwd, "checkout", "--quiet", ...(known ? [branch] : ["-b", branch]));
}

function commit(cwd: string): void {
  git(cwd, "add", "--all");
  if (git(cwd, "status", "--porcelain") !== "") git(cwd, "commit", "--quiet", "--message", "feat: as asked");
}

function git(cwd: string, ...args: readonly string[]): string {
  const who = ["-c", "user.name=Obedient", "-c", "user.email=obedient@example.invalid"];
  return execFileSync("git", [...who, ...args], { cwd, encoding: "utf8", stdio: ["ignore", "pipe", "pipe"] }).trim();
}

// What it replies.

type Block = readonly string[];

/** Blocks of `KEY: …` lines that the prompt shows as a reply: they begin with STATUS, or stand below "Output:". */
function blocksIn(prompt: string): readonly Block[] {
  const lines = prompt.split("\n").map((line) => line.replace(/^\s{0,8}/, ""));
  return lines.flatMap((line, at) => {
    const begins = line.startsWith("STATUS: ") || /^(?:OUTPUT|Output format):$/.test(lines[at - 1] ?? "");
    if (!begins) return [];
    const found = lines.slice(at).findIndex((next, index) => {
      const isSplit = next.trim() === "" && !/^[A-Z][A-Z0-9_]*:/.test(lines[at + index + 1] ?? "");
      return isSplit || (index > 0 && /^(?:STATUS: |Or\b|```)/.test(next));
    });
    return [lines.slice(at, found < 0 ? undefined : at + found)];
  });
}

function isRejection(block: Block): boolean {
  return block.some((line) => /^STATUS: retry|^DECISION: (?:needs_fixes|changes_requested)/.test(line));
}

function replyTo(prompt: string, cwd: string, rejects: boolean): readonly string[] {
  // The last: role files stand before the step's own words, and have examples as well.
  const block = blocksIn(prompt).findLast(
    (each) => isRejection(each) === rejects && each[0]?.startsWith("STATUS: failed") !== true,
  );
  const keys = (block ?? []).flatMap((line) => {
    const [, key = "", shown = ""] = /^([A-Z][A-Z0-9_]*):\s*(.*)$/.exec(line) ?? [];
    return key === "" ? [] : [`${key}: ${answerFor(key, shown, prompt, cwd)}`];
  });
  const summary = /SUMMARY section/.test(prompt) ? ["SUMMARY", "It is as it was asked for."] : [];
  const texts = [...prompt.matchAll(/must contain the text "([^"]+)"/g)].map(
    ([, text = ""]) => `${text} as it was asked for`,
  );
  const asked = keys.length > 0 ? keys : [statusAskedFor(prompt, rejects)];
  const plan = /write `STORIES_JSON:`/.test(prompt) ? [`STORIES_JSON: ${planFor(prompt)}`] : [];
  return [...summary, ...asked, ...texts, ...plan];
}

function statusAskedFor(prompt: string, rejects: boolean): string {
  if (rejects) return "STATUS: retry\nISSUES:\n- one thing is missing";
  // "If …, output STATUS: skipped — no findings." or "output VERIFY_STATUS: skipped and NEW_ISSUES: 0. Do nothing else."
  const output = /\boutput ([A-Z_]+: [^\n.]*)/.exec(prompt)?.[1];
  if (output !== undefined) return output.replace(/ and (?=[A-Z_]+: )/g, "\n");
  return /(STATUS: (?:done|ok))\b/.exec(prompt)?.[1] ?? "";
}

function answerFor(key: string, shown: string, prompt: string, cwd: string): string {
  if (key === "STATUS") return shown.split("|")[0]?.trim() ?? "";
  if (key === "STORIES_JSON") return planFor(prompt);
  if (key === "REPO") return cwd;
  if (key === "BRANCH") return /[<{]|branch-name/.test(shown) ? "obedient-branch" : shown;
  if (key.endsWith("_CMD")) return "true";
  if (key.endsWith("_JSON")) return "[]";
  if (key === "DECISION" || /^[a-z_]+$/.test(shown)) return shown;
  if (shown.includes("|")) return shown.replace(/^<|>$/g, "").split("|")[0] ?? "";
  if (shown === "") return `\n- ${key.toLowerCase()} in my own words`;
  return `${key.toLowerCase()} in my own words`;
}

/** Stories as the prompt names them: `fix-001` where it plans fixes. */
function planFor(prompt: string): string {
  const id = /"id":\s*"([A-Za-z]+-001)"/.exec(prompt)?.[1] ?? (/\bfix-001\b/.test(prompt) ? "fix-001" : "US-001");
  const criteria = [`${id} works`, "Typecheck passes"];
  return JSON.stringify([{ id, title: `Do ${id}`, description: `What ${id} is about.`, acceptanceCriteria: criteria }]);
}

function valueIn(prompt: string, key: string): string {
  return new RegExp(`^\\s*${key}: *(\\S[^\\n]*)$`, "m").exec(prompt)?.[1]?.trim() ?? "";
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const prompt = readFileSync(0, "utf8");
  const [mode, dir = ""] = process.argv.slice(2);
  const once = join(
    dir,
    `${process.env["PAWL_STORY"] ?? ""}-${process.env["PAWL_STEP_TYPE"] ?? process.env["PAWL_STEP"]}`,
  );
  const rejects = mode === "reject" && mayReject(prompt) && !existsSync(once);
  if (rejects) writeFileSync(once, "");
  console.log(obey({ prompt, cwd: process.cwd(), rejects }));
}
