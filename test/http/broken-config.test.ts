// A configuration that breaks under a running service: reading goes on, changing is refused, and the health says what is wrong.

import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { resume } from "../../src/application/driving/drive.ts";
import { start } from "../../src/application/starting/start.ts";
import { install } from "../../src/application/workflows/workflows.ts";
import { clientOf } from "../support/api-client.ts";
import { applicationIn, serve } from "../support/http-service.ts";
import { makeRepository, tempDir } from "../support/repository.ts";

const workflow = `pawl: 1
id: small
agents: { worker: {} }
steps:
  - { id: work, agent: worker, input: "Work on {{task}}" }
  - { id: look, gate: "Is it good?", options: { approve: next, reject: fail } }
`;

async function asked() {
  const dir = tempDir("pawl-broken-config-");
  const repo = join(dir, "repo");
  makeRepository({ "a.txt": "one\n" }, { dir: repo });
  mkdirSync(join(dir, "home"));
  writeFileSync(join(dir, "agent.sh"), "cat >/dev/null\necho new >b.txt\necho STATUS: done\n");
  const file = join(dir, "home", "config.yml");
  const good = `executors:\n  mine: { kind: command, command: ["sh", "${join(dir, "agent.sh")}"] }\n`;
  writeFileSync(file, good);
  writeFileSync(join(dir, "small.yml"), workflow);
  const app = applicationIn(dir);
  install(app, join(dir, "small.yml"));
  await start(app, { workflow: "small", task: "Add a page", executor: "mine", repo });
  expect((await resume(app, "1", { signal: new AbortController().signal })).end).toBe("held");
  const service = await serve({ app });
  const client = clientOf(service, "operate");
  const gate = (await client.get("/api/v1/gates")).body.gates[0].id as string;
  const attempt = (await client.get("/api/v1/runs/1/cost")).body.attempts[0].id as string;
  const reads = [
    ...["", "/stories", "/cost", "/why", "/definition", "/diff", "/events", "/caps"].map((path) => `runs/1${path}`),
    ...["", "/log", "/transcript", "/prompt", "/diff"].map((path) => `attempts/${attempt}${path}`),
    ...["", `/${gate}`, `/${gate}/diff`].map((path) => `gates${path}`),
    ...["", "/small", "/small/figures"].map((path) => `workflows${path}`),
    "runs",
    "events",
    "accounts",
    "workers",
    "projects",
    "sessions",
    "repositories",
    "push",
    "openapi.json",
    "health/details",
  ];
  const failing = async () => {
    const answers = await Promise.all(reads.map(async (path) => [path, await client.get(`/api/v1/${path}`)] as const));
    return answers.filter(([, { status }]) => status !== 200).map(([path, { status }]) => `${path} ${status}`);
  };
  return { repo, file, good, client, gate, failing };
}

test("[HT54] the user's configuration breaks: everything can be read, nothing is changed, and the health names the file", async () => {
  const { file, good, client, gate, failing } = await asked();
  writeFileSync(file, "executors: [broken\n");
  expect(await failing()).toEqual([]);
  const { doctor } = (await client.get("/api/v1/health/details")).body;
  expect(doctor.findings).toContainEqual(
    expect.objectContaining({ name: "configuration", needed: true, ok: false, detail: expect.stringContaining(file) }),
  );
  const refused = { status: 400, body: { code: "CONFIG_INVALID", detail: expect.stringContaining(file) } };
  expect(await client.get("/api/v1/executors")).toMatchObject(refused);
  expect(await client.post(`/api/v1/gates/${gate}/answer`, { option: "approve" })).toMatchObject(refused);
  writeFileSync(file, good);
  expect((await client.post(`/api/v1/gates/${gate}/answer`, { option: "approve" })).status).toBe(200);
});

test("[HT54] a repository's configuration breaks: everything can be read", async () => {
  const { repo, failing } = await asked();
  mkdirSync(join(repo, ".pawl"));
  writeFileSync(join(repo, ".pawl", "config.yml"), "executors: [broken\n");
  expect(await failing()).toEqual([]);
});
