// Steps that may only read: their changes are put back, and they fail.

import { readFileSync, writeFileSync } from "node:fs";
import { expect, test } from "vitest";
import { expectCode, newSite, pawl, type StatusDocument, writeAt } from "../support/pawl.ts";
import { runGit } from "../support/repository.ts";

const workflow = `pawl: 1
id: judged
agents: { dev: {}, judge: { access: read } }
workspace: { uncommitted: keep }
steps:
  - { id: work, agent: dev, input: "work" }
  - { id: judge, agent: judge, input: "judge", on_error: { again, at_most: 1, then: fail } }
`;

/** The judge runs the given shell text, the first time only. */
function agent(judge: string): string {
  return `#!/bin/sh
git config user.name A; git config user.email a@example.invalid
if [ "$PAWL_STEP" = work ]; then echo work > work.txt; git add .; git commit --quiet -m work; echo loose > loose.txt; fi
if [ "$PAWL_STEP$PAWL_ATTEMPT" = judge1 ]; then ${judge}; fi
git status --porcelain > "$PAWL_SHARED/seen-$PAWL_STEP-$PAWL_ATTEMPT"
git log --format=%s -1 >> "$PAWL_SHARED/seen-$PAWL_STEP-$PAWL_ATTEMPT"
echo "STATUS: done"
`;
}

const nasty = {
  "changes a file that was committed": ["echo worse > work.txt", "work.txt"],
  "changes a file that was not": ["echo worse > loose.txt", "loose.txt"],
  "writes another file": ["mkdir d; echo new > d/new.txt", "d/new.txt"],
  "hides a change from git": ["git update-index --assume-unchanged work.txt; echo worse > work.txt", "work.txt"],
  "removes one": ["rm work.txt", "work.txt"],
  commits: ["echo more > more.txt; git add more.txt; git commit --quiet -m fixed", "more.txt"],
  "moves the branch": ["git commit --quiet --allow-empty -m empty", "commits or what is staged"],
} as const;

test.each(Object.entries(nasty))(
  "[PF10] a judge that %s has failed, and the tree is as it was",
  async (_, [does, named]) => {
    const site = newSite();
    writeFileSync(site.path("agent.sh"), agent(does));
    const run = await pawl(
      [
        "run",
        writeAt(site, "judged.yml", workflow),
        "a task",
        "--executor",
        `command: sh ${site.path("agent.sh")}`,
        "--json",
      ],
      { home: site.home, cwd: site.repo },
    );
    expectCode(run, 0);
    const { steps } = JSON.parse(run.stdout) as StatusDocument;
    expect(steps.map(({ id, attempts }) => [id, attempts])).toEqual([
      ["work", 1],
      ["judge", 2],
    ]);
    const events = (await pawl(["events", "1", "--json"], { home: site.home, cwd: site.repo })).stdout;
    expect(events).toContain(`it may only read, and it changed the tree: ${named}; that was put back`);
    expect(readFileSync(`${site.home}/seen-judge-2`, "utf8")).toBe("?? loose.txt\nwork\n");
  },
);

test("[PF10] a judge that leaves the tree alone, or writes only ignored files, passes", async () => {
  const site = newSite();
  runGit(site.repo, "config", "core.excludesFile", site.path("ignored"));
  writeFileSync(site.path("ignored"), "*.log\n");
  writeFileSync(site.path("agent.sh"), agent("echo out > test.log; touch work.txt"));
  const run = await pawl(
    [
      "run",
      writeAt(site, "judged.yml", workflow),
      "a task",
      "--executor",
      `command: sh ${site.path("agent.sh")}`,
      "--json",
    ],
    { home: site.home, cwd: site.repo },
  );
  expectCode(run, 0);
  expect((JSON.parse(run.stdout) as StatusDocument).steps.map(({ attempts }) => attempts)).toEqual([1, 1]);
});

test("[PF22] a branch or tag that moves while a judge works is named in a note; its answer counts", async () => {
  const site = newSite();
  runGit(site.repo, "branch", "release");
  writeFileSync(site.path("agent.sh"), agent("git branch -f release HEAD; git tag v9; git branch pawl/mine"));
  const executor = `command: sh ${site.path("agent.sh")}`;
  const at = { home: site.home, cwd: site.repo };
  const run = await pawl(
    ["run", writeAt(site, "judged.yml", workflow), "a task", "--executor", executor, "--json"],
    at,
  );
  expectCode(run, 0);
  const { steps } = JSON.parse(run.stdout) as StatusDocument;
  const [first, work] = [runGit(site.repo, "rev-parse", "main"), runGit(site.repo, "rev-parse", "v9")].map((id) =>
    id.slice(0, 12),
  );
  expect(steps.map(({ attempts }) => attempts)).toEqual([1, 1]);
  expect(steps[1]?.notes).toEqual([
    `while it worked, and it may only read, refs moved: refs/heads/release (${first} → ${work}), refs/tags/v9 (nothing → ${work}); Pawl cannot tell who moved them and left them as they are`,
  ]);
});

test("[PF25] a branch of others that an agent deletes, resets or moves to its work is noted; a person's commit is not", async () => {
  const site = newSite();
  for (const name of ["gone", "back", "taken", "theirs", "kept"]) runGit(site.repo, "branch", name);
  const inRepo = `git -C '${site.repo}'`;
  runGit(site.repo, "commit", "--quiet", "--allow-empty", "-m", "newer");
  runGit(site.repo, "branch", "-f", "back", "main");
  const does = [
    "git branch -D gone",
    "git branch -f back kept",
    "git branch -f taken HEAD",
    "git branch new",
    // What a person does meanwhile, in another tree: a merge and a commit.
    "git branch -f kept main",
    `${inRepo} checkout -q theirs && ${inRepo} commit -q --allow-empty -m theirs`,
  ].join(" && ");
  writeFileSync(
    site.path("agent.sh"),
    `git config user.name A; git config user.email a@example.invalid
if [ "$PAWL_STEP" = work ]; then { git commit -q --allow-empty -m work && ${does}; } >&2 || exit 1; fi
echo "STATUS: done"
`,
  );
  const args = ["run", writeAt(site, "judged.yml", workflow), "a task", "--base", "main"];
  const executor = ["--executor", `command: sh ${site.path("agent.sh")}`];
  const run = await pawl([...args, ...executor, "--json"], { home: site.home, cwd: site.repo });
  expectCode(run, 0);
  const { steps } = JSON.parse(run.stdout) as StatusDocument;
  const at = (name: string) => runGit(site.repo, "rev-parse", "--short=12", name);
  const [first, newer, work] = [at("back"), at("main"), at("taken")];
  expect(steps.map(({ notes }) => notes)).toEqual([
    [
      `while it worked, branches moved that are not its own: refs/heads/back (${newer} → ${first}), refs/heads/gone (${first} → nothing), refs/heads/taken (${first} → ${work}); Pawl cannot tell who moved them and left them as they are`,
    ],
    [],
  ]);
});

test("[PF20 PF21] what a judge's tools leave behind is removed with a note; a new source file is a breach that names the key", async () => {
  const site = newSite();
  const litter =
    "mkdir -p coverage src/__pycache__ reports; touch coverage/lcov.info src/__pycache__/a.pyc x.log reports/r.xml";
  writeFileSync(site.path("agent.sh"), agent(litter));
  const file = workflow.replace("keep }", "keep, by_products: [reports/] }");
  const executor = `command: sh ${site.path("agent.sh")}`;
  const at = { home: site.home, cwd: site.repo };
  const run = await pawl(["run", writeAt(site, "judged.yml", file), "a task", "--executor", executor, "--json"], at);
  expectCode(run, 0);
  const { steps } = JSON.parse(run.stdout) as StatusDocument;
  const removed = "what tools left behind was removed: coverage/lcov.info, reports/r.xml, src/__pycache__/a.pyc, x.log";
  expect(steps.map(({ id, attempts, notes }) => [id, attempts, notes])).toEqual([
    ["work", 1, []],
    ["judge", 1, [removed]],
  ]);
  expect((await pawl(["status", "1"], at)).stdout).toContain(`note: judge: ${removed}`);
  expect((await pawl(["logs", "1", "judge"], at)).stderr).toContain(`note: ${removed}`);
  expect(runGit(site.repo, "log", "--all", "--format=%s", "--", "coverage", "x.log", "reports")).toBe("");

  const second = await pawl(["run", writeAt(site, "judged.yml", workflow), "a task", "--executor", executor], at);
  expectCode(second, 0);
  const events = (await pawl(["events", "2", "--json"], at)).stdout;
  expect(events).toContain("it changed the tree: reports/r.xml; that was put back");
  expect(events).toContain("name it in `workspace.by_products`");
});

test("[PF20] by-products that a step before left there are no change either when a judge's tools write them again, and are put back", async () => {
  const site = newSite();
  const left = "mkdir -p coverage; echo work > coverage/lcov.info; echo work > coverage/old.html; echo work > test.log";
  const tested =
    "echo judge > coverage/lcov.info; rm coverage/old.html; echo judge > coverage/new.html; echo judge >> test.log";
  const text = agent(tested).replace("echo loose > loose.txt", left);
  const seen = 'cat coverage/* test.log > "$PAWL_SHARED/seen"; ls coverage >> "$PAWL_SHARED/seen"\n';
  writeFileSync(
    site.path("agent.sh"),
    text.replace("git status", `if [ "$PAWL_STEP" = last ]; then ${seen}fi\ngit status`),
  );
  const executor = `command: sh ${site.path("agent.sh")}`;
  const file = `${workflow}  - { id: last, agent: dev, input: "last" }\n`;
  const at = { home: site.home, cwd: site.repo };
  const run = await pawl(["run", writeAt(site, "judged.yml", file), "a task", "--executor", executor, "--json"], at);
  expectCode(run, 0);
  const { steps } = JSON.parse(run.stdout) as StatusDocument;
  const put = "what tools left behind was put back: coverage/lcov.info, coverage/new.html, coverage/old.html, test.log";
  expect(steps[1]).toMatchObject({ id: "judge", attempts: 1, notes: [put] });
  expect(readFileSync(`${site.home}/seen`, "utf8")).toBe("work\nwork\nwork\nlcov.info\nold.html\n");
});
