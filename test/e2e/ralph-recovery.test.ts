// A driver that dies or is interrupted in each phase of running stories. The next one says what it found and continues, and nothing
// is done twice.

import { readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { type Called, expectCode, type RunningPawl, startPawl, writeAt } from "../support/pawl.ts";
import {
  begun,
  configure,
  expectNothingLeft,
  integrated,
  newRalph,
  processesOf,
  type Ralph,
  slowGit,
} from "../support/ralph.ts";
import { log } from "../support/repository.ts";
import { until } from "../support/until.ts";

/** Kills the driver when the file exists. Its agents end with it; the next ones need not wait any more. */
async function killAt(ralph: Ralph, driver: RunningPawl, name: string): Promise<void> {
  await until(() => ralph.isThere(name));
  driver.child.kill("SIGKILL");
  await driver.ended;
  await until(async () => (await processesOf(ralph)) === 0);
  ralph.release("go");
}

/** Waits here the first time, until `go` exists. */
function pausing(ralph: Ralph, name: string): string {
  const dir = ralph.path();
  return `[ -e '${dir}/go' ] || { : > '${dir}/${name}'; sleep 600; }`;
}

function times(ralph: Ralph, step: string): number {
  return begun(ralph.journal()).filter((other) => other === step).length;
}

async function expectDone(ralph: Ralph, called: Called, stories: readonly string[]): Promise<void> {
  expectCode(called, 0);
  expect(integrated(ralph.repo)).toEqual(stories);
  expect(log(ralph.repo)).toHaveLength(1 + stories.length);
  await expectNothingLeft(ralph);
}

test("[C96 RC1 RC5 RC19] killed during the setup of a tree: setup is stopped and runs again, and then the step", async () => {
  const ralph = newRalph([{ id: "US-001" }], {
    agent: `*/coding) test "$(cat installed)" = whole || exit 1; echo work > work.txt ;;`,
  });
  configure(
    ralph,
    `workspace: { setup: [${JSON.stringify(`${pausing(ralph, "setting-up")}; echo whole > installed`)}] }\n`,
  );
  const driver = ralph.startRun();
  await killAt(ralph, driver, "setting-up");
  const next = await ralph.run();
  expect(next.stderr).toMatch(/US-001 planning \(attempt 1\) .* the process that drove it died.*runs again/);
  expect(times(ralph, "US-001/planning")).toBe(1);
  await expectDone(ralph, next, ["US-001"]);
});

test("[C96 RC1 RC2 RC3] killed while agents work: they are stopped, their steps run again from where they began, finished steps do not", async () => {
  const ralph = newRalph([{ id: "US-001" }, { id: "US-002" }, { id: "US-003", depends_on: ["US-001"] }], {
    agent: `
US-001/coding)
  if [ ! -e "$S/go" ]; then echo half > half.txt; commit; : > "$S/coding"; sleep 600; fi
  test ! -e half.txt || exit 1
  echo whole > whole.txt ;;`,
  });
  const driver = ralph.startRun("--agents", "2");
  await until(() => integrated(ralph.repo).includes("US-002"));
  await killAt(ralph, driver, "coding");
  const next = await ralph.run();
  expect(next.stderr).toMatch(/US-001 coding \(attempt 1\) was running .* kept as a diff, and it runs again/);
  expect(readFileSync(`${ralph.shared}/failures/US-001-step-002.diff`, "utf8")).toContain("half.txt");
  expect([times(ralph, "US-001/planning"), times(ralph, "US-001/coding"), times(ralph, "US-002/coding")]).toEqual([
    1, 2, 1,
  ]);
  await expectDone(ralph, next, ["US-002", "US-001", "US-003"]);
});

test("[C73 C96 RC18 RC19] killed between the end of an agent and its report: the result is adopted with its edits, and the agent does not run again", async () => {
  const ralph = newRalph([{ id: "US-001" }], {
    agent: `
*/final_review)
  if [ ! -e fix.txt ]; then
    mkdir -p "$PAWL_SHARED/workflow_edits"
    printf '[{"operation":"add_before","target_step_id":"%s","new_steps":[{"type":"coding","description":"fix"}],"reason":"r"}]' \\
      "$PAWL_STEP" > "$PAWL_SHARED/workflow_edits/$PAWL_STORY.json"
  fi ;;
*/coding) if [ -e work.txt ]; then echo fix > fix.txt; else echo work > work.txt; fi; commit ;;`,
  });
  const driver = ralph.startRun("--test", pausing(ralph, "checking"));
  await killAt(ralph, driver, "checking");
  const next = await ralph.pawl("resume", "1");
  expect(next.stderr).toMatch(/US-001 final_review \(attempt 1\) had ended when .*: its result is taken over/);
  expect([times(ralph, "US-001/coding"), times(ralph, "US-001/final_review")]).toEqual([2, 2]);
  expect(ralph.story("US-001").steps.map(({ type }) => type)).toEqual(["planning", "coding", "coding", "final_review"]);
  await expectDone(ralph, next, ["US-001"]);
});

test("[C90 C96 RC15] killed during an integration: it is finished or undone, and the story is on the base once", async () => {
  const ralph = newRalph([{ id: "US-001" }, { id: "US-002", depends_on: ["US-001"] }]);
  const calls = ralph.path("calls");
  const suite = `echo x >> '${calls}'; [ "$(wc -l < '${calls}')" -lt 2 ] || ${pausing(ralph, "integrating")}`;
  const driver = ralph.startRun("--test", `sh ${writeAt(ralph, "suite.sh", suite)}`);
  await killAt(ralph, driver, "integrating");
  const next = await ralph.run();
  expect(next.stderr).toMatch(
    /US-001 integrate \(attempt 1\) .*: what it had begun is finished or undone, and it runs again/,
  );
  expect(times(ralph, "US-001/final_review")).toBe(1);
  await expectDone(ralph, next, ["US-001", "US-002"]);
});

test.each(["SIGINT", "SIGTERM"] as const)(
  "[C106 DR7 PF8 CM8] %s stops the agents and the setup of trees with all they started, exits 130, and the same command continues",
  async (signal) => {
    const ralph = newRalph([{ id: "US-001" }, { id: "US-002" }], {
      agent: `
US-001/coding)
  if [ ! -e "$S/go" ]; then echo half > half.txt; setsid sleep 600 & : > "$S/coding"; sleep 600; fi
  test ! -e half.txt || exit 1
  echo whole > whole.txt ;;`,
    });
    const setup = `[ "$PAWL_SLOT" = 1 ] || ${pausing(ralph, "setting-up")}`;
    configure(ralph, `workspace: { setup: [${JSON.stringify(setup)}] }\n`);
    const driver = ralph.startRun("--agents", "2");
    await until(() => ralph.isThere("coding") && ralph.isThere("setting-up"));
    driver.child.kill(signal);
    const ended = await driver.ended;
    expectCode(ended, 130);
    expect(ended.stderr).toContain("pawl resume 1");
    expect(await processesOf(ralph)).toBe(0);
    const outcomes = (await ralph.events())
      .filter(({ type }) => type === "attempt_ended")
      .map(({ outcome }) => outcome);
    expect(outcomes.filter((outcome) => outcome === "cancelled")).toHaveLength(2);
    expect(integrated(ralph.repo)).toEqual([]);
    ralph.release("go");
    const next = await ralph.run();
    expect(integrated(ralph.repo).toSorted()).toEqual(["US-001", "US-002"]);
    await expectDone(ralph, next, integrated(ralph.repo));
  },
);

test("[DR9 RC4] two drivers of one run share the work: every tree is made once, every step is done once", async () => {
  const stories = ["US-001", "US-002", "US-003", "US-004"].map((id) => ({ id }));
  const ralph = newRalph(stories);
  expectCode(await ralph.run("--agents", "3", "--detach"), 0);
  const env = slowGit("*worktree*add*) sleep 0.4 ;; *reset*--hard*) sleep 0.2 ;;");
  const drivers = [1, 2].map(() => startPawl(["resume", "1"], { home: ralph.home, cwd: ralph.repo, env }));
  for (const driver of drivers) expectCode(await driver.ended, 0);
  expect(begun(ralph.journal()).toSorted()).toEqual(
    stories.flatMap(({ id }) => [`${id}/coding`, `${id}/final_review`, `${id}/planning`]),
  );
  expect(integrated(ralph.repo).toSorted()).toEqual(stories.map(({ id }) => id));
  await expectNothingLeft(ralph);
});
