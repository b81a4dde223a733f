// A program that stands in for the skills of a lifecycle. It finds its call in the prompt and leaves the files that the skill would
// leave, in the folder that it is started in. Its argument is a folder with `plan.json`: for each call what becomes of it, one word
// for each time that it is made; without one it goes well. It says in `audit` which calls it made.

import { appendFileSync, existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";

interface State {
  current_milestone?: string;
  milestones: { id: string; name: string; status: string; phases: number[] }[];
  artifacts: { type: string; milestone: string; phase: number; status: string; path: string }[];
}

const control = process.argv[2] ?? "";
const prompt = readFileSync(0, "utf8");
const call = prompt.split("\n").findLast((line) => /^(?:maestro|quality|acme)-[a-z-]+(?: |$)/.test(line)) ?? "";
const [name = "", ...args] = call.split(" ");
/** Another table of stages has other names. */
const skill = name.replace(/^acme-q-/, "quality-").replace(/^acme-/, "maestro-");
const phase = Number(args.at(-1));

const write = (file: string, content: unknown) => {
  mkdirSync(dirname(file), { recursive: true });
  writeFileSync(file, typeof content === "string" ? content : JSON.stringify(content, null, 2));
};
const audit = (what: string) => appendFileSync(join(control, "audit"), `${what} ${call}\n`);
const readState = (): State => JSON.parse(readFileSync(".workflow/state.json", "utf8")) as State;

function outcome(): string {
  const file = join(control, "plan.json");
  const plan = existsSync(file) ? (JSON.parse(readFileSync(file, "utf8")) as Record<string, string[]>) : {};
  const made = readFileSync(join(control, "audit"), "utf8").split("\n");
  const before = made.filter((line) => line === `end ${call}`).length;
  return plan[call]?.[before] ?? "well";
}

function addArtifact(type: string, files: Readonly<Record<string, unknown>>): void {
  const state = readState();
  const milestone = state.current_milestone ?? "";
  const path = `20260503-${String(state.artifacts.length).padStart(3, "0")}-${type}-P${phase}-${milestone}`;
  for (const [name, content] of Object.entries(files)) write(`.workflow/scratch/${path}/${name}`, content);
  state.artifacts.push({ type, milestone, phase, status: "completed", path });
  write(".workflow/state.json", state);
}

/** The newest artifact of the phase, of any type or of one. */
function newestDir(type?: string): string {
  const { artifacts, current_milestone } = readState();
  const own = artifacts.filter((each) => each.milestone === current_milestone && each.phase === phase);
  const newest = own.findLast((each) => type === undefined || each.type === type);
  return `.workflow/scratch/${newest?.path ?? "nowhere"}`;
}

const gap = { id: "G1", severity: "high", description: 'the "cart", is empty' };
const skills: Readonly<Record<string, (isWell: boolean) => void>> = {
  "maestro-brainstorm": () => write(".workflow/.brainstorming/20260503-shop/guidance.md", "# Shop\n"),
  "maestro-init": () => write(".workflow/state.json", { milestones: [], artifacts: [] }),
  "maestro-roadmap": () => {
    const file = join(control, "milestones.json");
    const milestones = existsSync(file)
      ? (JSON.parse(readFileSync(file, "utf8")) as State["milestones"])
      : [
          { id: "M1", name: "First", status: "active", phases: [1] },
          { id: "M2", name: "Second", status: "pending", phases: [1] },
        ];
    write(".workflow/roadmap.md", "# Roadmap\n");
    write(".workflow/state.json", { ...readState(), current_milestone: milestones[0]?.id, milestones });
  },
  "maestro-analyze": () => addArtifact("analyze", { "context.md": "## Gaps\n- none is known\n" }),
  "maestro-plan": () => addArtifact("plan", { "plan.json": { tasks: ["a", "b"] } }),
  "maestro-execute": () => {
    write(`src/phase-${phase}.txt`, `${readState().artifacts.length}\n`);
    addArtifact("execute", { "results.csv": "id,status\n1,completed\n" });
  },
  "maestro-verify": (isWell) =>
    addArtifact("verify", { "verification.json": { passed: isWell, gaps: isWell ? [] : [gap] } }),
  "quality-business-test": (isWell) =>
    write(`${newestDir("verify")}/business-test-results.json`, { passed: isWell, failures: isWell ? [] : [gap] }),
  "quality-review": (isWell) =>
    write(`${newestDir()}/review.json`, {
      verdict: isWell ? "PASS" : "BLOCK",
      issues: isWell ? [] : [{ severity: "critical", description: "a key is in the code" }],
    }),
  "quality-test-gen": () => write(`src/phase-${phase}.test.txt`, "tests\n"),
  "quality-test": (isWell) => {
    const result = isWell ? "pass" : "issue";
    const counts = `total: 1\npassed: ${isWell ? 1 : 0}\nissues: ${isWell ? 0 : 1}`;
    write(
      `${newestDir()}/uat.md`,
      `---\nstatus: complete\n---\n## Tests\n### 1. A customer pays\nresult: ${result}\n## Summary\n${counts}\n## Gaps\n[none]\n`,
    );
  },
  "quality-debug": () => appendFileSync(join(control, "debugged"), `${call}\n`),
  "maestro-milestone-audit": () => write(".workflow/audit.md", "fine\n"),
  "maestro-milestone-complete": () => {
    const state = readState();
    const milestones = state.milestones.map((each) =>
      each.id === state.current_milestone ? { ...each, status: "completed" } : each,
    );
    const next = milestones.find(({ status }) => status !== "completed");
    write(".workflow/state.json", { ...state, milestones, current_milestone: next?.id ?? state.current_milestone });
  },
};

writeFileSync(join(control, "pid"), String(process.pid));
audit("begin");
const gate = join(control, `hold-${skill}`);
while (existsSync(gate)) await new Promise((resolve) => setTimeout(resolve, 20));
const word = outcome();
if (word !== "nothing" && word !== "failed" && word !== "crash") skills[skill]?.(word === "well");
audit("end");
if (word === "crash") process.exit(3);
process.stdout.write(
  word === "failed" ? `STATUS: failed\nREASON: there was no network\n` : `STATUS: done\n\nSUMMARY: did ${call}\n`,
);
