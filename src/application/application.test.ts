import { mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join, relative } from "node:path";
import { describe, expect, onTestFinished, test } from "vitest";
import { commitFile, makeRepository, runGit, tempDir, writeFiles } from "../../test/support/repository.ts";
import { Application, type ApplicationOptions } from "./application.ts";
import { resume, run } from "./driving/drive.ts";
import { answer, openGates } from "./gates/gates.ts";
import { events } from "./looking/events.ts";
import { runs } from "./looking/runs.ts";
import { status } from "./looking/status.ts";
import { start } from "./starting/start.ts";
import { cancel, pause, retry } from "./steering/steer.ts";

const oneStep = `  - id: work
    agent: worker
    input: "{{task}}"
`;

const asking = `${oneStep}  - id: check
    gate: "Is it good?"
`;

interface Site {
  readonly dir: string;
  readonly app: Application;
  /** What a caller says who wants a run. */
  readonly wanted: {
    readonly workflow: string;
    readonly task: string;
    readonly repo: string;
    readonly executor: string;
  };
}

/** Everything is named relative to a directory that is not the one of this process. */
function makeSite({ steps = oneStep, agent = "cat >/dev/null; echo STATUS: done", config = "" } = {}): Site {
  const dir = tempDir("pawl-app-");
  makeRepository(undefined, { dir: join(dir, "repo") });
  mkdirSync(join(dir, "home"));
  if (config !== "") writeFileSync(join(dir, "home", "config.yml"), config);
  writeFileSync(join(dir, "workflow.yml"), `pawl: 1\nid: small\nagents:\n  worker: {}\nsteps:\n${steps}`);
  writeFileSync(join(dir, "agent.sh"), `${agent}\n`);
  const wanted = { workflow: "./workflow.yml", task: "do it", repo: "repo", executor: "command: sh ./agent.sh" };
  return { dir, app: openIn(dir), wanted };
}

function openIn(dir: string, more: Partial<ApplicationOptions> = {}): Application {
  const app = new Application({ cwd: dir, env: { ...process.env, PAWL_HOME: "home" }, ...more });
  onTestFinished(async () => await app.close());
  return app;
}

const { signal } = new AbortController();

test("[AP3] paths start at the given directory, and home and store come from the given environment", async () => {
  const { dir, app, wanted } = makeSite();
  const driven = await run(app, { ...wanted, signal });
  expect(driven.end).toBe("done");
  expect(driven.document.run.repo).toBe(join(dir, "repo"));
  expect(app.home.dir).toBe(join(dir, "home"));
  expect(readFileSync(join(dir, "home", "pawl.db")).length).toBeGreaterThan(0);
  const other = openIn(dir, { store: "sqlite:other.db" });
  expect((await runs(other)).runs).toEqual([]);
  expect(other.storeName).toBe(`sqlite:${join(dir, "other.db")}`);
});

test("[AP1] use cases run at the same time on one store; a store that could not be opened is tried again", async () => {
  const { dir, app, wanted } = makeSite();
  writeFileSync(join(dir, "home", "pawl.db"), "this is not a database, whatever its name says");
  await expect(runs(app)).rejects.toMatchObject({ code: "STORE_UNUSABLE" });
  rmSync(join(dir, "home", "pawl.db"));
  const [one, two] = await Promise.all([run(app, { ...wanted, signal }), run(app, { ...wanted, signal })]);
  expect([one.end, two.end]).toEqual(["done", "done"]);
  expect((await runs(app)).runs.map(({ status: each }) => each)).toEqual(["done", "done"]);
});

describe("[AP2] after a use case the chores are done, whichever it was", () => {
  const config = (dir: string) => `notify:
  - { kind: command, name: file, on: [run_done], command: [sh, -c, "cat >> ${dir}/told"] }
`;

  test("an answer that ends a run: its tree is removed and its message is delivered before the answer returns", async () => {
    const site = makeSite({ steps: asking });
    writeFileSync(join(site.dir, "home", "config.yml"), config(site.dir));
    const held = await run(site.app, { ...site.wanted, signal });
    expect(held.end).toBe("held");
    const tree = join(site.app.home.worktrees, held.run);
    const [gate] = await openGates(site.app);
    const answered = await answer(site.app, gate?.gate.id ?? "", { option: "approve" });
    expect(answered).toMatchObject({ document: { status: "done" }, isOver: true });
    expect(() => readFileSync(join(tree, "README.md"))).toThrow("ENOENT");
    expect(readFileSync(join(site.dir, "told"), "utf8")).toContain('"event":"run_done"');
  });

  test("a paused, resumed, cancelled and retried run: each returns the run as it is then", async () => {
    const { app, wanted } = makeSite({ agent: "cat >/dev/null; exit 1" });
    const started = await start(app, wanted);
    expect((await pause(app, String(started.number))).status).toBe("paused");
    expect((await resume(app, started.run, { signal })).end).toBe("failed");
    expect((await retry(app, started.run.slice(0, 6))).status).toBe("running");
    expect((await cancel(app, "#1", { reason: "enough" })).status).toBe("cancelled");
    await expect(pause(app, "1")).rejects.toMatchObject({ code: "REFUSED" });
  });
});

test("[AP4] a configuration that is changed counts for the next use case", async () => {
  const { dir, app, wanted } = makeSite();
  const { executor: _, ...unnamed } = wanted;
  writeFileSync(
    join(dir, "home", "config.yml"),
    "default_executor: absent\nexecutors:\n  absent: { kind: command, command: [/nowhere] }\n",
  );
  await expect(start(app, unnamed)).rejects.toMatchObject({ code: "EXECUTOR_MISSING" });
  writeFileSync(
    join(dir, "home", "config.yml"),
    `default_executor: mine\nexecutors:\n  mine: { kind: command, command: [sh, ${join(dir, "agent.sh")}] }\n`,
  );
  expect((await run(app, { ...unnamed, signal })).end).toBe("done");
});

describe("[AP5] events", () => {
  test("what has happened, in order and without gaps", async () => {
    const { app, wanted } = makeSite();
    await run(app, { ...wanted, signal });
    const seen = [];
    for await (const { seq, event } of events(app, undefined)) seen.push([seq, event.type]);
    expect(seen[0]).toEqual([1, "run_started"]);
    expect(seen.at(-1)?.[1]).toBe("run_ended");
    expect(seen.map(([seq]) => seq)).toEqual(seen.map((_, index) => index + 1));
    const rest = [];
    for await (const { seq } of events(app, "1", { after: 2 })) rest.push(seq);
    expect(rest).toEqual(seen.slice(2).map(([seq]) => seq));
  });

  test("until the run is over, also for a consumer that is there before it moves", async () => {
    const { app, wanted } = makeSite();
    const started = await start(app, wanted);
    const reading = (async () => {
      const types: string[] = [];
      for await (const { event } of events(app, started.run, { until: "over" })) types.push(event.type);
      return types;
    })();
    await resume(app, started.run, { signal });
    const types = await reading;
    expect(types).toContain("attempt_ended");
    expect(types.at(-1)).toBe("run_ended");
  });

  test("until a signal aborts, with everything that happened by then; a consumer may stop before", async () => {
    const { app, wanted } = makeSite();
    const started = await start(app, wanted);
    const stop = new AbortController();
    const seen: string[] = [];
    const reading = (async () => {
      for await (const { event } of events(app, started.run, { until: "aborted", signal: stop.signal }))
        seen.push(event.type);
    })();
    await pause(app, started.run);
    stop.abort();
    await reading;
    expect(seen.at(-1)).toBe("run_paused");
    for await (const { seq } of events(app, started.run, { until: "aborted" })) if (seq === 1) break;
  });
});

test("[AP6] a command has the author of the call, else of the application", async () => {
  const { dir, wanted } = makeSite();
  const app = openIn(dir, { author: "service:board" });
  await start(app, { ...wanted, author: "user:ada" });
  await pause(app, "1");
  const authors: string[] = [];
  for await (const { event } of events(app, "1")) authors.push(event.author);
  expect(authors[0]).toBe("user:ada");
  expect(authors.at(-1)).toBe("service:board");
});

test("[AP3] an application in another directory names the same repository by another path", async () => {
  const { dir, app, wanted } = makeSite();
  await start(app, wanted);
  const elsewhere = join(dir, "repo");
  const other = new Application({ cwd: elsewhere, env: { ...process.env, PAWL_HOME: "../home" } });
  onTestFinished(async () => await other.close());
  const { document } = await status(other, "1");
  expect(relative(elsewhere, document.run.repo ?? "")).toBe("");
});

test("[WF69] a run that was given no stories is refused where no agent plans them, and nothing is recorded", async () => {
  const { app, wanted } = makeSite({
    steps: "  - id: each\n    stories: {}\n    body: [{ id: one, agent: worker }]\n",
  });
  await expect(start(app, wanted)).rejects.toMatchObject({
    code: "WORKFLOW_INVALID",
    details: expect.arrayContaining([expect.stringContaining("no agent before it plans them")]),
  });
  expect((await runs(app, 10)).runs).toEqual([]);
});

test("[WK62] what a repository configures is read from a commit where one is named, and not from its folder", async () => {
  const { dir, app } = makeSite();
  const repo = join(dir, "repo");
  const first = commitFile(repo, ".pawl/config.yml", "concurrency: { agents: 1 }\n");
  const second = commitFile(repo, ".pawl/config.yml", "concurrency: { agents: 2 }\nproject: { test: make }\n");
  runGit(repo, "rm", "--quiet", ".pawl/config.yml");
  const none = runGit(repo, "commit-tree", "-m", "none", "-p", second, runGit(repo, "write-tree"));
  writeFiles(repo, { ".pawl/config.yml": "concurrency: { agents: 3 }\n" });
  const agentsAt = async (commit?: string) => await app.change("repo", async ({ config }) => config.agents, commit);
  expect([await agentsAt(), await agentsAt(first), await agentsAt(none)]).toEqual([3, 1, null]);
  // Its commands are as strange there as in the folder.
  await expect(agentsAt(second)).rejects.toMatchObject({ code: "UNTRUSTED", details: ["project.test: make"] });
  await expect(agentsAt("1".repeat(40))).rejects.toMatchObject({ code: "GIT_FAILED" });
});
