// An agent that knows nothing about Pawl: it follows the instructions of antfarm's workflow files in the repository that they name,
// and prints the reply that they require. Tests call it directly; as a program (`antfarm-agent.ts MEMORY [reject]`) it reads the
// prompt from stdin.

import { execFileSync } from "node:child_process";
import { appendFileSync, existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

export interface Memory {
  /** Where it records its prompts and what it has already rejected. */
  readonly dir: string;
  /** Whether verifier, tester and reviewer reject once each. */
  readonly rejects: boolean;
  /** The path that a planner or triager reports as the repository. */
  readonly checkout: string;
}

export interface Asked {
  readonly role: Role;
  readonly process: number;
  readonly input: string;
}

type Role = (typeof roles)[number][0];

/** How each step's instructions begin. */
const roles = [
  ["plan", "Decompose the following task into ordered user stories"],
  ["setup", "Prepare the development environment for this feature."],
  ["implement", "Implement the following user story."],
  ["verify", "Verify the developer's work on this story."],
  ["test", "Integration and E2E testing of the implementation."],
  ["pr", "Create a pull request for your changes."],
  ["review", "Review the pull request."],
  ["triage", "Triage the following bug report."],
  ["investigate", "Investigate the root cause of this bug."],
  ["setup-fix", "Prepare the environment for the bugfix."],
  ["fix", "Implement the bug fix."],
  ["verify-fix", "Verify the bug fix is correct and complete."],
  ["pr-fix", "Create a pull request for the bug fix."],
] as const;

export function followInstructions(input: string, memory: Memory): string {
  const role = roles.find(([, beginning]) => input.includes(beginning))?.[0];
  if (!role) throw new Error(`this agent does not know these instructions: ${input.slice(0, 80)}`);
  const asked: Asked = { role, process: process.pid, input };
  appendFileSync(join(memory.dir, "asked.jsonl"), `${JSON.stringify(asked)}\n`);
  return replies[role](input, memory);
}

export function askedOf(memory: Pick<Memory, "dir">): readonly Asked[] {
  return readFileSync(join(memory.dir, "asked.jsonl"), "utf8")
    .trim()
    .split("\n")
    .map((line) => JSON.parse(line) as Asked);
}

const planned = ["US-001", "US-002"].map((id) => ({
  id,
  title: `Add ${id.toLowerCase()}`,
  description: `A file that is named after ${id}.`,
  acceptanceCriteria: [`${id.toLowerCase()}.txt exists`, `Tests for ${id} pass`, "Typecheck passes"],
}));

const replies: Readonly<Record<Role, (input: string, memory: Memory) => string>> = {
  plan: (_, { checkout }) =>
    `I looked around first.\n\nSTATUS: done\nREPO: ${checkout}\nBRANCH: feature-files\nSTORIES_JSON: ${JSON.stringify(planned, null, 2)}`,
  setup: setUp,
  implement(input) {
    const repo = value(input, "REPO");
    const id = /^Story (\S+):/m.exec(input)?.[1] ?? "";
    const title = /^7\. Commit: feat: \S+ - (.*)$/m.exec(input)?.[1] ?? "";
    const progress = join(repo, `${/progress-[a-z0-9-]+/.exec(input)?.[0]}.txt`);
    writeFileSync(join(repo, `${id.toLowerCase()}.txt`), `${id}\n${section(input, "VERIFY FEEDBACK (if retrying)")}\n`);
    commit(repo, `feat: ${id} - ${title}`);
    const before = existsSync(progress) ? readFileSync(progress, "utf8") : "# Progress Log\n\n## Codebase Patterns\n";
    writeFileSync(progress, `${before}\n## ${id}: ${title}\n- learned from ${id}\n---\n`);
    return `STATUS: done\nCHANGES: ${id.toLowerCase()}.txt\nTESTS: one for ${id}`;
  },
  verify: (input, memory) =>
    rejectsOnce(memory, "verify")
      ? "STATUS: retry\nISSUES:\n- the file says too little\n- there is no test"
      : `STATUS: done\nVERIFIED: ${git(value(input, "REPO"), "log", "-1", "--format=%s")}`,
  test: (_, memory) =>
    rejectsOnce(memory, "test")
      ? "STATUS: retry\nFAILURES:\n- the two files contradict each other"
      : "STATUS: done\nRESULTS: 2 of 2 are green",
  pr: () => "STATUS: done\nPR: https://example.invalid/pull/7",
  review: (_, memory) =>
    rejectsOnce(memory, "review")
      ? "STATUS: retry\nDECISION: changes_requested\nFEEDBACK:\n- name the files better"
      : "STATUS: done\nDECISION: approved",
  triage: (_, { checkout }) =>
    [
      `STATUS: done\nREPO: ${checkout}\nBRANCH: bugfix-sum\nSEVERITY: high\nAFFECTED_AREA: sum.txt`,
      "REPRODUCTION: add 1 and 1\nPROBLEM_STATEMENT: the sum is 3",
    ].join("\n"),
  investigate: () => "STATUS: done\nROOT_CAUSE: off by one\nFIX_APPROACH: subtract it again",
  "setup-fix": setUp,
  fix(input) {
    const repo = value(input, "REPO");
    git(repo, "checkout", "-q", value(input, "BRANCH"));
    writeFileSync(join(repo, "sum.txt"), `2\n${section(input, "VERIFY FEEDBACK (if retrying)")}\n`);
    commit(repo, "fix: the sum of 1 and 1");
    return "STATUS: done\nCHANGES: sum.txt\nREGRESSION_TEST: 1 and 1 is 2";
  },
  "verify-fix"(input, memory) {
    const diff = git(value(input, "REPO"), "diff", `main..${value(input, "BRANCH")}`, "--stat");
    if (diff === "" || rejectsOnce(memory, "verify-fix"))
      return "STATUS: retry\nISSUES:\n- the regression test would pass without the fix";
    return `STATUS: done\nVERIFIED: ${diff.split("\n")[0]?.trim()}`;
  },
  "pr-fix": () => "STATUS: done\nPR: https://example.invalid/pull/8",
};

function setUp(input: string): string {
  git(value(input, "REPO"), "checkout", "-q", "-b", value(input, "BRANCH"));
  return "STATUS: done\nBUILD_CMD: true\nTEST_CMD: true\nCI_NOTES: none\nBASELINE: green";
}

function value(input: string, key: string): string {
  return new RegExp(`^${key}: (.*)$`, "m").exec(input)?.[1]?.trim() ?? "";
}

/** The lines below a heading, up to the next empty line. */
function section(input: string, heading: string): string {
  return input.split(`${heading}:\n`)[1]?.split("\n\n")[0]?.trim() ?? "";
}

function rejectsOnce({ dir, rejects }: Memory, role: Role): boolean {
  const mark = join(dir, `rejected-${role}`);
  if (!rejects || existsSync(mark)) return false;
  writeFileSync(mark, "");
  return true;
}

function commit(repo: string, message: string): void {
  git(repo, "add", "-A");
  git(repo, "commit", "-q", "--allow-empty", "-m", message);
}

function git(cwd: string, ...args: readonly string[]): string {
  return execFileSync("git", args, { cwd, encoding: "utf8", stdio: ["ignore", "pipe", "inherit"] }).trim();
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const [dir = "", rejects] = process.argv.slice(2);
  mkdirSync(dir, { recursive: true });
  const memory = { dir, rejects: rejects === "reject", checkout: process.cwd() };
  process.stdout.write(`${followInstructions(readFileSync(0, "utf8"), memory)}\n`);
}
