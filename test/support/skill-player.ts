// A stand-in for an agent that obeys the role files of the lifecycle to the letter: it finds the call in its prompt, writes the files
// that the skill writes, records them in state.json, commits, and replies. Tests call `play`; as a program
// (`skill-player.ts KNOBS.json`) it reads the prompt from stdin and works in the current directory.

import { execFileSync } from "node:child_process";
import { appendFileSync, existsSync, globSync, mkdirSync, readFileSync, renameSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";

/**
 * What a call does instead of its work. `bad`: the work is done, and its result is a gap, a failure, BLOCK or an issue. `template`: the
 * file is the example of the role file. `nothing`: it says done and writes nothing. `tampers`: it does its work, and changes the files
 * of the session.
 */
export type Trick = "bad" | "template" | "nothing" | "tampers" | "failed" | "crashes" | "hangs";

export interface Knobs {
  /** The phases of each milestone: `[[1, 2], [3]]`. One milestone with one phase unless told. */
  readonly roadmap?: readonly (readonly number[])[];
  /** By skill and by the 1-based number of its call: `{ "maestro-verify": { "1": "bad" } }`. A call that was killed is not counted. */
  readonly tricks?: Readonly<Record<string, Readonly<Record<string, Trick>>>>;
}

export interface Played {
  readonly call: string;
  readonly trick: Trick | null;
}

interface State {
  current_milestone: string | null;
  milestones: { id: string; name: string; status: string; phases: number[]; completed_at?: string }[];
  artifacts: Artifact[];
  accumulated_context: Record<string, string[]>;
}

interface Artifact {
  readonly id: string;
  readonly type: string;
  readonly milestone: string;
  readonly phase: number | null;
  readonly scope: string;
  readonly path: string;
  readonly status: string;
  readonly created_at: string;
}

interface Stage {
  readonly cwd: string;
  readonly args: string;
  readonly phase: string;
  readonly isBad: boolean;
  readonly knobs: Knobs;
}

const stateFile = ".workflow/state.json";

/** Performs one call in a directory, and returns the reply. */
export function play(
  call: string,
  cwd: string,
  { trick = null, knobs = {} }: { trick?: Trick | null; knobs?: Knobs },
): string {
  const [, skill = "", args = ""] = /^(\S+)\s*([^]*)$/.exec(call) ?? [];
  const perform = skills[skill];
  if (perform === undefined) return `STATUS: failed\nREASON: there is no skill ${skill}`;
  if (trick === "failed") return `STATUS: failed\nREASON: ${skill} was told to fail`;
  if (trick === "tampers") tamper(cwd);
  if (trick === "nothing") return replyOf(skill);
  perform({ cwd, args, phase: phaseOf(args, cwd), isBad: trick === "bad", knobs });
  if (trick === "template") leaveTemplate(cwd, skill);
  commit(cwd, `chore: ${skill}`);
  return replyOf(skill);
}

/** The calls of a program that ended, in order. */
export function playedBy(knobsFile: string): readonly Played[] {
  const file = `${knobsFile}.calls`;
  const lines = existsSync(file) ? readFileSync(file, "utf8").trim().split("\n") : [];
  return lines.filter((line) => line !== "").map((line) => JSON.parse(line) as Played);
}

const skills: Readonly<Record<string, (stage: Stage) => void>> = {
  "maestro-brainstorm": ({ cwd, args }) =>
    write(cwd, `.workflow/.brainstorming/${today()}-idea/brainstorm.md`, `# ${args}\n\n## Choice\n\nThe first one.\n`),
  "maestro-init"({ cwd }) {
    write(cwd, ".workflow/project.md", "# The project\n");
    if (existsSync(join(cwd, stateFile))) return;
    const state = { version: "1.0", project_name: "project", status: "idle", current_milestone: null, milestones: [] };
    writeJson(cwd, stateFile, { ...state, artifacts: [], accumulated_context: { key_decisions: [], deferred: [] } });
  },
  "maestro-roadmap"({ cwd, args, knobs: { roadmap = [[1]] } }) {
    write(cwd, `.workflow/specs/SPEC-${today()}-idea/spec.md`, `# ${args}\n\n- REQ-1: it works\n`);
    const state = stateOf(cwd);
    const planned = roadmap.map((phases, index) => ({
      id: `M${index + 1}`,
      name: `Milestone ${index + 1}`,
      status: index === 0 ? "active" : "pending",
      phases: [...phases],
    }));
    if (state.milestones.length === 0) state.milestones = planned;
    state.current_milestone = state.milestones.find(({ status }) => status !== "completed")?.id ?? null;
    const phases = state.milestones.flatMap(({ id, phases: own }) =>
      own.map((phase) => `- ${id}, phase ${phase}: Part ${phase}`),
    );
    write(cwd, ".workflow/roadmap.md", `# Roadmap\n\n${phases.join("\n")}\n`);
    writeJson(cwd, stateFile, state);
  },
  "maestro-analyze"(stage) {
    const dir = newFolder(stage, "analyze");
    write(
      stage.cwd,
      `.workflow/scratch/${dir}/context.md`,
      "# Context\n\n## Goal\n\nIt works.\n\n## Gaps\n\n- it is not there yet\n",
    );
    record(stage, "analyze", dir);
  },
  "maestro-plan"(stage) {
    const dir = newFolder(stage, "plan", stage.args.includes("--gaps") ? "-gaps" : "");
    const task = { id: "TASK-001", title: "Do it", files: ["src"], depends_on: [], done_when: ["it works"] };
    const plan = { phase: Number(stage.phase), goal: "it works", must_haves: ["it works"], tasks: [task] };
    writeJson(stage.cwd, `.workflow/scratch/${dir}/plan.json`, plan);
    record(stage, "plan", dir);
  },
  "maestro-execute"(stage) {
    const dir = newFolder(stage, "execute");
    mkdirSync(join(stage.cwd, "src"), { recursive: true });
    appendFileSync(join(stage.cwd, `src/phase-${stage.phase}.txt`), "work\n");
    const rows = "id,title,status,files_modified,tests_passed,error\nTASK-001,Do it,completed,src,true,\n";
    write(stage.cwd, `.workflow/scratch/${dir}/results.csv`, rows);
    record(stage, "execute", dir);
  },
  "maestro-verify"(stage) {
    const dir = newFolder(stage, "verify");
    const { isBad } = stage;
    const truth = {
      claim: "it works",
      status: isBad ? "failed" : "verified",
      evidence: `src/phase-${stage.phase}.txt:1`,
    };
    const gap = { id: "GAP-1", severity: "high", summary: "it does not work", where: "src" };
    const result = { phase: Number(stage.phase), passed: !isBad, truths: [truth], gaps: isBad ? [gap] : [] };
    writeJson(stage.cwd, `.workflow/scratch/${dir}/verification.json`, result);
    record(stage, "verify", dir);
  },
  "quality-business-test"(stage) {
    const { isBad } = stage;
    const dir = newest(stage, "verify");
    const scenario = { id: "BT-1", rule: "it works", status: isBad ? "fail" : "pass", evidence: "ran it" };
    const failure = { id: "BT-1", severity: "high", expected: "it works", actual: "it does not" };
    const result = {
      phase: Number(stage.phase),
      passed: !isBad,
      scenarios: [scenario],
      failures: isBad ? [failure] : [],
    };
    writeJson(stage.cwd, `.workflow/scratch/${dir}/business-test-results.json`, result);
    record(stage, "business-test", dir);
  },
  "quality-review"(stage) {
    const dir = newFolder(stage, "review");
    const { isBad } = stage;
    const issue = {
      id: "REV-1",
      severity: isBad ? "critical" : "low",
      file: "src",
      line: 1,
      summary: "a name",
      fix: "rename",
    };
    const result = {
      phase: Number(stage.phase),
      verdict: isBad ? "BLOCK" : "PASS",
      issues: [issue],
      files_reviewed: ["src"],
    };
    writeJson(stage.cwd, `.workflow/scratch/${dir}/review.json`, result);
    record(stage, "review", dir);
  },
  "quality-test-gen"(stage) {
    const dir = newFolder(stage, "test-gen");
    write(stage.cwd, `.workflow/scratch/${dir}/test-gen.md`, "# Tests\n\n- it works: src\n");
    record(stage, "test-gen", dir);
  },
  "quality-test"(stage) {
    const dir = newFolder(stage, "test");
    const { isBad, cwd, phase } = stage;
    const gaps = isBad ? "- test: 1\n  severity: high\n  summary: it does not work" : "[none]";
    const summary = `total: 1\npassed: ${isBad ? 0 : 1}\nissues: ${isBad ? 1 : 0}\nskipped: 0`;
    const tests = `### 1. It works\nexpected: yes\nresult: ${isBad ? "issue" : "pass"}\nevidence: ran it`;
    const matter = `---\nstatus: complete\ntarget: phase-${phase}\n---`;
    write(
      cwd,
      `.workflow/scratch/${dir}/uat.md`,
      `${matter}\n\n## Tests\n\n${tests}\n\n## Summary\n\n${summary}\n\n## Gaps\n\n${gaps}\n`,
    );
    const result = { id: "T-1", name: "It works", status: isBad ? "fail" : "pass", details: "ran it" };
    writeJson(cwd, `.workflow/scratch/${dir}/.tests/test-results.json`, { phase: Number(phase), results: [result] });
    record(stage, "test", dir);
  },
  "maestro-milestone-audit"(stage) {
    const { id, phases } = milestoneOf(stateOf(stage.cwd));
    const open = phases.filter((phase) => !isFinished(stage, String(phase))).map((phase) => `- phase ${phase}`);
    const path = `milestones/${id}/audit-report.md`;
    write(stage.cwd, `.workflow/${path}`, `# Audit of ${id}\n\n## Open\n\n${open.join("\n") || "[none]"}\n`);
    record({ ...stage, phase: "" }, "milestone-audit", path);
  },
  "maestro-milestone-complete"({ cwd }) {
    const state = stateOf(cwd);
    const milestone = milestoneOf(state);
    const report = readFileSync(join(cwd, `.workflow/milestones/${milestone.id}/audit-report.md`), "utf8");
    if (!report.includes("[none]")) return;
    Object.assign(milestone, { status: "completed", completed_at: new Date().toISOString() });
    const next = state.milestones.find(({ status }) => status !== "completed");
    if (next) next.status = "active";
    state.current_milestone = next?.id ?? null;
    writeJson(cwd, stateFile, state);
  },
  "quality-debug"(stage) {
    const dir = newFolder(stage, "debug");
    write(stage.cwd, `.workflow/scratch/${dir}/debug.md`, `# Why\n\n${stage.args}\n\nsrc:1 is wrong.\n`);
    record(stage, "debug", dir);
  },
};

// What all of them do.

function phaseOf(args: string, cwd: string): string {
  const named = /(?:^|\s)(\S+)$/.exec(args.startsWith('"') ? "" : args)?.[1];
  const inStory = /P([^P]+)$/.exec(process.env["PAWL_STORY"] ?? "")?.[1];
  if (named !== undefined || inStory !== undefined) return named ?? inStory ?? "";
  return existsSync(join(cwd, stateFile)) ? String(stateOf(cwd).artifacts.at(-1)?.phase ?? "") : "";
}

function milestoneOf(state: State): State["milestones"][number] {
  const { milestones, current_milestone: current } = state;
  const open = milestones.filter(({ status }) => status !== "completed");
  const found = open.find(({ id, name }) => id === current || name === current) ?? open[0];
  if (found === undefined) throw new Error("every milestone is completed");
  return found;
}

/** A folder that no earlier round has. */
function newFolder({ cwd, phase }: Stage, kind: string, suffix = ""): string {
  const name = `${today()}-${kind}-P${phase}-part-${phase}${suffix}`;
  const isFree = (each: string) => !existsSync(join(cwd, ".workflow/scratch", each));
  for (let round = 1; ; round++) {
    const each = round === 1 ? name : `${name}-${round}`;
    if (isFree(each)) return each;
  }
}

function record({ cwd, phase }: Stage, type: string, path: string): void {
  const state = stateOf(cwd);
  const number = state.artifacts.filter((artifact) => artifact.type === type).length + 1;
  state.artifacts.push({
    id: `${type.slice(0, 3).toUpperCase()}-${String(number).padStart(3, "0")}`,
    type,
    milestone: milestoneOf(state).id,
    phase: phase === "" ? null : Number(phase),
    scope: phase === "" ? "milestone" : "phase",
    path,
    status: "completed",
    created_at: new Date().toISOString(),
  });
  writeJson(cwd, stateFile, state);
}

function artifactsOf({ cwd, phase }: Stage): readonly Artifact[] {
  const state = stateOf(cwd);
  const { id } = milestoneOf(state);
  return state.artifacts.filter((artifact) => artifact.milestone === id && String(artifact.phase) === phase);
}

function newest(stage: Stage, type: string): string {
  return String(artifactsOf(stage).findLast((artifact) => artifact.type === type)?.path);
}

function isFinished(stage: Stage, phase: string): boolean {
  const last = artifactsOf({ ...stage, phase }).findLast(
    ({ type }) => type === "test" || type === "execute" || type === "verify",
  );
  const uat = join(stage.cwd, ".workflow/scratch", String(last?.path), "uat.md");
  return last?.type === "test" && readFileSync(uat, "utf8").includes("issues: 0");
}

function stateOf(cwd: string): State {
  return JSON.parse(readFileSync(join(cwd, stateFile), "utf8")) as State;
}

function writeJson(cwd: string, path: string, value: unknown): void {
  write(cwd, path, `${JSON.stringify(value, null, 2)}\n`);
}

/** Whole: to a temporary name first. */
function write(cwd: string, path: string, text: string): void {
  const file = join(cwd, path);
  mkdirSync(dirname(file), { recursive: true });
  writeFileSync(`${file}.new`, text);
  renameSync(`${file}.new`, file);
}

function today(): string {
  return new Date().toISOString().slice(0, 10).replaceAll("-", "");
}

function commit(cwd: string, message: string): void {
  if (!existsSync(join(cwd, ".git"))) return;
  const who = ["-c", "user.name=Skill", "-c", "user.email=skill@example.invalid"];
  const git = (...args: readonly string[]) => {
    try {
      execFileSync("git", [...who, ...args], { cwd, stdio: "ignore" });
    } catch {
      // Nothing to commit, or `.workflow` is none of git's business.
    }
  };
  git("add", "--all", "--", "src");
  git("add", "--all", "--", ".workflow", ":!.workflow/.ralph");
  git("commit", "--quiet", "--message", message);
}

function replyOf(skill: string): string {
  return `I did what ${skill} says.\n\nSUMMARY\n${skill} did its work.\n\nSTATUS: done`;
}

// Tricks.

function tamper(cwd: string): void {
  for (const file of globSync(".workflow/.ralph/*/status.json", { cwd }))
    writeFileSync(join(cwd, file), '{"status": "completed"}');
}

/** The file that the role file shows, word for word, in the folder that the skill recorded last. */
function leaveTemplate(cwd: string, skill: string): void {
  const [, file = "", example = ""] = /`([\w.-]+\.(?:json|md))`[^`]*```\w+\n([^]*?)```/.exec(roleOf(skill)) ?? [];
  const dir = String(stateOf(cwd).artifacts.at(-1)?.path);
  write(cwd, `.workflow/scratch/${dir}/${file}`, example);
}

export function roleOf(skill: string): string {
  return readFileSync(new URL(`../../workflows/lifecycle/agents/${skill}/SKILL.md`, import.meta.url), "utf8");
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const [knobsFile = ""] = process.argv.slice(2);
  const knobs = JSON.parse(readFileSync(knobsFile, "utf8")) as Knobs;
  const prompt = readFileSync(0, "utf8");
  const call =
    prompt
      .split("\n")
      .find((line) => Object.hasOwn(skills, line.trim().split(" ")[0] ?? ""))
      ?.trim() ?? "";
  const skill = call.split(" ")[0] ?? "";
  const number = playedBy(knobsFile).filter((played) => played.call.split(" ")[0] === skill).length + 1;
  const trick = knobs.tricks?.[skill]?.[number] ?? null;
  const ended = () => appendFileSync(`${knobsFile}.calls`, `${JSON.stringify({ call, trick } satisfies Played)}\n`);
  if (trick === "hangs") {
    ended();
    setInterval(() => undefined, 1000);
  } else {
    const reply = trick === "crashes" ? "" : play(call, process.cwd(), { trick, knobs });
    ended();
    process.stdout.write(`${reply}\n`);
    if (trick === "crashes") process.exitCode = 1;
  }
}
