// Sessions of other programs whose driver is gone: people read what is waited for, and their time ends them.

import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { agenticProject } from "../../../test/support/agentic-project.ts";
import { whyOf } from "../looking/status.ts";
import { hookSession } from "./hook.ts";
import { projectAt } from "./place.ts";
import { viewProject } from "./view.ts";
import { watchProject } from "./watch.ts";

test("[PJ22 WY8 AW7 D4 D12 D42] a driver that left: what is waited for is said, and watch ends it at its time", async () => {
  const project = await agenticProject("2");
  const { app, go, root } = project;
  writeFileSync(join(root, ".ai/step-rules.yaml"), "steps: { bdd: { timeout_min: 0.2 } }\n");
  const view = async () => await viewProject(app, await projectAt(app, root));
  const leaving = new AbortController();
  const driving = go({ executor: undefined, awaits: true, signal: leaving.signal });
  await expect.poll(async () => (await view()).report).toContain("Waits for its report in");
  const file = join(root, ".ai/HANDOFF.md");
  expect((await whyOf(app)).why).toContain(`US-001: bdd waits for another program's report in ${file}, until `);
  expect((await view()).report).not.toContain("No process waits for it");
  leaving.abort();
  await driving;
  expect((await view()).report).toContain(`Waits for its report in ${file}, until `);
  expect((await view()).report).toContain("No process waits for it: `pawl project continue --await`");
  expect((await hookSession(app, root)).report).toContain("has no driver: `pawl project continue --await`");
  const watching = new AbortController();
  const onReport = (report: string) => void (report.includes("timed out") && watching.abort());
  await watchProject(app, { dir: root, everyMs: 50, signal: watching.signal, onReport });
  expect((await view()).state).toMatchObject({ step: "bdd", status: "timeout", attempt: 1 });
});
