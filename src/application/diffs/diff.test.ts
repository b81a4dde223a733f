// What a run and its stories changed, wherever their work is: in a tree, on the base, parked, saved, gone.

import { existsSync, mkdirSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { commitFile, makeRepository, runGit, tempDir } from "../../../test/support/repository.ts";
import { until } from "../../../test/support/until.ts";
import { Application } from "../application.ts";
import { run as driveNew } from "../driving/drive.ts";
import { runProject } from "../starting/stories-given.ts";
import { diffOf } from "./diff.ts";

const prdWorkflow = `
pawl: 1
protocol: ralph
id: tiny-ralph
agents: { worker: {} }
workspace: { on_failure: reset }
steps:
  - id: stories
    on_story_failed: continue
    story_budget: { at_most: 0, then: fail }
    stories: { workspace: worktree, concurrency: 2 }
    body:
      - { id: coding, agent: worker, summary: true, on_error: fail, input: "{{current_story}}" }
      - { id: land, integrate: { message: "{{story}}: {{title}}" } }
`;

const sharedWorkflow = `
pawl: 1
id: shared
agents: { planner: {}, worker: {} }
steps:
  - { id: plan, agent: planner, input: "Plan {{task}} and print STORIES_JSON" }
  - id: stories
    stories: {}
    body:
      - { id: coding, agent: worker, input: "{{current_story}}" }
`;

/** The agent commits one file and leaves another one; `acts` is shell text that runs instead, by the story. */
function makeSite(acts: Readonly<Record<string, string>> = {}) {
  const dir = tempDir("pawl-diff-");
  const repo = join(dir, "repo");
  makeRepository(undefined, { dir: repo });
  mkdirSync(join(dir, "home"));
  writeFileSync(join(dir, "workflow.yml"), prdWorkflow);
  const cases = Object.entries(acts).map(([story, act]) => `${story}) ${act} ;;`);
  const usual = `*) echo "$PAWL_STORY" >"$PAWL_STORY.txt"; git add -A; git commit -qm work; echo more >"$PAWL_STORY.new" ;;`;
  const script = `cat >/dev/null; S='${dir}'\ncase "$PAWL_STORY" in\n${[...cases, usual].join("\n")}\nesac\nprintf 'SUMMARY\\nfine\\nSTATUS: done\\n'\n`;
  writeFileSync(join(dir, "agent.sh"), script);
  const app = new Application({ cwd: dir, env: { ...process.env, PAWL_HOME: "home" } });
  onTestFinished(async () => await app.close());
  const request = { workflow: "./workflow.yml", repo: "repo", executor: "command: sh ./agent.sh" };
  const { signal } = new AbortController();
  const prd = async (...ids: readonly string[]) => {
    const userStories = ids.map((id) => ({ id, title: `Title of ${id}`, description: "d", acceptanceCriteria: ["c"] }));
    writeFileSync(join(dir, "prd.json"), JSON.stringify({ project: "Demo", userStories }));
    return await runProject(app, "prd.json", { ...request, protocol: "ralph", signal });
  };
  return { dir, repo, home: join(dir, "home"), app, request, signal, prd };
}

test("[DF1 DF2 DF3 DF5] a story at work, an integrated one and one that waits, while the run lasts", async () => {
  const { dir, repo, app, prd } = makeSite({
    "US-002":
      'echo half >half.txt; echo "# new" >README.md; touch "$S/begun"; until [ -e "$S/go" ]; do sleep 0.05; done',
  });
  const driven = prd("US-001", "US-002");
  const landed = await until(async () => {
    if (!existsSync(join(dir, "begun"))) return null;
    const found = await diffOf(app, "1", { story: "US-001" });
    return found.from === "commit" ? found : null;
  });
  expect(landed.files.map(({ path, status }) => `${status} ${path}`)).toEqual(["added US-001.new", "added US-001.txt"]);
  expect(landed.head).toBe(runGit(repo, "rev-parse", "main"));

  const atWork = await diffOf(app, "1", { story: "US-002" });
  expect(atWork).toMatchObject({ story: "US-002", from: "tree", head: null, isCut: false, total: { files: 2 } });
  expect(atWork.files).toEqual([
    { path: "README.md", status: "changed", added: 1, removed: 1, binary: false },
    { path: "half.txt", status: "added", added: 1, removed: 0, binary: false },
  ]);
  expect(atWork.text).toContain("+half");
  const whole = await diffOf(app, "1");
  expect(whole).toMatchObject({ story: null, from: "commit", total: { files: 2 } });
  expect(whole.notes).toEqual(["US-002 is at work and not integrated: name it to see its changes"]);
  await expect(diffOf(app, "1", { story: "US-003" })).rejects.toMatchObject({ code: "NOT_FOUND" });

  writeFileSync(join(dir, "go"), "");
  expect(await driven).toMatchObject({ kind: "driven", end: "done" });
  expect(runGit(repo, "for-each-ref", "refs/pawl")).toBe("");
  commitFile(repo, "later.txt", "of a person\n");
  expect((await diffOf(app, "1", { story: "US-001" })).text).toBe(landed.text);
  const done = await diffOf(app, "1");
  expect(done.files.map(({ path }) => path)).toEqual(["README.md", "US-001.new", "US-001.txt", "half.txt"]);
  expect(done.notes).toEqual([]);
});

test("[DF5] commits of others between those of a run are shown, and counted in a note", async () => {
  const { repo, app, prd } = makeSite({
    "US-002": `git -C "$S/repo" commit -q --allow-empty -m other; echo 2 >two.txt`,
  });
  expect(await prd("US-002")).toMatchObject({ end: "done" });
  expect(runGit(repo, "rev-list", "--count", "main")).toBe("3");
  expect((await diffOf(app, "1")).notes).toEqual([
    "1 of the 2 commits since its start are not of its stories; their changes are shown, too",
  ]);
});

test("[DF3 DF4] a story that failed: what was saved before the rollback; one that changed nothing; one whose work is gone", async () => {
  const { repo, home, app, prd } = makeSite({ "US-001": "echo lost >lost.txt; exit 3", "US-002": ":" });
  expect(await prd("US-001", "US-002")).toMatchObject({ end: "failed" });
  const saved = await diffOf(app, "1", { story: "US-001" });
  expect(saved.files).toMatchObject([{ path: "lost.txt", status: "added", added: 1 }]);
  expect(saved).toMatchObject({ from: "saved", base: null, head: null });
  expect(saved.notes[0]).toMatch(/^work that was rolled back is saved in .*\.diff$/);
  expect(await diffOf(app, "1", { story: "US-002" })).toMatchObject({
    from: "nothing",
    text: "",
    notes: ["US-002 is done and changed nothing"],
  });
  rmSync(saved.notes[0]?.replace(/^.* saved in /, "") ?? "");
  rmSync(join(home, "worktrees"), { recursive: true, force: true });
  for (const ref of runGit(repo, "for-each-ref", "--format=%(refname)", "refs/heads/pawl").split("\n"))
    if (ref !== "") runGit(repo, "update-ref", "-d", ref);
  await expect(diffOf(app, "1", { story: "US-001" })).rejects.toMatchObject({
    code: "NOT_FOUND",
    message: "the work of US-001 is gone: its tree was removed, and no branch, commit or saved diff has it",
  });
});

test("[DF3] a story that is parked is shown with its uncommitted files", async () => {
  const { dir, home, app, prd } = makeSite({ "US-001": "echo kept >kept.txt; exit 3" });
  writeFileSync(join(dir, "workflow.yml"), prdWorkflow.replace("on_failure: reset", "on_failure: keep"));
  expect(await prd("US-001")).toMatchObject({ end: "failed" });
  expect(readdirSync(join(home, "worktrees"))).toEqual([expect.stringMatching(/\.parked$/)]);
  const parked = await diffOf(app, "1", { story: "US-001" });
  expect(parked).toMatchObject({ from: "parked", notes: [] });
  expect(parked.files.map(({ path }) => path)).toEqual(["kept.txt"]);
});

test("[DF5 DF6] stories that share the tree of their run, then the branch when the tree is gone", async () => {
  const plan = `printf 'STATUS: done\\nSTORIES_JSON: [{"id":"A","title":"A","description":"d","acceptanceCriteria":["c"]},{"id":"B","title":"B","description":"d","acceptanceCriteria":["c"]}]\\n'; exit 0`;
  const { dir, app, request, signal } = makeSite({ '""': plan });
  writeFileSync(join(dir, "workflow.yml"), sharedWorkflow);
  const ended = await driveNew(app, { ...request, task: "do it", signal });
  expect(ended.end).toBe("done");
  const names = async (story?: string) => (await diffOf(app, "1", { story })).files.map(({ path }) => path);
  expect(await names("A")).toEqual(["A.new", "A.txt"]);
  expect(await names("B")).toEqual(["B.new", "B.txt"]);
  expect(await names()).toEqual(["A.new", "A.txt", "B.new", "B.txt"]);
  expect((await diffOf(app, "1")).from).toBe("branch");
});

test("[DF4 DF6] in place the checkout is compared; a folder without git has no diff", async () => {
  const { dir, app, request, signal } = makeSite();
  const one = `pawl: 1\nid: one\nagents: { worker: {} }\nsteps:\n  - { id: work, agent: worker, input: "Do it." }\n`;
  writeFileSync(join(dir, "workflow.yml"), one);
  await driveNew(app, { ...request, task: "do it", inPlace: true, signal });
  const here = await diffOf(app, "1");
  expect(here).toMatchObject({ from: "tree", total: { files: 2 } });
  expect(here.notes).toEqual(["the run is over: what was changed in the checkout since then is shown, too"]);

  mkdirSync(join(dir, "plain"));
  writeFileSync(join(dir, "agent.sh"), "cat >/dev/null; echo 'STATUS: done'\n");
  await driveNew(app, { ...request, repo: "plain", plainFolder: true, task: "do it", signal });
  await expect(diffOf(app, "2")).rejects.toMatchObject({ code: "REPOSITORY_UNUSABLE", exitCode: 4 });
});
