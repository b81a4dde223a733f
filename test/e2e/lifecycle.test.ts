// The lifecycle on the command line: from an empty directory to the last milestone, with a failing verification, a blocked review and a
// failing test on the way; what each command prints, and its exit code.

import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import {
  type LifecycleTestProject,
  lifecycleProject,
  milestoneCalls as milestone,
  phaseCalls as phase,
  planned,
  writeProject,
} from "../support/lifecycle-project.ts";
import { type Called, expectCode, pawl, pawlOnTerminal } from "../support/pawl.ts";

async function lifecycle({ home, root }: LifecycleTestProject, ...args: readonly string[]): Promise<Called> {
  return await pawl(["lifecycle", ...args], { home, cwd: root });
}

const fixLoop = (debug: RegExp | string) => [
  typeof debug === "string" ? debug : expect.stringMatching(debug),
  "maestro-plan --gaps 1",
  "maestro-execute 1",
];

test("[LE4 LE5 LD1 LD5 LD7 E1 E26 E38 E40 E41 E42 E45 E46 E60 E73 E74] from an empty directory to all milestones complete", async () => {
  const project = lifecycleProject();
  project.plan({ "maestro-verify 1": ["fix"], "quality-review 1": ["fix"], "quality-test 1": ["fix"] });
  const started = await lifecycle(project, 'Build a "tea" shop, please', "--yes", "--executor", project.executor);
  expectCode(started, 3);
  expect(started.stderr).toContain('[ ] 0. maestro-brainstorm "Build a \\"tea\\" shop, please" [skill/barrier]');
  expect(started.stderr).toContain("⏸ Reached decision node: post-verify.");
  const said: string[] = [];
  let last = await lifecycle(project, "execute");
  for (; last.code === 3; last = await lifecycle(project, said.length % 2 === 0 ? "continue" : "execute"))
    said.push(last.stderr);
  expectCode(last, 0);
  // One for each decision: post-verify twice, and so on.
  expect(said).toHaveLength(15);
  expect(project.calls()).toEqual([
    'maestro-brainstorm "Build a \\"tea\\" shop, please"',
    "maestro-init",
    'maestro-roadmap "Build a \\"tea\\" shop, please"',
    ...phase.slice(0, 4),
    ...fixLoop(/^quality-debug "passed is false, with one gap: high: the \\"cart\\", is empty"$/),
    "maestro-verify 1",
    ...phase.slice(4, 6),
    ...fixLoop(/^quality-debug "verdict is BLOCK: critical: a key is in the code"$/),
    "quality-review 1",
    ...phase.slice(6),
    ...fixLoop("quality-debug --from-uat 1"),
    ...phase.slice(3),
    ...milestone,
    ...phase,
    ...milestone,
  ]);
  const words = said.join("");
  expect(words).toContain("◆ post-verify: gaps detected, inserting debug+fix loop (retry 1/2)");
  expect(words).toContain("[W001] post-review: A decision expanded the chain: debug, plan-gaps, execute, review");
  expect(words).toContain("◆ post-milestone: M1 done → advancing to M2 Phase 1");
  expect(last.stderr).toContain("◆ post-milestone: all milestones complete!");
  expect(last.stderr).toContain("RALPH COMPLETE");
  expect(last.stderr).toMatch(/\[✓\] \d+\. ◆ post-verify \[decision: no gaps\]/);
  const status = project.status();
  expect(status).toMatchObject({ status: "completed", lifecycle_position: "complete", milestone: "M2" });
  expect(status.steps.map(({ index }) => index)).toEqual(status.steps.map((_, index) => index));
  expect(status.steps.every((step) => step.status === "completed")).toBe(true);
  const folder = join(project.root, ".workflow/.ralph", status.id);
  const waves = readdirSync(folder).filter((name) => /^wave-\d+\.csv$/.test(name));
  expect(waves).toHaveLength(project.calls().length);
  expect(readFileSync(join(folder, "wave-4.csv"), "utf8")).toContain('"$maestro-ralph-execute ""$maestro-analyze 1"""');
});

describe("commands", () => {
  test("[LE3 E33] without a terminal and without --yes nobody can agree: exit 2, and nothing is there", async () => {
    const project = lifecycleProject();
    const called = await lifecycle(project, "Build it", "--executor", project.executor);
    expectCode(called, 2);
    expect(called.stderr).toContain("--yes");
    expect(readdirSync(project.root)).toEqual([]);
  });

  test("[LE8 E5 E61 E66] without an argument the session is shown; without a session it is E001, and `execute` E006", async () => {
    const project = lifecycleProject(planned());
    expect(await lifecycle(project)).toMatchObject({ code: 2, stderr: expect.stringContaining("E001") });
    expect(await lifecycle(project, "execute")).toMatchObject({ code: 5, stderr: expect.stringContaining("E006") });
    expectCode(await lifecycle(project, "Go", "--yes", "--executor", project.executor), 3);
    const shown = await lifecycle(project);
    expectCode(shown, 0);
    expect(shown.stdout).toContain("[ ] 4. ◆ post-verify [decision]");
  });

  test("[LE8] one word that is almost a subcommand is no intent, with or without --yes", async () => {
    const project = lifecycleProject(planned());
    for (const [word, meant] of [
      ["stauts", "status"],
      ["Execute", "execute"],
    ] as const)
      expect(await lifecycle(project, word, "--yes", "--executor", project.executor)).toMatchObject({
        code: 2,
        stderr: expect.stringContaining(`did you mean \`pawl lifecycle ${meant}\`?`),
      });
    expect(project.calls("begin")).toEqual([]);
  });

  test.skipIf(process.platform !== "linux" || !existsSync("/usr/bin/script"))(
    "[LE3] Ctrl-C and Ctrl-D at the question start nothing",
    async () => {
      const project = lifecycleProject();
      const { home, root, executor } = project;
      for (const [key, code] of [
        ["\u0003", 130],
        ["\u0004", 0],
      ] as const) {
        const asked = await pawlOnTerminal(["lifecycle", "Build it", "--executor", executor], { home, cwd: root }, key);
        expect(asked).toMatchObject({ code, screen: expect.stringMatching(/\nCancelled; nothing was started\.\n$/) });
        expect(asked.screen).not.toContain("error");
        expect(readdirSync(root)).toEqual([]);
      }
    },
  );

  test("[LE8] an option that a subcommand does not have is refused, not ignored", async () => {
    const project = lifecycleProject(planned());
    for (const args of [
      ["execute", "--phase", "1"],
      ["continue", "--all-phases"],
      ["status", "--auto"],
    ])
      expect(await lifecycle(project, ...args)).toMatchObject({
        code: 2,
        stderr: expect.stringContaining(`unknown option '${args[1]}'`),
      });
  });

  test("[LE11 LE3] a session of another program is not continued where nobody can agree: exit 2 and --yes", async () => {
    const project = lifecycleProject();
    const foreign = { intent: "Sell tea", status: "running", auto_mode: true };
    writeProject(project.root, { ...planned(), ".workflow/.ralph/X/status.json": foreign });
    const called = await lifecycle(project, "execute", "--executor", project.executor);
    expectCode(called, 2);
    expect(called.stderr).toContain("--yes");
    expect(project.calls("begin")).toEqual([]);
    expectCode(await lifecycle(project, "execute", "--yes", "--executor", project.executor), 3);
  });

  test("[LE14 E44 E56 E57] --locale zh says it in Chinese, as LANG does", async () => {
    const project = lifecycleProject(planned());
    const started = await lifecycle(project, "Go", "--yes", "--locale", "zh", "--executor", project.executor);
    expect(started.stderr).toContain("到达决策节点");
    const { home, root } = project;
    const shown = await pawl(["lifecycle", "execute"], { home, cwd: root, env: { LANG: "zh_CN.UTF-8", LC_ALL: "" } });
    expect(shown.stderr).toContain("到达决策节点");
  });

  test("[LE15 E58 E52] perform makes one call, also the one of a worker around it, and prints its result", async () => {
    const project = lifecycleProject();
    writeProject(project.root, planned());
    const perform = async (call: string) => await lifecycle(project, "perform", call, "--executor", project.executor);
    const done = await perform("maestro-analyze 1");
    expectCode(done, 0);
    expect(JSON.parse(done.stdout)).toEqual({
      status: "completed",
      skill_call: "maestro-analyze 1",
      summary: "did maestro-analyze 1",
      artifacts: "",
      error: "",
    });
    project.plan({ 'quality-debug "a \\"gap\\""': ["failed"] });
    const failed = await perform('$maestro-ralph-execute "$quality-debug \\"a \\\\\\"gap\\\\\\"\\""');
    expectCode(failed, 1);
    expect(JSON.parse(failed.stdout)).toMatchObject({ status: "failed", error: "there was no network" });
    expect(project.calls()).toEqual(["maestro-analyze 1", 'quality-debug "a \\"gap\\""']);
    expect(await perform("no-such-skill 1")).toMatchObject({ code: 5 });
  });
});
