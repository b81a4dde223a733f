// Projects that work by files: `pawl project continue`, `approve` and `hook`, and the executors, are killed by SIGKILL at every phase.
// Each phase is a fact in the files or in the store, not a time.

import { type ChildProcess, spawn } from "node:child_process";
import { chmodSync, existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { projectPlace } from "../../src/application/agentic/place.ts";
import { viewProject } from "../../src/application/agentic/view.ts";
import { hasEnded } from "../../src/domain/attempt.ts";
import { agenticProject, type TestProject } from "../support/agentic-project.ts";
import { expectCode, type RunningPawl, startPawl } from "../support/pawl.ts";
import { runGit, tempDir } from "../support/repository.ts";
import { until } from "../support/until.ts";

const steps = ["bdd", "sdd-delta", "contract", "scaffold", "impl", "verify", "update-memory"] as const;

interface Scene extends TestProject {
  /** Written by the executor alone: `begin US-001 bdd 1`, `end US-001 bdd 1`. */
  audit(kind: "begin" | "end"): readonly string[];
  /** A session of this step begins, and waits until it is released. */
  hold(step: string): void;
  release(step: string): void;
  start(...args: readonly string[]): RunningPawl;
  /** Runs the command to its end. */
  pawl(args: readonly string[], code: number): Promise<string>;
  state(): Readonly<Record<string, unknown>>;
  attempts(): Promise<readonly { readonly name: string; readonly number: number; readonly outcome: string }[]>;
  /** `work`: one session. `loop`: sessions as long as it lives; it knows nothing but the files. */
  readonly work: string;
  readonly loop: string;
}

async function scene(level: "1" | "2"): Promise<Scene> {
  const project = await agenticProject(level);
  const control = tempDir("pawl-kills-");
  const at = (name: string) => join(control, name);
  const { app, root } = project;
  for (const [name, text] of [
    ["work.sh", workScript(control)],
    ["loop.sh", loopScript(at("work.sh"))],
  ] as const) {
    writeFileSync(at(name), text);
    chmodSync(at(name), 0o755);
  }
  writeFileSync(at("audit"), "");
  const home = app.env["PAWL_HOME"] ?? "";
  const start = (...args: readonly string[]) => startPawl(["project", ...args], { home, cwd: root });
  return {
    ...project,
    work: at("work.sh"),
    loop: at("loop.sh"),
    audit: (kind) =>
      readFileSync(at("audit"), "utf8")
        .split("\n")
        .flatMap((line) => (line.startsWith(`${kind} `) ? [line.slice(kind.length + 1)] : [])),
    hold: (step) => writeFileSync(at(`hold-${step}`), ""),
    release: (step) => writeFileSync(at(`go-${step}`), ""),
    start,
    async pawl(args, code) {
      const called = await start(...args).ended;
      expectCode(called, code);
      return args.includes("--json") ? called.stdout : called.stdout + called.stderr;
    },
    state: () => JSON.parse(readFileSync(join(root, ".ai/STATE.json"), "utf8")) as Readonly<Record<string, unknown>>,
    async attempts() {
      const { whole } = await viewProject(app, await projectPlace(app, root));
      const all = Object.values(whole?.stories ?? {}).flatMap((story) => story.attempts);
      return all.map((each) => ({
        name: each.name,
        number: each.number,
        outcome: hasEnded(each) ? each.state.outcome : each.state.phase,
      }));
    },
  };
}

/** `$story`, `$step`, `$attempt` and `$status`, all from one reading: the file may be replaced at any time. */
const readsState = `state=$(tr -d ' "' < .ai/STATE.json | tr ',{}' '\\n\\n\\n')
field() { echo "$state" | sed -n "s/^$1://p" | head -1; }
story=$(field story); step=$(field step); attempt=$(field attempt); status=$(field status)`;

/** Works, says so, and leaves a whole hand-off. The session is the one that it is told, else the one that the file tells. */
const workScript = (control: string) => `#!/bin/sh
[ -t 0 ] || cat > /dev/null
if [ $# = 3 ]; then story=$1; step=$2; attempt=$3; else
${readsState}
fi
echo "begin $story $step $attempt" >> "${control}/audit"
if [ -e "${control}/hold-$step" ]; then
  n=0; until [ -e "${control}/go-$step" ] || [ $n -gt 2400 ]; do sleep 0.05; n=$((n+1)); done
fi
echo "$step" > "$story-$step.txt"
printf -- '---\\nstory: %s\\nstep: %s\\nattempt: %s\\nstatus: pass\\n---\\n# HANDOFF\\n' "$story" "$step" "$attempt" > .ai/HANDOFF.tmp
mv .ai/HANDOFF.tmp .ai/HANDOFF.md
echo "end $story $step $attempt" >> "${control}/audit"
`;

/** A session begins when STATE.json says that one runs, and no hand-off of it is there. */
const loopScript = (work: string) => `#!/bin/sh
left() { sed -n "s/^$1: //p" .ai/HANDOFF.md 2>/dev/null | head -1; }
while :; do
${readsState}
  if [ "$status" = running ] && [ "$step $attempt" != "$(left step) $(left attempt)" ]; then
    "${work}" "$story" "$step" "$attempt" < /dev/null
  fi
  sleep 0.05
done
`;

async function kill(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const ended = new Promise((resolve) => child.once("exit", resolve));
  child.kill("SIGKILL");
  await ended;
}

/** The other program, with everything that it started. */
function otherProgram({ loop, root }: Scene): { readonly die: () => Promise<void> } {
  const child = spawn(loop, { cwd: root, stdio: "ignore", detached: true });
  const die = async () => {
    if (child.exitCode !== null || child.signalCode !== null) return;
    const ended = new Promise((resolve) => child.once("exit", resolve));
    process.kill(-(child.pid ?? 0), "SIGKILL");
    await ended;
  };
  onTestFinished(die);
  return { die };
}

function expectOnce(performed: readonly string[]): void {
  expect(performed).toEqual([...new Set(performed)]);
}

test("[AG23 AW3 PJ9 D3 D4] awaited: either side is killed at every phase of a story, and every step is performed and counted once", async () => {
  const it = await scene("2");
  const { root, state, audit, hold, release } = it;
  const drive = () => it.start("continue", "--await", "--json");
  const isAt = (step: string) => () =>
    existsSync(join(root, ".ai/STATE.json")) && state()["step"] === step && state()["status"] === "running";
  const hasBegun = (step: string) => () => audit("begin").some((line) => line.includes(` ${step} `));
  const hasReported = (step: string) => () => audit("end").some((line) => line.includes(` ${step} `));
  const isCounted = (step: string) => async () =>
    (await it.attempts()).some(({ name, outcome }) => name === step && outcome === "completed");

  // While it waits, and nobody works.
  let driver = drive();
  await until(isAt("bdd"));
  await kill(driver.child);
  expect(state()).toMatchObject({ story: "US-001", step: "bdd", status: "running", attempt: 1 });
  // While the other side works; it ends when nobody waits for it.
  hold("bdd");
  hold("impl");
  hold("verify");
  let other = otherProgram(it);
  driver = drive();
  await until(hasBegun("bdd"));
  await kill(driver.child);
  release("bdd");
  await until(hasReported("bdd"));
  // Just after a report is written, and just after one is counted.
  driver = drive();
  await until(hasReported("sdd-delta"));
  await kill(driver.child);
  driver = drive();
  await until(isCounted("contract"));
  await kill(driver.child);
  // At the review: a driver that only asks, and the answer.
  expect(JSON.parse(await it.pawl(["continue", "--await", "--json"], 3))).toMatchObject({ type: "needs_human" });
  expect(state()).toMatchObject({ step: "review", status: "needs_human" });
  const approval = it.start("approve");
  await until(async () => {
    // If it fails, this says why.
    if (approval.child.exitCode !== null) expectCode(await approval.ended, 0);
    const { gate } = await viewProject(it.app, await projectPlace(it.app, root));
    return gate === null;
  });
  await kill(approval.child);
  // The other side, while it works, and after its report.
  driver = drive();
  await until(hasBegun("impl"));
  await other.die();
  release("impl");
  other = otherProgram(it);
  await until(hasReported("impl"));
  await other.die();
  other = otherProgram(it);
  // Both at once.
  await until(hasBegun("verify"));
  await Promise.all([other.die(), kill(driver.child)]);
  release("verify");
  otherProgram(it);
  // At the end of the story.
  driver = drive();
  await until(isCounted("update-memory"));
  await kill(driver.child);
  expect(JSON.parse(await it.pawl(["continue", "--await", "--json"], 0))).toMatchObject({ type: "done" });

  expect(state()).toMatchObject({ story: "US-001", step: "done" });
  expectOnce(audit("end"));
  const attempts = await it.attempts();
  expectOnce(attempts.map(({ name, number }) => `${name} ${number}`));
  // A driver that dies before an attempt has begun has lost it; nobody has seen that one.
  const counted = attempts.filter(({ outcome }) => outcome !== "lost");
  expect(counted.map(({ name, outcome }) => `${name} ${outcome}`)).toEqual(steps.map((step) => `${step} completed`));
  expect(audit("end")).toEqual(counted.map(({ name, number }) => `US-001 ${name} ${number}`));
});

test("[RC1 PJ9 D3] in trees of stories: drivers and agents are killed, and the story is integrated by exactly one commit", async () => {
  const it = await scene("2");
  const { root, audit, hold, release } = it;
  const executor = ["--executor", `command: ${it.work}`];
  const drive = () => it.start("continue", ...executor, "--json");
  const begun = (step: string) => audit("begin").filter((line) => line.includes(` ${step} `)).length;
  const integrates = async () => (await it.attempts()).some(({ name }) => name === "integrate");

  hold("bdd");
  let driver = drive();
  await until(() => begun("bdd") === 1);
  await kill(driver.child);
  release("bdd");
  driver = drive();
  await until(() => audit("end").some((line) => line.includes(" sdd-delta ")));
  await kill(driver.child);
  expect(JSON.parse(await it.pawl(["continue", ...executor, "--json"], 3))).toMatchObject({ type: "needs_human" });
  await it.pawl(["approve"], 0);
  driver = drive();
  await until(integrates);
  await kill(driver.child);
  expect(JSON.parse(await it.pawl(["continue", ...executor, "--json"], 0))).toMatchObject({ type: "done" });

  expectOnce(audit("begin"));
  const attempts = await it.attempts();
  expectOnce(attempts.map(({ name, number }) => `${name} ${number}`));
  const completed = attempts.filter(({ outcome }) => outcome === "completed").map(({ name }) => name);
  expect(completed).toEqual([...steps, "integrate"]);
  expect(
    runGit(root, "log", "--format=%s")
      .split("\n")
      .filter((line) => line.startsWith("feat:")),
  ).toEqual(["feat: US-001 - Story US-001"]);
  expect(runGit(root, "ls-files")).toContain("US-001-impl.txt");
});

test("[PJ9 D3 D69] level 1: a hook that is killed and called again ends the attempt once", async () => {
  const it = await scene("1");
  const { root, state } = it;
  const session = async () => {
    const child = spawn(it.work, { cwd: root, stdio: ["ignore", "ignore", "ignore"] });
    await new Promise((resolve) => child.on("close", resolve));
  };
  await it.pawl(["continue"], 0);
  await session();
  // Before it has done anything.
  await kill(it.start("hook").child);
  // Just after it has recorded the end.
  const hook = it.start("hook");
  await until(async () => (await it.attempts()).some(({ outcome }) => outcome === "completed"));
  await kill(hook.child);
  expect(await it.pawl(["hook"], 0)).toContain("nothing runs");
  await expect.poll(() => state()).toMatchObject({ step: "bdd", status: "pass", attempt: 1 });
  // One that is killed after it has handed out a prompt: the attempt is handed out, and no other.
  const handing = it.start("continue");
  await until(async () =>
    (await it.attempts()).some(({ name, outcome }) => name === "sdd-delta" && outcome === "started"),
  );
  await kill(handing.child);
  expect(await it.pawl(["continue"], 3)).toContain("running");
  await session();
  await it.pawl(["hook"], 0);
  expect(await it.attempts()).toEqual([
    { name: "bdd", number: 1, outcome: "completed" },
    { name: "sdd-delta", number: 1, outcome: "completed" },
  ]);
});
