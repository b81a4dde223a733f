// Another table of stages: other names of skills, a command among them, other limits. And a call that cannot be made.

import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { folderProject, lifecycleProject, planned } from "../../../test/support/lifecycle-project.ts";
import { tempDir } from "../../../test/support/repository.ts";
import { withWave } from "../../../test/support/wave-stages.ts";
import { packageFile } from "../../system/package-root.ts";
import { stopWords } from "./session-text.ts";
import type { LifecycleEnd } from "./start.ts";

/** The bundled table, changed, in a file of its own. */
function stages(change: (text: string) => string): string {
  const file = join(tempDir("pawl-stages-"), "workflow.yml");
  const bundled = readFileSync(packageFile("workflows/lifecycle/workflow.yml"), "utf8");
  writeFileSync(file, change(bundled.replace(/^ {4}files: .*\n/gm, "")));
  return file;
}

const stopOf = (end: LifecycleEnd) => (end.kind === "moved" ? end.view.stop : null);

test("[LE17 LD5 E6 E29 E35] a second table with other names, a command and a smaller limit works the same way", async () => {
  const workflow = stages((text) =>
    text
      .replaceAll("maestro-", "acme-")
      .replaceAll("quality-", "acme-q-")
      .replace("verify], at_most: 2", "verify], at_most: 1")
      .replace(
        "      - id: verify\n",
        "      - id: lint\n        title: Lint\n        command: echo linted > lint.txt\n        barrier: true\n        on: *rejected\n        on_error: *hold\n      - id: verify\n",
      ),
  );
  const project = folderProject(planned());
  project.plan({ "acme-verify 1": ["fix", "fix"] });
  const started = await project.start("Go", { workflow });
  expect(stopOf(started)).toMatchObject({ kind: "decision", step: "post-verify" });
  expect(project.calls()).toEqual(["acme-analyze 1", "acme-plan 1", "acme-execute 1", "acme-verify 1"]);
  const { steps } = project.status();
  expect(steps.slice(2, 5)).toMatchObject([
    { type: "skill", skill: "acme-execute", args: "1", barrier: true },
    { type: "cli", skill: "lint", args: "echo linted > lint.txt", barrier: true, status: "completed" },
    { type: "skill", skill: "acme-verify", barrier: false },
  ]);
  expect(steps[5]?.args).toBe('{"decision":"post-verify","retry_count":0,"max_retries":1}');
  await project.execute();
  expect(stopOf(await project.execute())).toMatchObject({ kind: "escalated" });
});

test("[LE17] a command that fails is held as a skill is, with what it printed; without `on` the phase fails, with that too", async () => {
  const lint = (routes: string) =>
    stages((text) =>
      text.replace(
        "      - id: verify\n",
        `      - id: lint\n        title: Lint\n        command: echo a.ts is red; exit 3\n${routes}      - id: verify\n`,
      ),
    );
  const project = folderProject(planned());
  const held = await project.start("Go", { workflow: lint("        on: *rejected\n        on_error: *hold\n") });
  expect(stopOf(held)).toMatchObject({ kind: "failed", step: "lint" });
  expect(stopOf(held)?.gate.feedback).toContain("a.ts is red");
  const failed = await folderProject(planned()).start("Go", { workflow: lint("        on_error: *hold\n") });
  if (failed.kind !== "moved") throw new Error("it did not start");
  expect(failed.driven?.end).toBe("failed");
  const words = stopWords(failed.view, failed.project);
  expect(words.slice(0, 2)).toEqual(["The run failed: story M1-P1 failed", "lint:"]);
  expect(words).toContain("  | a.ts is red");
  expect(words.at(-1)).toBe("Continue: pawl lifecycle execute");
});

test("[LD8 E49] a call with a value that is not known is not made: its step is held, and says which value", async () => {
  const workflow = stages((text) =>
    text.replace("maestro-analyze {{phase}}", "maestro-analyze {{phase}} {{plan_dir}}"),
  );
  const project = folderProject(planned());
  const stop = stopOf(await project.start("Go", { workflow }));
  expect(stop).toMatchObject({ kind: "failed", step: "analyze" });
  expect(stop?.gate.feedback).toContain("analyze: the call needs {{plan_dir}}, which is not known here");
  expect(project.calls("begin")).toEqual([]);
});

const waves = { lint: "acme-lint {{phase}}", audit: "acme-audit {{phase}}" };

test("[LW7 LE5 E54 E60] a wave with a skill that failed pauses the session; `execute` makes that call again, and no other", async () => {
  const workflow = stages((text) => withWave(text, waves));
  const project = folderProject(planned());
  project.plan({ "acme-audit 1": ["failed"] });
  const started = await project.start("Go", { workflow });
  expect(project.plans[0]).toContain(
    "[ ] 3. acme-lint 1 [skill]\n[ ] 4. acme-audit 1 [skill]\n[ ] 5. maestro-verify 1 [skill]\n[ ] 6. ◆ post-verify",
  );
  expect(stopOf(started)).toMatchObject({ kind: "failed", step: "audit", goesOn: true });
  expect(project.calls().slice(3).toSorted()).toEqual(["acme-audit 1", "acme-lint 1", "maestro-verify 1"]);
  expect(project.status()).toMatchObject({ status: "paused", current_step: 4, lifecycle_position: "audit" });
  expect(stopOf(await project.execute())).toMatchObject({ kind: "decision", step: "post-verify" });
  expect(project.calls().slice(6)).toEqual(["acme-audit 1"]);
  const { steps, waves: shown } = project.status();
  expect(steps.slice(2, 7).map(({ stage, status, wave }) => [stage, status, wave])).toEqual([
    ["execute", "completed", 3],
    ["lint", "completed", 4],
    ["audit", "completed", 5],
    ["verify", "completed", 4],
    ["post-verify", "pending", null],
  ]);
  expect(shown.map(({ step_indexes }) => step_indexes)).toEqual([[0], [1], [2], [3, 4, 5], [4]]);
  // What verify wrote in the wave is what the decision reads, and the chain goes on behind it.
  expect(stopOf(await project.execute())).toMatchObject({ kind: "decision", step: "post-business-test" });
});

test("[LW11 PT18] in a tree of the run's own each skill of a wave has a tree, and what they wrote is joined for the decision", async () => {
  const workflow = stages((text) => withWave(text, waves));
  const project = lifecycleProject(planned());
  expect(stopOf(await project.start("Go", { workflow }))).toMatchObject({ kind: "decision", step: "post-verify" });
  expect(project.calls().slice(3).toSorted()).toEqual(["acme-audit 1", "acme-lint 1", "maestro-verify 1"]);
  const { steps, waves: shown } = project.status();
  expect(steps.slice(3, 6)).toMatchObject([
    { stage: "lint", status: "completed", wave: 4 },
    { stage: "audit", status: "completed", wave: 4 },
    { stage: "verify", status: "completed", wave: 4, artifacts: expect.stringContaining("verify-P1") },
  ]);
  expect(shown.at(-1)).toMatchObject({ step_indexes: [3, 4, 5], status: "completed" });
  expect(stopOf(await project.execute())).toMatchObject({ kind: "decision", step: "post-business-test" });
});

test("[LW11 PT19] two skills of a wave that changed one file: the later one runs again, as a wave of one row", async () => {
  const workflow = stages((text) => withWave(text, { precheck: "acme-analyze {{phase}}" }));
  const project = lifecycleProject(planned());
  expect(stopOf(await project.start("Go", { workflow }))).toMatchObject({ kind: "decision", step: "post-verify" });
  expect(project.calls().slice(3).toSorted()).toEqual(["acme-analyze 1", "maestro-verify 1", "maestro-verify 1"]);
  const { steps, waves: shown } = project.status();
  expect(steps.slice(3, 5).map(({ stage, status, wave }) => [stage, status, wave])).toEqual([
    ["precheck", "completed", 4],
    ["verify", "completed", 5],
  ]);
  expect(shown.slice(3).map(({ status, rows }) => [status, rows.map(({ id }) => id)])).toEqual([
    ["completed", [4, 5]],
    ["completed", [5]],
  ]);
  expect(stopOf(await project.execute())).toMatchObject({ kind: "decision", step: "post-business-test" });
});

test("[LW2 LD5 E48] a fix round inserts a stage of a wave alone", async () => {
  const workflow = stages((text) => withWave(text, { lint: "acme-lint {{phase}}" }));
  const project = folderProject(planned());
  project.plan({ "maestro-verify 1": ["fix"] });
  await project.start("Go", { workflow });
  await project.execute();
  expect(
    project
      .calls()
      .slice(5)
      .map((call) => call.split(" ")[0]),
  ).toEqual(["quality-debug", "maestro-plan", "maestro-execute", "maestro-verify"]);
  expect(project.status().waves.at(-1)?.rows).toHaveLength(1);
});

test("[LE17] a workflow that is no lifecycle is refused", async () => {
  const project = lifecycleProject(planned());
  await expect(project.start("Go", { workflow: "feature-dev" })).rejects.toMatchObject({ code: "WORKFLOW_INVALID" });
});

test("[LE18 E65] a skill whose time is over holds the session with E005", async () => {
  const workflow = stages((text) =>
    text.replace(
      "timeout: 1h\n        on: *rejected\n        on_error: *hold\n        input: maestro-plan {{phase}}",
      "timeout: 2s\n        on: *rejected\n        on_error: *hold\n        input: maestro-plan {{phase}}",
    ),
  );
  const project = folderProject(planned());
  project.hold("maestro-plan");
  const end = await project.start("Go", { workflow });
  expect(stopOf(end)).toMatchObject({ kind: "failed", step: "plan" });
  if (end.kind !== "moved") throw new Error("it did not start");
  expect(end.view.status.status).toBe("paused");
  expect(end.view.status.pawl.codes).toMatchObject([{ code: "E005", step: "M1-P1/plan" }]);
  project.release("maestro-plan");
  expect(stopOf(await project.execute())).toMatchObject({ kind: "decision" });
});
