// A PRD that is started again: the store says what is done, whatever the file says, and two starts at once are one run.

import { mkdirSync, readFileSync, renameSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { log, makeRepository, tempDir } from "../../../test/support/repository.ts";
import { Application } from "../application.ts";
import { runs } from "../looking/runs.ts";
import { status } from "../looking/status.ts";
import { checkPrd } from "../ralph/check-prd.ts";
import { importState } from "../ralph/import-state.ts";
import { cap } from "../steering/caps.ts";
import { logsWithTail } from "../transcripts/logs.ts";
import { type ProjectRequest, runProject } from "./stories-given.ts";

const workflow = `
pawl: 1
protocol: ralph
id: tiny-ralph
agents: { worker: {} }
steps:
  - id: stories
    stories: { workspace: worktree, concurrency: 2 }
    body:
      - { id: coding, agent: worker, summary: true, input: "{{current_story}}" }
      - { id: land, integrate: { message: "{{story}}: {{title}}" } }
`;

interface Story {
  readonly id: string;
  readonly title: string;
  readonly passes?: boolean;
  readonly skipped?: boolean;
  readonly priority?: number;
}

const one = { id: "US-001", title: "One" };
const two = { id: "US-002", title: "Two" };

function makeSite({ prd = "prd.json", stories = [one, two] as readonly Story[] } = {}) {
  const dir = tempDir("pawl-prd-");
  const repo = join(dir, "repo");
  makeRepository(undefined, { dir: repo });
  mkdirSync(join(dir, "home"));
  writeFileSync(join(dir, "workflow.yml"), workflow);
  const work = 'echo work >>"$PAWL_STORY.txt"; git add -A; git commit -qm work';
  const agent = `cat >/dev/null; echo "$PAWL_STORY" >>'${dir}/calls'; ${work}; printf 'SUMMARY\\nfine\\n'`;
  writeFileSync(join(dir, "agent.sh"), agent);
  const write = (list: readonly Story[]) =>
    writeFileSync(join(dir, prd), JSON.stringify({ project: "Demo", userStories: list }));
  write(stories);
  const notes: string[] = [];
  const request: ProjectRequest = {
    workflow: "./workflow.yml",
    protocol: "ralph",
    repo: "repo",
    executor: "command: sh ./agent.sh",
    onNote: (note) => notes.push(note),
  };
  const { signal } = new AbortController();
  const open = () => {
    const app = new Application({ cwd: dir, env: { ...process.env, PAWL_HOME: "home" } });
    onTestFinished(async () => await app.close());
    return app;
  };
  const start = async (more: { readonly only?: readonly string[] } = {}) => {
    const app = open();
    const result = await runProject(app, prd, { ...request, signal, ...more });
    await app.close();
    return result;
  };
  return {
    repo,
    home: join(dir, "home"),
    notes,
    request,
    open,
    write,
    start,
    passes: () =>
      (JSON.parse(readFileSync(join(dir, prd), "utf8")) as { userStories: Story[] }).userStories.map(
        ({ passes }) => passes === true,
      ),
    calls: () => readFileSync(join(dir, "calls"), "utf8").trim().split("\n").toSorted().join(),
    sidecar: join(repo, ".pawl/ralph/.pawl.json"),
    file: prd,
  };
}

test("[RA42 RA3] a story is not done again after a crash between the end of its run and the write to the file; a person can take `passes` back", async () => {
  const { start, calls, passes, write, sidecar, repo } = makeSite();
  expect(await start()).toMatchObject({ kind: "driven", end: "done" });
  // As the driver leaves them that is killed right after its last commit.
  write([one, two]);
  const { run } = JSON.parse(readFileSync(sidecar, "utf8")) as { run: string };
  writeFileSync(sidecar, JSON.stringify({ run, projected: 0 }));
  expect(await start()).toMatchObject({ kind: "nothing" });
  expect(passes()).toEqual([true, true]);
  expect(calls()).toBe("US-001,US-002");

  write([{ ...one, passes: true }, two]);
  expect(await start()).toMatchObject({ kind: "driven", end: "done" });
  expect(calls()).toBe("US-001,US-002,US-002");
  expect(passes()).toEqual([true, true]);
  expect(log(repo, "main")).toHaveLength(4);
});

test("[RA42] what a file that cannot be written does not say is known from the store, also without the shared folder; another text is another story", async () => {
  // Beside a name of this length there is no room for a draft, for root as well.
  const { start, calls, passes, write, notes, repo } = makeSite({ prd: `${"p".repeat(246)}.json` });
  expect(await start()).toMatchObject({ kind: "driven", end: "done" });
  expect(passes()).toEqual([false, false]);
  expect(await start()).toMatchObject({ kind: "nothing" });
  expect(notes.at(-1)).toMatch(/^done in run #1, though p+\.json does not say so: US-001, US-002; to do one again, /);
  rmSync(join(repo, ".pawl"), { recursive: true });
  expect(await start()).toMatchObject({ kind: "nothing" });

  const three = { id: "US-003", title: "Three" };
  write([{ ...one, title: "One, but better" }, two, three]);
  expect(await start()).toMatchObject({ kind: "driven", end: "done" });
  expect(calls()).toBe("US-001,US-001,US-002,US-003");
  expect(await start({ only: ["US-002"] })).toMatchObject({ kind: "nothing" });
});

test("[RA42] a PRD that was not there while its stories ended, as after a change of branches, gets what it missed, and nothing is done again", async () => {
  const { start, calls, passes, file, home } = makeSite();
  const dir = dirname(home);
  const agent = readFileSync(join(dir, "agent.sh"), "utf8");
  writeFileSync(join(dir, "agent.sh"), `mv '${join(dir, file)}' '${join(dir, "away.json")}' 2>/dev/null\n${agent}`);
  expect(await start()).toMatchObject({ kind: "driven", end: "done" });
  renameSync(join(dir, "away.json"), join(dir, file));
  expect(passes()).toEqual([false, false]);
  writeFileSync(join(dir, "agent.sh"), agent);
  expect(await start()).toMatchObject({ kind: "nothing" });
  expect(passes()).toEqual([true, true]);
  expect(calls()).toBe("US-001,US-002");
});

test("[RA42] another repository at the same place has done nothing yet", async () => {
  const { start, calls, repo, write } = makeSite();
  expect(await start()).toMatchObject({ kind: "driven", end: "done" });
  rmSync(repo, { recursive: true });
  makeRepository({ "other.txt": "another one" }, { dir: repo });
  write([one, two]);
  expect(await start()).toMatchObject({ kind: "driven", end: "done" });
  expect(calls()).toBe("US-001,US-001,US-002,US-002");
  expect(log(repo, "main")).toHaveLength(3);
});

test("[RA43] a PRD that is started several times at once is one run, and so is one with another folder", async () => {
  const { request, open, file } = makeSite();
  const started = await Promise.all([1, 2, 3, 4].map(() => runProject(open(), file, request)));
  expect(started.map(({ kind }) => kind).toSorted()).toEqual(["continued", "continued", "continued", "recorded"]);
  expect(await runProject(open(), file, { ...request, shared: "elsewhere" })).toMatchObject({ kind: "continued" });
  expect((await runs(open())).runs).toHaveLength(1);
});

test("[RA43] a PRD and a folder are the same by every path that leads to them", async () => {
  const { request, open, file, repo } = makeSite();
  const dir = dirname(repo);
  symlinkSync(file, join(dir, "link.json"));
  symlinkSync("..", join(repo, "up"));
  const names = [file, "link.json", "repo/up/prd.json"];
  const folders = names.map((name, index) => ({ name, shared: join(dir, `shared-${index}`) }));
  const started = await Promise.all(
    folders.map(({ name, shared }) => runProject(open(), name, { ...request, shared })),
  );
  expect(started.map(({ kind }) => kind).toSorted()).toEqual(["continued", "continued", "recorded"]);
  expect((await runs(open())).runs).toHaveLength(1);

  writeFileSync(join(dir, "other.json"), JSON.stringify({ userStories: [{ id: "US-003", title: "Three" }] }));
  writeFileSync(join(dir, "more.json"), JSON.stringify({ userStories: [{ id: "US-004", title: "Four" }] }));
  mkdirSync(join(dir, "folder"));
  symlinkSync(join(dir, "folder"), join(dir, "linked"));
  await runProject(open(), "other.json", { ...request, shared: join(dir, "folder") });
  const again = runProject(open(), "more.json", { ...request, shared: join(dir, "linked") });
  await expect(again).rejects.toMatchObject({ code: "REFUSED" });
});

test("[RA43] a state is not imported into the folder of a run that is not over", async () => {
  const { request, open, file, repo } = makeSite();
  await runProject(open(), file, request);
  const app = open();
  const state = join(repo, ".pawl/ralph/workflow_state.json");
  await expect(importState(app, state, request)).rejects.toMatchObject({
    code: "REFUSED",
    message: expect.stringContaining("run #1 already uses"),
  });
  expect((await runs(app)).runs).toHaveLength(1);
});

test("[RA46 ST22] changes of a PRD while its run lasts are taken for what has not begun, and refused in words for the rest", async () => {
  const named = (id: string, more: Partial<Story> = {}): Story => ({ id, title: id, ...more });
  const four = ["A", "B", "C", "D", "E"].map((id) => named(id));
  const { request, open, file, write, notes, start } = makeSite({ stories: four });
  await runProject(open(), file, request);
  // Two stories have begun: the concurrency of the workflow.
  write([
    named("A", { title: "A with other words" }),
    named("C", { priority: 9 }),
    named("D", { title: "D as it should be", priority: 1 }),
    named("E", { passes: true }),
    named("F"),
    named("G", { skipped: true }),
  ]);
  expect(await runProject(open(), file, request)).toMatchObject({ kind: "continued" });
  expect(notes.slice(-5)).toEqual([
    "new in the PRD: F",
    "passes in prd.json, and counts as done: E",
    "changed in prd.json, and planned as it is now: C, D",
    "removed from prd.json after it had begun: it is finished (`pawl cancel` ends the run): B",
    "changed in prd.json after it had begun: it keeps the words that it began with: A",
  ]);
  const app = open();
  const { stories } = (await status(app, "1")).document;
  expect(stories.map(({ id, title, status: now }) => `${id} ${title} ${now}`)).toEqual([
    "A A running",
    "B B running",
    "E E done",
    "C C waiting",
    "D D as it should be waiting",
    "F F waiting",
  ]);

  write([named("A"), named("B"), named("D"), named("E", { passes: true }), named("F", { skipped: true })]);
  await runProject(open(), file, request);
  expect(notes).toContain("removed from prd.json, and no longer planned: C, F");
  const quiet = notes.length;
  await runProject(open(), file, request);
  expect(notes.slice(quiet)).toEqual([]);
  expect(await start()).toMatchObject({ kind: "driven", end: "done" });
  expect((await status(app, "1")).document.stories.map(({ id }) => id).toSorted()).toEqual(["A", "B", "D", "E"]);
});

test("[CM90] logs are found by the id or the title of a story, alone or with a step; a story that has not begun has none", async () => {
  const { start, open } = makeSite();
  await start();
  const app = open();
  const found = async (name: string) =>
    (await logsWithTail(app, "1", { step: name, lines: 1 })).attempts.map(({ story, step }) => `${story}/${step}`);
  expect(await found("us-001")).toEqual(["US-001/coding", "US-001/land"]);
  expect(await found("Two")).toEqual(["US-002/coding", "US-002/land"]);
  expect(await found("US-002/coding")).toEqual(["US-002/coding"]);
  await expect(found("US-002/nothing")).rejects.toMatchObject({ code: "NOT_FOUND" });
  await expect(found("US-009")).rejects.toMatchObject({
    code: "NOT_FOUND",
    message: 'this run has no step and no story "US-009"',
    hint: "there are: coding, land, US-001, US-002",
  });
});

test("[CM91] `prd check` and the start say what a PRD needs, and when a cap that was set does not allow it", async () => {
  const { open, file, request, notes, home } = makeSite();
  const needed = async () => await checkPrd(open(), file, "./workflow.yml");
  expect(await needed()).toMatchObject({
    needs: { attempts: 4, steps: 5 },
    caps: { attempts: 10_000 },
    notes: expect.any(Array),
  });
  writeFileSync(join(home, "config.yml"), "budget: { attempts: 3 }\n");
  const warning =
    "2 stories need at least 4 attempts, but the workflow or the configuration allows 3: raise the cap there";
  expect((await needed()).notes.at(-1)).toContain(warning);
  await runProject(open(), file, request);
  expect(notes.at(-1)).toContain(warning);
  const raised = await cap(open(), "1", { attempts: 9 });
  expect(raised.caps.find(({ name }) => name === "attempts")).toEqual({ name: "attempts", limit: 9, used: 0 });
  expect(await cap(open(), "1", {})).toEqual({ ...raised, caps: expect.any(Array) });
  await expect(cap(open(), "1", { attempts: 4 })).rejects.toMatchObject({
    code: "REFUSED",
    message: "run #1: the cap on attempts is 9 already, and caps are only raised",
  });
});
