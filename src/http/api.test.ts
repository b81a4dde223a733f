// The API over a real service: every route, with answers that are checked against their contracts (`clientOf`).

import { mkdirSync, symlinkSync, unlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { answered, clientOf } from "../../test/support/api-client.ts";
import { applicationIn, type Service, serve } from "../../test/support/http-service.ts";
import { makeRepository, tempDir } from "../../test/support/repository.ts";
import { resume } from "../application/driving/drive.ts";
import { start } from "../application/starting/start.ts";
import { install } from "../application/workflows/workflows.ts";
import { routes } from "./routes.ts";

const workflow = `pawl: 1
id: small
agents: { worker: {} }
steps:
  - { id: work, agent: worker, input: "Work on {{task}}", on_error: fail }
  - { id: look, gate: "Is it good?", options: { approve: next, reject: { back_to: work } } }
  - { id: ship, agent: worker, input: "Ship it. {{feedback}}" }
`;
const config =
  'executors:\n  mine: { kind: command, command: ["sh", "AGENT"] }\n  broken: { kind: command, command: ["false"] }\n';
const agent =
  "cat >/dev/null; printf 'gr\\303\\274n\\n'; date > made.txt; git add -A; git commit -qm made; echo STATUS: done\n";

interface Site {
  readonly dir: string;
  readonly repo: string;
  readonly service: Service;
  drive(run: number): Promise<string>;
}

async function newSite(): Promise<Site> {
  const dir = tempDir("pawl-api-");
  const repo = join(dir, "repo");
  makeRepository(undefined, { dir: repo });
  mkdirSync(join(dir, "home"));
  writeFileSync(join(dir, "agent.sh"), agent);
  writeFileSync(join(dir, "home", "config.yml"), config.replace("AGENT", join(dir, "agent.sh")));
  writeFileSync(join(dir, "small.yml"), workflow);
  const app = applicationIn(dir);
  install(app, join(dir, "small.yml"));
  const service = await serve({ app });
  const { signal } = new AbortController();
  return { dir, repo, service, drive: async (run) => (await resume(app, String(run), { signal })).end };
}

const wanted = { workflow: "small", task: "Add a page", executor: "mine" };

/** The first run of a repository is started by its user. */
async function withRun(): Promise<Site> {
  const site = await newSite();
  await start(site.service.app, { ...wanted, repo: site.repo });
  return site;
}

const pushPosts = ["", "/{subscription}/remove"];
const json = { "content-type": "application/json" };

test("[HT10 HT20 HT21 HT24 X35] a run by HTTP alone: started, looked at, answered, steered", async () => {
  const { service, repo, drive } = await withRun();
  const [reader, answerer, operator] = [
    clientOf(service, "read"),
    clientOf(service, "answer"),
    clientOf(service, "operate"),
  ];
  const started = await operator.post("/api/v1/runs", {
    ...wanted,
    repo,
    caps: { attempts: 7 },
    context: { ticket: "T-1" },
  });
  expect(started).toMatchObject({ status: 201, body: { run: { number: 2, workflow: "small" } } });
  expect(await drive(2)).toBe("held");

  const { body: page } = await reader.get("/api/v1/runs?limit=1");
  expect(page).toMatchObject({ runs: [{ number: 2, status: "held", task: "Add a page" }], next: "r2" });
  const { body: rest } = await reader.get(`/api/v1/runs?limit=1&cursor=${page.next}&status=running,paused&q=PAGE`);
  expect(rest).toMatchObject({ runs: [{ number: 1 }], next: null });
  expect((await reader.get("/api/v1/events")).body.events).toContainEqual(expect.objectContaining({ number: 2 }));
  const { body: run } = await reader.get("/api/v1/runs/2");
  expect(run.gates).toMatchObject([{ question: "Is it good?", status: "open" }]);
  expect((await reader.get(`/api/v1/runs/${run.run.id}/why`)).body.why).toContain("Is it good?");
  expect((await reader.get("/api/v1/runs/%232/definition")).body.caps.attempts).toBe(7);
  expect((await reader.get("/api/v1/runs/2/stories")).body).toEqual({ stories: [] });
  expect((await reader.get("/api/v1/runs/2/diff")).body.files).toMatchObject([{ path: "made.txt", status: "added" }]);
  expect((await reader.get("/api/v1/runs/2/diff?story=none")).status).toBe(404);

  const { body: events } = await reader.get("/api/v1/runs/2/events?limit=3");
  expect(events.events.map(({ seq }: { seq: number }) => seq)).toEqual([1, 2, 3]);
  expect(events.events[0]).toMatchObject({ type: "run_started", author: expect.stringMatching(/^token:operate-/) });
  const { body: later } = await reader.get(`/api/v1/runs/2/events?after=${events.next}`);
  expect(later.events[0].seq).toBe(4);
  expect((await reader.get(`/api/v1/runs/2/events?after=${later.next}`)).body).toEqual({
    events: [],
    next: later.next,
  });
  expect(JSON.stringify([events, later])).not.toContain('"token"');

  const [gate] = (await reader.get("/api/v1/gates?status=open")).body.gates;
  const path = `/api/v1/gates/${gate.id}/answer`;
  expect((await reader.post(path, { option: "approve" })).status).toBe(403);
  const stale = await answerer.post(path, { option: "approve", tree: "0000000" });
  expect(stale).toMatchObject({ status: 409, body: { code: "REFUSED" } });
  const comments = [{ path: "made.txt", line: 1, text: "say when" }];
  const said = await answerer.post(path, { option: "reject", note: "Not yet", comments, tree: gate.tree });
  expect(said).toMatchObject({ status: 200, body: { option: "reject", status: "running" } });
  expect((await answerer.post(path, { option: "approve" })).status).toBe(409);
  expect(await drive(2)).toBe("held");
  const { body: told } = await reader.get("/api/v1/runs/2/events?limit=1000");
  const answer = told.events.find(({ type }: { type: string }) => type === "gate_answered");
  expect(answer).toMatchObject({
    note: "Not yet\nmade.txt:1: say when",
    author: expect.stringMatching(/^token:answer-/),
  });

  expect((await operator.post("/api/v1/runs/2/note", { text: "be brief" })).body.note.text).toBe("be brief");
  expect((await operator.post("/api/v1/runs/2/note", { text: "now", now: true })).status).toBe(409);
  const edited = await operator.post("/api/v1/runs/2/edit", {
    operations: [{ operation: "skip", target: "ship", reason: "not now" }],
    preview: true,
  });
  expect(edited.body).toMatchObject({
    applied: false,
    after: [{ id: "work" }, { id: "look" }, { id: "ship", status: "skipped" }],
  });
  expect((await operator.post("/api/v1/runs/2/pause")).body.run.status).toBe("paused");
  expect((await operator.post("/api/v1/runs/2/resume")).body.run.status).toBe("held");
  expect((await operator.post("/api/v1/runs/2/cancel", { reason: "no" })).body.run.status).toBe("cancelled");
  expect((await operator.post("/api/v1/runs/2/retry", {})).status).toBe(409);

  await operator.post("/api/v1/runs", { ...wanted, repo, executor: "broken" });
  expect(await drive(3)).toBe("failed");
  expect((await operator.post("/api/v1/runs/3/retry", { step: "work" })).body.run.status).toBe("running");
});

test("[HT22 HT23] an attempt, its log from any byte, and its prompt; a link in the place of its log is not followed", async () => {
  const { service, drive, dir } = await withRun();
  expect(await drive(1)).toBe("held");
  const reader = clientOf(service, "read");
  const [attempt] = (await reader.get("/api/v1/runs/1/cost")).body.attempts;
  const path = `/api/v1/attempts/${attempt.id}`;
  const found = await reader.get(path);
  expect(found.body).toMatchObject({ step: "work", attempt: 1, outcome: "completed", executor: "mine", number: 1 });
  const whole = (await reader.get(`${path}/log`)).body;
  expect(whole).toMatchObject({ from: 0, next: whole.size, ended: true });
  expect(whole.text).toMatch(/^grün\n/);
  expect((await reader.get(`${path}/log?from=5`)).body.text).toBe(Buffer.from(whole.text).subarray(5).toString());
  expect((await reader.get(`${path}/log?from=999999`)).body).toMatchObject({ text: "", next: 999_999 });
  expect((await reader.get(`${path}/log?from=-1`)).status).toBe(400);
  expect((await reader.get(`${path}/prompt`)).body.prompt).toContain("Work on Add a page");
  for (const name of ["..", "at-nothing", "../../etc/passwd"])
    expect(
      (await reader.get(`/api/v1/attempts/${encodeURIComponent(name)}/log`).catch(() => ({ status: 404 }))).status,
    ).toBe(404);
  const { id } = (await reader.get("/api/v1/runs/1")).body.run;
  for (const [file, part] of [
    ["run-work-1.log", "log"],
    ["run-work-1.prompt.md", "prompt"],
  ] as const) {
    const log = join(dir, "home", "logs", id, file);
    unlinkSync(log);
    symlinkSync(join(dir, "home", "config.yml"), log);
    const refused = await reader.get(`${path}/${part}`);
    expect(refused).toMatchObject({ status: 409, body: { code: "REFUSED" } });
    expect(JSON.stringify(refused.body)).not.toContain("executors");
  }
});

test("[HT25] a run is started with what the user has set up, and with nothing else", async () => {
  const { service, repo, dir } = await withRun();
  const operator = clientOf(service, "operate");
  const call = async (more: object) => {
    const { status, body } = await operator.post("/api/v1/runs", { ...wanted, repo, ...more });
    return `${status} ${body.code}`;
  };
  const marker = join(dir, "ran");
  expect(await call({ executor: `command: touch ${marker}` })).toBe("503 EXECUTOR_MISSING");
  expect(await call({ executor: `scripted:${dir}/x` })).toBe("503 EXECUTOR_MISSING");
  expect(await call({ workflow: join(dir, "small.yml") })).toBe("404 NOT_FOUND");
  expect(await call({ workflow: "../small" })).toBe("404 NOT_FOUND");
  makeRepository(undefined, { dir: join(dir, "other") });
  for (const other of [join(dir, "other"), dir, "repo", "/", `${repo}/../other`])
    expect(await call({ repo: other })).toBe("404 NOT_FOUND");
  expect(await call({ script: "x" })).toBe("400 INPUT_INVALID");
  expect(await call({ test: `touch ${marker}` })).toBe("400 INPUT_INVALID");
  expect(await call({ task: "" })).toBe("400 INPUT_INVALID");
  expect(await call({ context: { task: "x" } })).toBe("400 USAGE");
  expect((await clientOf(service, "answer").post("/api/v1/runs", { ...wanted, repo })).status).toBe(403);
  expect((await clientOf(service, "read").get("/api/v1/runs")).body.runs).toHaveLength(1);
});

test("[HT26] a request under a key starts one run, however often and however quickly it comes", async () => {
  const { service, repo } = await withRun();
  const operator = clientOf(service, "operate");
  const body = { ...wanted, repo };
  const key = (value: string) => ({ ...json, "idempotency-key": value });
  const both = await Promise.all([1, 2].map(() => operator.post("/api/v1/runs", body, key("k-1"))));
  const again = await operator.post("/api/v1/runs", body, key("k-1"));
  // The order of keys means nothing, also in `context`.
  const context = (given: object) => operator.post("/api/v1/runs", { ...body, context: given }, key("k-0"));
  const [one, turned] = [await context({ a: "1", b: "2" }), await context({ b: "2", a: "1" })];
  expect([turned.status, turned.body.run.id]).toEqual([201, one.body.run.id]);
  expect(new Set([...both, again].map((answer) => answer.body.run.id)).size).toBe(1);
  const other = await operator.post("/api/v1/runs", { ...body, task: "Another" }, key("k-1"));
  expect(other).toMatchObject({ status: 409, body: { code: "REFUSED", hint: expect.stringContaining("new key") } });
  expect((await operator.post("/api/v1/runs", body, key("with space"))).status).toBe(400);
  // What could not be started is corrected under the same key.
  expect((await operator.post("/api/v1/runs", { ...body, base: "nowhere" }, key("k-2"))).status).toBe(400);
  expect((await operator.post("/api/v1/runs", body, key("k-2"))).body.run.number).toBe(4);
  expect((await operator.get("/api/v1/runs")).body.runs).toHaveLength(4);
});

test("[HT27 HT28] what this home has, without paths from outside; a cursor, a number and a key that are not right are said so", async () => {
  const { service } = await withRun();
  const reader = clientOf(service, "read");
  expect((await reader.get("/api/v1/workflows")).body.workflows.map(({ id }: { id: string }) => id)).toContain("small");
  expect((await reader.get("/api/v1/workflows/small")).body.definition.id).toBe("small");
  expect((await reader.get("/api/v1/workflows/nothing")).status).toBe(404);
  expect((await reader.get("/api/v1/workflows/.%20%20")).status).toBe(404);
  expect((await reader.get("/api/v1/executors")).body.executors).toContainEqual(
    expect.objectContaining({ name: "mine" }),
  );
  expect((await reader.get("/api/v1/accounts")).body).toEqual({ accounts: [] });
  expect((await reader.get("/api/v1/workers")).body).toEqual({ workers: [] });
  const figures = { queue: null, deferred: 0, active: 0, lost: 0, ended: null };
  expect((await reader.get("/api/v1/queues")).body).toMatchObject({ queues: [figures] });
  expect((await reader.get("/api/v1/token")).body).toMatchObject({ role: "read" });
  expect((await reader.get("/api/v1/projects")).body).toEqual({ projects: [], unreadable: [] });
  expect((await reader.get("/api/v1/sessions")).body).toEqual({ sessions: [] });
  for (const query of ["limit=0", "limit=201", "limit=x", "cursor=1", "status=sleeping", "more=1"])
    expect({ query, status: (await reader.get(`/api/v1/runs?${query}`)).status }).toEqual({ query, status: 400 });
  expect((await reader.get("/api/v1/runs/99")).body).toMatchObject({ status: 404, code: "NOT_FOUND" });
  expect((await reader.get("/api/v1/openapi.json")).body.openapi).toMatch(/^3\.1\./);
});

test("[HT40] every route was called by these tests, and its answer checked", () => {
  // Those of a project, of stories and of pages need more than this site has: test/http/; a browser has a code: sign-in.test.ts.
  const elsewhere = [
    "GET /api/v1/health",
    "GET /api/v1/ready",
    "GET /api/runs/{run}/stories",
    "POST /api/v1/projects/say",
    "POST /api/v1/sign-in",
    "GET /api/v1/runs/{run}/caps",
    "GET /api/v1/health/details",
    "GET /api/v1/repositories",
    "GET /api/v1/workflows/{workflow}/figures",
    "GET /api/v1/gates/{gate}",
    "GET /api/v1/gates/{gate}/diff",
    "GET /api/v1/attempts/{attempt}/diff",
    "GET /api/v1/attempts/{attempt}/transcript",
    ...["caps", "waits", "stop", "drop", "stories"].map((name) => `POST /api/v1/runs/{run}/${name}`),
    ...["edit", "move", "skip", "drop", "revert"].map((name) => `POST /api/v1/runs/{run}/stories/{story}/${name}`),
  ];
  // Those of web push: test/http/push.test.ts.
  elsewhere.push("GET /api/v1/push", "GET /api/v1/push/subscriptions");
  elsewhere.push(...pushPosts.map((path) => `POST /api/v1/push/subscriptions${path}`));
  const all = routes.map(({ method, path }) => `${method.toUpperCase()} ${path}`);
  expect(all.filter((route) => !answered.has(route) && !elsewhere.includes(route))).toEqual([]);
});
