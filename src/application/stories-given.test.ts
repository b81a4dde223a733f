// A PRD that is started again: the store says what is done, whatever the file says, and two starts at once are one run.

import { mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, onTestFinished, test, vi } from "vitest";
import { log, makeRepository, tempDir } from "../../test/support/repository.ts";
import { Application } from "./application.ts";
import { importState } from "./ralph/import-state.ts";
import { runs } from "./runs.ts";
import { type ProjectRequest, runProject } from "./stories-given.ts";

vi.setConfig({ testTimeout: 60_000 });

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

test("[RA43] a PRD that is started several times at once is one run, and so is one with another folder", async () => {
  const { request, open, file } = makeSite();
  const started = await Promise.all([1, 2, 3, 4].map(() => runProject(open(), file, request)));
  expect(started.map(({ kind }) => kind).toSorted()).toEqual(["continued", "continued", "continued", "recorded"]);
  expect(await runProject(open(), file, { ...request, shared: "elsewhere" })).toMatchObject({ kind: "continued" });
  expect((await runs(open())).runs).toHaveLength(1);
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
