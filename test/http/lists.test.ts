// What the lists of the pages are made of, over HTTP: rows of runs, digests, repositories, figures of a workflow, and the service's health.

import { mkdirSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { expect, test } from "vitest";
import { resume } from "../../src/application/driving/drive.ts";
import { start } from "../../src/application/starting/start.ts";
import { install } from "../../src/application/workflows/workflows.ts";
import { clientOf } from "../support/api-client.ts";
import { applicationIn, serve } from "../support/http-service.ts";
import { makeRepository, tempDir } from "../support/repository.ts";

const workflow = `pawl: 1
id: small
agents: { planner: {}, worker: {} }
caps: { usd: 7 }
steps:
  - { id: plan, agent: planner, input: "Plan {{task}}", on_error: fail }
  - { id: look, gate: "Is the plan good?", options: { approve: next, reject: { back_to: plan } } }
  - id: stories
    stories: {}
    body:
      - { id: coding, agent: worker, input: "{{current_story}}", on_error: fail }
`;
const plan = `STATUS: done\nSTORIES_JSON: [{"id":"A","title":"a","description":"d","acceptanceCriteria":["c"]},{"id":"B","title":"b","description":"d","acceptanceCriteria":["c"]}]\n`;

async function newSite() {
  const dir = tempDir("pawl-lists-");
  const repo = join(dir, "repo");
  makeRepository(undefined, { dir: repo });
  mkdirSync(join(dir, "home"));
  writeFileSync(join(dir, "plan.txt"), plan);
  writeFileSync(join(dir, "agent.sh"), `cat >/dev/null; echo x >>"made-$PAWL_STEP.txt"; cat '${dir}/plan.txt'\n`);
  const command = JSON.stringify(["sh", join(dir, "agent.sh")]);
  writeFileSync(
    join(dir, "home", "config.yml"),
    `executors:\n  mine: { kind: command, command: ${command} }\n  broken: { kind: command, command: ["sh", "-c", "echo boom >&2; exit 3"] }\n`,
  );
  writeFileSync(join(dir, "small.yml"), workflow);
  const app = applicationIn(dir);
  install(app, join(dir, "small.yml"));
  const service = await serve({ app });
  const { signal } = new AbortController();
  return {
    dir,
    repo,
    service,
    begin: async (executor: string) => await start(app, { workflow: "small", task: "Add a page", executor, repo }),
    drive: async (run: number) => (await resume(app, String(run), { signal })).end,
  };
}

test("[HT49] a row and a digest of a run say what a list shows in one line: asked, failed, without a driver, done", async () => {
  const { service, begin, drive } = await newSite();
  const [reader, answerer] = [clientOf(service, "read"), clientOf(service, "answer")];
  await begin("mine");
  expect(await drive(1)).toBe("held");
  await begin("broken");
  expect(await drive(2)).toBe("failed");
  await begin("mine");
  const rows = async () => (await reader.get("/api/v1/runs")).body.runs;
  const none = { total: 0, done: 0, running: 0, failed: 0 };
  const [third, second, first] = await rows();
  expect(first).toMatchObject({
    why: "Asks: Is the plan good?",
    step: "look",
    needsYou: 1,
    capUsd: 7,
    stories: { total: 2, done: 0, running: 0, failed: 0 },
  });
  expect(second).toMatchObject({
    why: expect.stringMatching(/^Failed: .*plan/),
    step: "plan",
    needsYou: 0,
    stories: none,
  });
  expect(third).toMatchObject({ why: "No process drives it: plan is ready", driver: null, step: "plan" });
  const digests = async () => (await reader.get("/api/v1/events")).body.events as readonly { number: number }[];
  const digestOf = async (number: number) => (await digests()).find((each) => each.number === number);
  expect(await digestOf(1)).toMatchObject({ why: "Asks: Is the plan good?", step: "look", needsYou: 1, costUsd: null });
  // A driver that dies changes no run, so a digest says nothing of drivers.
  expect(await digestOf(3)).toMatchObject({ why: "plan is ready", needsYou: 0, costUsd: 0 });

  const [gate] = (await reader.get("/api/v1/gates")).body.gates;
  await answerer.post(`/api/v1/gates/${gate.id}/answer`, { option: "approve" });
  expect((await rows()).at(-1)).toMatchObject({ needsYou: 0, status: "running", step: "stories" });
  expect(await drive(1)).toBe("done");
  expect((await rows()).at(-1)).toMatchObject({
    why: expect.stringMatching(/^Done in \d+ s$/),
    step: null,
    capUsd: null,
    stories: { total: 2, done: 2 },
  });
});

test("[HT50] the figures of a workflow: its runs by status, and for each step what its attempts came to", async () => {
  const { service, begin, drive } = await newSite();
  const [reader, answerer] = [clientOf(service, "read"), clientOf(service, "answer")];
  const path = "/api/v1/workflows/small/figures";
  const none = { running: 0, held: 0, paused: 0, done: 0, failed: 0, cancelled: 0 };
  expect((await reader.get(path)).body).toEqual({ workflow: "small", runs: none, counted: 0, steps: [] });
  await begin("mine");
  expect(await drive(1)).toBe("held");
  const answer = async (option: string) => {
    const [gate] = (await reader.get("/api/v1/gates")).body.gates;
    await answerer.post(`/api/v1/gates/${gate.id}/answer`, { option });
    return await drive(1);
  };
  expect(await answer("reject")).toBe("held");
  expect(await answer("approve")).toBe("done");
  await begin("broken");
  expect(await drive(2)).toBe("failed");
  const { body } = await reader.get(path);
  expect(body).toMatchObject({ runs: { ...none, done: 1, failed: 1 }, counted: 2 });
  expect(body.steps).toMatchObject([
    {
      step: "plan",
      attempts: 3,
      ended: 3,
      passed: 2,
      rejected: 0,
      failed: 1,
      unreported: 3,
      costUsd: null,
      lostUsd: null,
    },
    { step: "coding", attempts: 2, ended: 2, passed: 2, rejected: 0, failed: 0 },
  ]);
  const { attempts } = (await reader.get("/api/v1/runs/1/cost")).body;
  const [one, other] = attempts
    .filter(({ step }: { step: string }) => step === "coding")
    .map((each: { startedAt: string; endedAt: string }) => Date.parse(each.endedAt) - Date.parse(each.startedAt));
  expect(body.steps[1].medianMs).toBe(Math.round((one + other) / 2));
  expect((await reader.get("/api/v1/workflows/nothing/figures")).status).toBe(404);
});

test("[HT51 HT52] where a run may be started, and how the service is: its store, its doctor, and runs that nothing drives", async () => {
  const { service, begin, repo, dir } = await newSite();
  const [reader, operator] = [clientOf(service, "read"), clientOf(service, "operate")];
  expect((await reader.get("/api/v1/repositories")).body).toEqual({ repositories: [] });
  await begin("mine");
  expect((await reader.get("/api/v1/repositories")).body).toEqual({ repositories: [{ path: repo, isThere: true }] });
  const started = await operator.post("/api/v1/runs", { workflow: "small", task: "Two", repo, executor: "mine" });
  expect(started.status).toBe(201);
  rmSync(repo, { recursive: true });
  expect((await reader.get("/api/v1/repositories")).body.repositories).toEqual([{ path: repo, isThere: false }]);

  const { body } = await reader.get("/api/v1/health/details");
  expect(body).toMatchObject({
    service: { pid: process.pid, streams: 0 },
    store: { name: join(dir, "home", "pawl.db"), runs: { running: 2, done: 0 } },
    workers: [],
    undriven: [
      { number: 2, task: "Two" },
      { number: 1, task: "Add a page" },
    ],
    accounts: [],
    schedules: [],
  });
  expect(body.store.bytes).toBeGreaterThan(10_000);
  expect(body.doctor.findings).toContainEqual(expect.objectContaining({ name: "git", ok: true }));
  expect(body.doctor.findings).toContainEqual(expect.objectContaining({ name: "executor mine" }));
  // The doctor is not asked again at once.
  writeFileSync(join(dir, "home", "config.yml"), "executors: {}\n");
  expect((await reader.get("/api/v1/health/details")).body.doctor).toEqual(body.doctor);
  expect((await fetch(`${service.url}/api/v1/health/details`)).status).toBe(401);
});

test("[HT21] a page of events ends early where events are large, and the pages together are the whole log", async () => {
  const { service, begin, dir } = await newSite();
  const [reader, operator] = [clientOf(service, "read"), clientOf(service, "operate")];
  await begin("mine");
  await operator.post("/api/v1/runs/1/note", { text: "x".repeat(15_000) });
  const db = new DatabaseSync(join(dir, "home", "pawl.db"));
  db.exec(`with recursive n(i) as (select 1 union all select i + 1 from n where i < 600)
    insert into events select run_id, seq + i, at, author, type, story_id, schema_version, body
    from events, n where type = 'note_added'`);
  db.close();
  const seqs: number[] = [];
  const sizes: number[] = [];
  for (let after = 0; ; ) {
    const { body } = await reader.get(`/api/v1/runs/1/events?limit=5000&after=${after}`);
    if (body.events.length === 0) break;
    seqs.push(...body.events.map(({ seq }: { seq: number }) => seq));
    sizes.push(JSON.stringify(body).length);
    after = body.next;
  }
  expect(seqs).toEqual(Array.from({ length: seqs.length }, (_, index) => index + 1));
  expect(seqs.length).toBeGreaterThanOrEqual(601);
  expect(sizes).toHaveLength(2);
  expect(Math.max(...sizes)).toBeLessThan(9 * 1024 * 1024);
  expect((await reader.get("/api/v1/runs/1/events?limit=5001")).status).toBe(400);
});
