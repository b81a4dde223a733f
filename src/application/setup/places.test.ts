// Where things are after setting up: an installed workflow with its role files, and the tree in which an executor is tested.

import { mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { makeRepository, runGit, tempDir } from "../../../test/support/repository.ts";
import { installWorkflow } from "../../runtime/runs/workflow-install.ts";
import { openWorkflow } from "../../runtime/runs/workflow-library.ts";
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

test("[IN1 IN4 IN9] an installed workflow has the files that it includes by a path, with their role files", () => {
  const { app, dir } = makeApp();
  const write = (path: string, text: string) => {
    mkdirSync(join(dir, path, ".."), { recursive: true });
    writeFileSync(join(dir, path), text);
  };
  const part = (id: string, more = "") =>
    `pawl: 1\nid: ${id}\nagents: { dev: { files: { ROLE.md: roles/${id}.md } } }\nsteps:\n  - { id: work, agent: dev }\n${more}`;
  write(
    "all/top/workflow.yml",
    part("top", "  - { id: near, workflow: ./parts/near.yml }\n  - { id: far, workflow: ../far }\n"),
  );
  write("all/top/roles/top.md", "top");
  write("all/top/parts/near.yml", part("near"));
  write("all/top/parts/roles/near.md", "near");
  write("all/far/workflow.yml", part("far", "  - { id: next, workflow: ./next.yml }\n"));
  write("all/far/roles/far.md", "far");
  write("all/far/next.yml", part("next"));
  write("all/far/roles/next.md", "next");
  const roles = (name: string) => {
    const { definition, file } = openWorkflow(app.home, name, app.protocols);
    const agents = Object.values(definition.agents);
    return agents.map(({ name, files }) => [name, readFileSync(join(file, "..", files["ROLE.md"] ?? ""), "utf8")]);
  };
  const all = [
    ["dev", "top"],
    ["near.dev", "near"],
    ["far.dev", "far"],
    ["far.next.dev", "next"],
  ];
  expect(roles(join(dir, "all", "top"))).toEqual(all);
  expect(installWorkflow(app.home, join(dir, "all", "top"), app.protocols).missing).toEqual([]);
  rmSync(join(dir, "all"), { recursive: true });
  expect(roles("top")).toEqual(all);
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
