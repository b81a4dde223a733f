// Taking an integrated story back: the commit, the record, the PRD, and everything that stands in its way.

import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { commitFile, log, makeRepository, runGit, tempDir } from "../../../test/support/repository.ts";
import { tinyRalph } from "../../../test/support/tiny-ralph.ts";
import { until } from "../../../test/support/until.ts";
import { replay } from "../../engine/evolve.ts";
import { revertCommit } from "../../workspaces/integration/revert.ts";
import { Application } from "../application.ts";
import { diffOf } from "../diffs/diff.ts";
import { status } from "../looking/status.ts";
import { runProject } from "../starting/stories-given.ts";
import { revert } from "./revert.ts";

interface Written {
  readonly id: string;
  readonly dependsOn?: readonly string[];
  readonly passes?: boolean;
}

/** Every story appends a line to one file and writes one of its own. */
function makeSite(acts: Readonly<Record<string, string>> = {}) {
  const dir = tempDir("pawl-revert-");
  const repo = join(dir, "repo");
  makeRepository({ "README.md": "# a project\n" }, { dir: repo });
  mkdirSync(join(dir, "home"));
  writeFileSync(join(dir, "workflow.yml"), tinyRalph);
  const cases = Object.entries(acts).map(([story, act]) => `${story}) ${act} ;;`);
  const script = `cat >/dev/null; S='${dir}'\necho "$PAWL_STORY" >"$PAWL_STORY.txt"\ncase "$PAWL_STORY" in\n${cases.join("\n")}\nesac\nprintf 'SUMMARY\\nfine\\n'\n`;
  writeFileSync(join(dir, "agent.sh"), script);
  const app = new Application({ cwd: dir, env: { ...process.env, PAWL_HOME: "home" } });
  onTestFinished(async () => await app.close());
  const { signal } = new AbortController();
  const run = async (stories: readonly Written[]) => {
    const userStories = stories.map((story) => ({ title: `Title of ${story.id}`, ...story }));
    writeFileSync(join(dir, "prd.json"), JSON.stringify({ project: "Demo", userStories }, null, 2));
    return await again();
  };
  const again = async () => {
    const executor = "command: sh ./agent.sh";
    return await runProject(app, "prd.json", {
      workflow: "./workflow.yml",
      repo: "repo",
      executor,
      protocol: "ralph",
      signal,
    });
  };
  const passes = () =>
    (JSON.parse(readFileSync(join(dir, "prd.json"), "utf8")) as { userStories: Written[] }).userStories.map(
      (s) => s.passes,
    );
  return { dir, repo, app, run, again, passes };
}

const both = [{ id: "US-001" }, { id: "US-002" }];

test("[RV1 RV2 RV5 RV6] one story goes by a new commit, the checkout follows, the PRD says it, and a new run does it again", async () => {
  const { repo, app, run, again, passes } = makeSite();
  expect(await run(both)).toMatchObject({ end: "done" });
  const before = runGit(repo, "rev-parse", "main");
  commitFile(repo, "later.txt", "of a person\n");
  const document = await revert(app, "1", "US-001");
  expect(document).toMatchObject({
    number: 1,
    story: "US-001",
    on: "main",
    by: runGit(repo, "rev-parse", "main"),
    dependents: [],
  });
  expect(log(repo)).toEqual([
    'Revert "US-001: Title of US-001"',
    expect.anything(),
    "US-002: Title of US-002",
    "US-001: Title of US-001",
    "first",
  ]);
  expect(runGit(repo, "merge-base", "--is-ancestor", before, "main")).toBe("");
  expect([existsSync(join(repo, "US-001.txt")), existsSync(join(repo, "US-002.txt"))]).toEqual([false, true]);
  expect(runGit(repo, "status", "--porcelain")).toBe("");
  expect(passes()).toEqual([false, true]);

  const { stories } = (await status(app, "1")).document;
  expect(stories.map(({ status: word, reverted }) => [word, reverted])).toEqual([
    ["done", document.by],
    ["done", undefined],
  ]);
  const { store } = (await app.read()).parts;
  const { id } = (await store.runByNumber(1)) ?? {};
  const events = id === undefined ? [] : await store.events(id, 0, 1_000);
  expect(replay(events.map(({ event }) => event))?.header.stories).toEqual(
    id && (await store.wholeRun(id))?.header.stories,
  );
  await expect(revert(app, "1", "US-001")).rejects.toMatchObject({ code: "REFUSED", exitCode: 6 });
  expect((await diffOf(app, "1", { story: "US-001" })).files).toMatchObject([{ path: "US-001.txt", status: "added" }]);

  expect(await again()).toMatchObject({ kind: "driven", end: "done" });
  expect(log(repo)[0]).toBe("US-001: Title of US-001");
  expect(passes()).toEqual([true, true]);
});

test("[RV2 RV3] a checkout with changes and a conflict with later work: refused, named, nothing changed", async () => {
  const { repo, app, run, passes } = makeSite({
    "US-001": "echo one >>README.md",
    "US-002": "sed -i s/one/two/ README.md",
  });
  expect(await run(both)).toMatchObject({ end: "done" });
  const before = runGit(repo, "rev-parse", "main");
  await expect(revert(app, "1", "US-001")).rejects.toMatchObject({ code: "REFUSED", details: ["README.md"] });
  writeFileSync(join(repo, "README.md"), "my own\n");
  await expect(revert(app, "1", "US-002")).rejects.toMatchObject({
    code: "REFUSED",
    message: expect.stringMatching(/^nothing was changed: main is checked out in .* with 1 uncommitted file$/),
  });
  expect([runGit(repo, "rev-parse", "main"), readFileSync(join(repo, "README.md"), "utf8")]).toEqual([
    before,
    "my own\n",
  ]);
  expect(passes()).toEqual([true, true]);
});

test("[RV4 RV5] dependents are named and need a yes; what has no commit is refused", async () => {
  const chain = [{ id: "A" }, { id: "B", dependsOn: ["A"] }, { id: "C", dependsOn: ["B"] }, { id: "D" }];
  const { app, run } = makeSite({ D: "rm D.txt" });
  expect(await run(chain)).toMatchObject({ end: "done" });
  await expect(revert(app, "1", "A")).rejects.toMatchObject({ code: "REFUSED", details: ["B (done)", "C (done)"] });
  expect(await revert(app, "1", "A", { yes: true })).toMatchObject({ dependents: ["B", "C"] });
  await expect(revert(app, "1", "D")).rejects.toMatchObject({ message: expect.stringMatching(/it changed nothing$/) });
  await expect(revert(app, "1", "E")).rejects.toMatchObject({ code: "NOT_FOUND" });
});

test("[RV2 RV5] a commit that a person took away or took back is refused, and the hint fits", async () => {
  const { repo, app, run } = makeSite();
  expect(await run(both)).toMatchObject({ end: "done" });
  runGit(repo, "revert", "--no-edit", "main");
  await expect(revert(app, "1", "US-002")).rejects.toMatchObject({
    message: expect.stringMatching(/^nothing was changed: main has nothing of its commit \w{12} any more$/),
    hint: "`git log main` shows what took it away",
  });
  runGit(repo, "reset", "--hard", "--quiet", "main~3");
  await expect(revert(app, "1", "US-001")).rejects.toMatchObject({
    message: expect.stringMatching(/^nothing was changed: neither main nor \S+ has its commit \w{12}$/),
    hint: expect.stringMatching(/^`git branch --contains \w{12}` shows where it is$/),
  });
  expect(log(repo)).toEqual(["first"]);
});

test("[RV7] a commit that was made before a crash is found by its trailer and recorded", async () => {
  const { repo, dir, app, run } = makeSite();
  expect(await run(both)).toMatchObject({ end: "done" });
  const { store } = (await app.read()).parts;
  const { id = "" } = (await store.runByNumber(1)) ?? {};
  const first = runGit(repo, "rev-parse", "main~2");
  const commit = runGit(repo, "rev-parse", "main~1");
  const target = { repo, run: id, base: "main", baseAt: first, floor: first, side: "pawl/side", ignoring: [] };
  const made = await revertCommit({ ...target, story: "US-001", commit, intentFile: join(dir, "intent.json") });
  const by = runGit(repo, "rev-parse", "main");
  expect(made).toMatchObject({ result: "reverted", by, isFound: false });
  expect(await revert(app, "1", "US-001")).toMatchObject({ commit, by });
  expect(runGit(repo, "rev-parse", "main")).toBe(by);
});

test("[RV6 RV8] while the run lasts it takes its turn, and the story is not begun again", async () => {
  const { dir, repo, app, run, passes } = makeSite({
    "US-002": 'touch "$S/begun"; until [ -e "$S/go" ]; do sleep 0.05; done',
  });
  const driven = run(both);
  await until(() => existsSync(join(dir, "begun")));
  expect(await revert(app, "1", "US-001")).toMatchObject({ on: "main" });
  writeFileSync(join(dir, "go"), "");
  expect(await driven).toMatchObject({ end: "done" });
  expect(log(repo).slice(0, 3)).toEqual([
    "US-002: Title of US-002",
    'Revert "US-001: Title of US-001"',
    "US-001: Title of US-001",
  ]);
  expect(existsSync(join(repo, "US-001.txt"))).toBe(false);
  expect(passes()).toEqual([false, true]);
});
