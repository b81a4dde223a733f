// Where things are after setting up: an installed workflow with its role files, and the tree in which an executor is tested.

import { mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { makeRepository, runGit, tempDir } from "../../../test/support/repository.ts";
import { installWorkflow, openWorkflow } from "../../runtime/runs/workflow-library.ts";
import { Application } from "../application.ts";
import { testExecutor } from "./executors.ts";

function makeApp(): { readonly app: Application; readonly dir: string } {
  const dir = tempDir();
  const repo = makeRepository(undefined, { dir: join(dir, "repo") });
  const app = new Application({ cwd: repo, env: { ...process.env, PAWL_HOME: join(dir, "home") } });
  onTestFinished(async () => await app.close());
  return { app, dir };
}

test("[WF99] an installed workflow has the role files that it shares with others", () => {
  const { app, dir } = makeApp();
  mkdirSync(join(dir, "all", "flow"), { recursive: true });
  mkdirSync(join(dir, "all", "agents", "shared"), { recursive: true });
  writeFileSync(join(dir, "all", "agents", "shared", "ROLE.md"), "Be careful.");
  writeFileSync(
    join(dir, "all", "flow", "workflow.yml"),
    `id: flow
agents: [{ id: dev, workspace: { baseDir: agents/dev, files: { ROLE.md: ../agents/shared/ROLE.md } } }]
steps: [{ id: a, agent: dev, input: x, expects: "STATUS: done" }]
`,
  );
  const installed = installWorkflow(app.home, join(dir, "all", "flow"), app.protocols);
  expect(installed.missing).toEqual([]);
  const { definition, file } = openWorkflow(app.home, "flow", app.protocols);
  const [source = ""] = Object.values(Object.values(definition.agents)[0]?.files ?? {});
  expect(file).toBe(installed.file);
  expect(readFileSync(join(app.home.workflows, "flow", source), "utf8")).toBe("Be careful.");
});

test("[OT4] an executor is tested in a tree of Pawl, which is gone afterwards", async () => {
  const { app, dir } = makeApp();
  const agent = join(dir, "agent.sh");
  writeFileSync(agent, `pwd > ${dir}/where; cat README.md; echo STATUS: done`);
  expect(await testExecutor(app, `command: sh ${agent}`)).toMatchObject({ ok: true });
  expect(readFileSync(join(dir, "where"), "utf8")).toContain(app.home.worktrees);
  expect(readdirSync(app.home.worktrees)).toEqual([]);
  expect(runGit(app.cwd, "worktree", "list").split("\n")).toHaveLength(1);
});
