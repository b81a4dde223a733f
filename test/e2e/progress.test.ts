// What agents remember between sessions: the progress log and their role files, in their home.

import { appendFileSync, existsSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { newSite, type Site, type StatusDocument, writeAt } from "../support/pawl.ts";
import { claim, complete, perform } from "../support/pulling.ts";
import { done, featureScript, implementing, plan, story, writeScript } from "../support/scripts.ts";
import { loopWorkflow } from "../support/workflows.ts";

const developer = (site: Site, ...parts: string[]) => join(site.home, "agents/feature-dev/developer", ...parts);
const archived = (site: Site, run: string) => readFileSync(developer(site, "archive", run, "progress.txt"), "utf8");
const promptOf = (site: Site, run: string, name: string) =>
  readFileSync(join(site.home, "logs", run, `${name}.prompt.md`), "utf8");

test("[A11 A12 A67 A68 A70 A71 A74 A75] the log is in the developer's home and in every later prompt, and is archived at the end", async () => {
  const site = newSite();
  const script = writeScript(site, featureScript([story("US-001"), story("US-002")]));
  const run = (task: string) => site.json<StatusDocument>(["run", "feature-dev", task, "--script", script]);
  const first = (await run("first")).run.id;

  expect(promptOf(site, first, "US-001-implement-1")).toContain(
    `PROGRESS_FILE: ${developer(site, `progress-${first}.txt`)}`,
  );
  expect(promptOf(site, first, "US-001-implement-1")).toContain("(no progress yet)");
  for (const later of ["US-001-verify-1", "US-002-implement-1", "run-test-1", "run-pr-1", "run-review-1"])
    expect(promptOf(site, first, later)).toContain(`- entry of US-001 in ${first}`);
  expect(archived(site, first)).toMatch(/entry of US-001[^]*entry of US-002/);
  expect(readdirSync(developer(site)).toSorted()).toEqual(["AGENTS.md", "IDENTITY.md", "SOUL.md", "archive"]);

  const second = (await run("second")).run.id;
  expect(promptOf(site, second, "US-001-implement-1")).toContain("(no progress yet)");
  expect(archived(site, second)).not.toContain(first);
});

test("[A77] two runs at the same time keep their logs apart", async () => {
  const site = newSite();
  const script = writeScript(site, featureScript([story("US-001"), story("US-002")]));
  const both = await Promise.all(
    ["first", "second"].map((task) => site.json<StatusDocument>(["run", "feature-dev", task, "--script", script])),
  );
  const [one = "", other = ""] = both.map((status) => status.run.id);
  expect(archived(site, one).match(/entry of/g)).toHaveLength(2);
  expect(archived(site, one)).not.toContain(other);
  expect(archived(site, other).match(/entry of/g)).toHaveLength(2);
  expect(archived(site, other)).not.toContain(one);
});

test("[A76 A1] the log of a failed run is archived, leaks into no other run, and is restored when the run is retried", async () => {
  const site = newSite();
  const failing = featureScript([story("US-001"), story("US-002")], {
    implement: [
      { story: "US-002", attempt: 1, say: "STATUS: failed\nREASON: no idea" },
      { story: "US-002", attempt: 2, say: "STATUS: failed\nREASON: no idea" },
      implementing(),
    ],
  });
  const script = writeScript(site, failing);
  const failed = await site.json<StatusDocument>(["run", "feature-dev", "first", "--script", script], 1);
  expect(archived(site, failed.run.id)).toContain("entry of US-001");

  const fine = writeScript(site, featureScript([story("US-001")]), "fine.yml");
  const next = await site.json<StatusDocument>(["run", "feature-dev", "second", "--script", fine]);
  expect(promptOf(site, next.run.id, "US-001-implement-1")).not.toContain(failed.run.id);

  expect(await site.pawl("retry", "1")).toMatchObject({ code: 0 });
  expect(await site.pawl("resume", "1")).toMatchObject({ code: 0 });
  expect(promptOf(site, failed.run.id, "US-002-implement-3")).toContain("entry of US-001");
  expect(archived(site, failed.run.id)).toMatch(/entry of US-001[^]*entry of US-002/);
  expect(existsSync(developer(site, `progress-${failed.run.id}.txt`))).toBe(false);
});

test("[A70 A72 A77] a log in the working tree counts too; a run without stories has none; a deleted agent home does no harm", async () => {
  const site = newSite();
  await site.pawl("run", writeAt(site, "loop.yml", loopWorkflow), "the task", "--detach");
  await perform(site, "mini_planner", plan([story("US-001")]));
  const first = await claim(site, "mini_dev");
  expect(first.input).toContain("PROGRESS: (no progress yet)");
  const tree = join(site.home, "worktrees", first.runId);
  appendFileSync(join(tree, `progress-${first.runId}.txt`), "# Progress Log\n- a pattern\n");
  await complete(site, first, done);
  rmSync(join(site.home, "agents"), { recursive: true });
  expect((await perform(site, "mini_ver", done)).input).toContain("PROGRESS: # Progress Log\n- a pattern");
  expect((await perform(site, "mini_pub", done)).input).toContain("- a pattern");
  expect((await site.status()).run.status).toBe("done");

  const plain = 'id: plain\nagents: [{ id: one }]\nsteps: [{ id: a, agent: one, input: "[{{progress}}]" }]\n';
  await site.pawl("run", writeAt(site, "plain.yml", plain), "the task", "--detach");
  expect((await claim(site, "plain_one")).input).toBe("[(no progress file)]");
});

test("[A73 A66 A67 A78] install keeps a copy with its role files; what the developer learned survives reinstall and new runs", async () => {
  const site = newSite();
  expect(await site.pawl("workflow", "install", "feature-dev")).toMatchObject({ code: 0 });
  const installed = join(site.home, "workflows/feature-dev");
  for (const agent of ["planner", "developer", "verifier", "tester", "reviewer"])
    expect(readdirSync(join(installed, "agents", agent)).toSorted()).toEqual(["AGENTS.md", "IDENTITY.md", "SOUL.md"]);
  const listed = async () => (await site.pawl("workflow", "list")).stdout;
  expect(await listed()).toMatch(/^feature-dev +installed/m);

  const script = writeScript(site, featureScript([story("US-001")]));
  const run = ["run", "feature-dev", "the task", "--script", script];
  expect(await site.pawl(...run, "--detach")).toMatchObject({ code: 0 });
  const learned = "\n## Codebase Knowledge\n- tests run with `make check`\n";
  const known = readFileSync(developer(site, "AGENTS.md"), "utf8");
  rmSync(developer(site, "AGENTS.md"));
  appendFileSync(developer(site, "AGENTS.md"), known.split("\n## Codebase Knowledge")[0] + learned);

  expect(await site.pawl("workflow", "install", "feature-dev")).toMatchObject({ code: 0 });
  const next = await site.json<StatusDocument>(run);
  expect(readFileSync(developer(site, "AGENTS.md"), "utf8")).toContain(learned.trim());
  expect(promptOf(site, next.run.id, "US-001-implement-1")).toContain("- tests run with `make check`");

  expect(await site.pawl("workflow", "uninstall", "feature-dev")).toMatchObject({ code: 0 });
  expect(existsSync(installed)).toBe(false);
  expect(await listed()).toMatch(/^feature-dev +bundled/m);
  expect(await site.pawl("workflow", "uninstall", "feature-dev")).toMatchObject({ code: 5 });
});
