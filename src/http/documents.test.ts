// Documents that programs of other tools read: stories as antfarm's API has them, projects, sessions; and tokens.

import { readFileSync, rmSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { agenticProject } from "../../test/support/agentic-project.ts";
import { clientOf } from "../../test/support/api-client.ts";
import { serve } from "../../test/support/http-service.ts";
import { lifecycleProject, planned } from "../../test/support/lifecycle-project.ts";
import { chainOf, completed, everything, storyOf } from "../../test/support/sample-runs.ts";
import { Transitions } from "../../test/support/transitions.ts";
import { createToken, revokeToken, tokens } from "../application/access/tokens.ts";
import { storyId } from "../domain/ids.ts";
import { Streams } from "./limits.ts";

test("[HT29 A20 A91] the stories of a run as antfarm's API has them, field by field", async () => {
  const service = await serve();
  const { store } = (await service.app.read()).parts;
  const runs = new Transitions(store);
  const run = await runs.start(everything);
  await runs.start(chainOf(1));
  const reader = clientOf(service, "read");
  expect((await reader.get("/api/runs/2/stories")).body).toEqual([]);
  expect((await reader.get("/api/runs/9/stories")).body).toMatchObject({ status: 404, code: "NOT_FOUND" });
  const stories = [
    storyOf("US-001", { title: "Log in", description: "By name", acceptanceCriteria: ["It works", "It is fast"] }),
    storyOf("US-002"),
  ];
  await runs.perform(run, "plan", completed({ stories }));
  const no = completed({ verdict: { kind: "rejected", reason: null } });
  await runs.perform(run, "code", completed({ outputs: { changes: "one file" } }), storyId("US-001"));
  const [coded] = (await reader.get("/api/runs/1/stories")).body;
  expect(coded).toMatchObject({ output: "CHANGES: one file", retryCount: 0 });
  await runs.perform(run, "verify", no, storyId("US-001"));
  const { body } = await reader.get("/api/runs/1/stories");
  expect(body).toEqual([
    {
      id: `${run}/US-001`,
      runId: run,
      storyIndex: 0,
      storyId: "US-001",
      title: "Log in",
      description: "By name",
      acceptanceCriteria: ["It works", "It is fast"],
      status: "running",
      retryCount: 1,
      maxRetries: 3,
    },
    expect.objectContaining({ storyIndex: 1, storyId: "US-002", retryCount: 0, maxRetries: 3 }),
  ]);
  expect(Object.keys(body[1])).not.toContain("output");
  expect((await fetch(`${service.url}/api/runs/1/stories`)).status).toBe(401);
});

test("[HT30 X35] projects that work by files are listed as `pawl project status` shows them", async () => {
  const { app, root, go } = await agenticProject("1");
  await go({ executor: undefined });
  const service = await serve({ app });
  const reader = clientOf(service, "read");
  const { body } = await reader.get("/api/v1/projects");
  expect(body).toMatchObject({
    projects: [{ root, run: 1, state: { story: "US-001", status: "running" } }],
    unreadable: [],
  });
  rmSync(join(root, ".ai"), { recursive: true });
  expect((await reader.get("/api/v1/projects")).body).toMatchObject({ projects: [], unreadable: [{ root }] });
});

test("[HT30 X35] sessions of a lifecycle are listed as `pawl lifecycle status` shows them", async () => {
  const project = lifecycleProject(planned());
  await project.start();
  const service = await serve({ app: project.app });
  const { body } = await clientOf(service, "read").get("/api/v1/sessions");
  expect(body.sessions).toMatchObject([{ run: 1, status: project.status().status, stop: { kind: "decision" } }]);
});

test("[HT14 HT15] a token is shown once; the store has neither it nor a part of it", async () => {
  const service = await serve();
  const { app } = service;
  const { token } = await createToken(app, { role: "answer", name: "ci", validMs: 60_000 });
  expect(token).toMatch(/^pawl_[\w-]{43}$/);
  await expect(createToken(app, { name: "ci" })).rejects.toMatchObject({ code: "REFUSED" });
  for (const wrong of [{ name: "a b" }, { name: "../x" }, { name: "" }, { role: "admin" }])
    await expect(createToken(app, wrong)).rejects.toMatchObject({ code: "USAGE" });
  const call = async () =>
    (await fetch(`${service.url}/api/v1/runs`, { headers: { authorization: `Bearer ${token}` } })).status;
  expect((await tokens(app)).tokens).toMatchObject([{ name: "ci", role: "answer", usedAt: null }]);
  expect(await call()).toBe(200);
  const [shown] = (await tokens(app)).tokens;
  expect(shown?.usedAt).not.toBeNull();
  expect(Date.parse(shown?.expiresAt ?? "") - Date.parse(shown?.createdAt ?? "")).toBe(60_000);
  expect(JSON.stringify(shown)).not.toContain(token.slice(5, 20));
  for (const file of ["pawl.db", "pawl.db-wal"])
    expect(readFileSync(join(app.home.dir, file)).includes(token.slice(5, 25))).toBe(false);
  await revokeToken(app, "ci");
  expect(await call()).toBe(401);
  const { token: brief } = await createToken(app, { validMs: 0 });
  expect((await fetch(`${service.url}/api/v1/runs`, { headers: { authorization: `Bearer ${brief}` } })).status).toBe(
    401,
  );
});

test("[HT16] a token is told its name, its role and its end, and nothing of others", async () => {
  const service = await serve();
  await createToken(service.app, { role: "operate", name: "another" });
  const { token } = await createToken(service.app, { role: "answer", name: "ci", validMs: 60_000 });
  const call = async () =>
    await fetch(`${service.url}/api/v1/token`, { headers: { authorization: `Bearer ${token}` } });
  const { expiresAt } = (await tokens(service.app)).tokens.find(({ name }) => name === "ci") ?? {};
  expect(await (await call()).json()).toEqual({ name: "ci", role: "answer", expiresAt });
  expect((await clientOf(service, "read").get("/api/v1/token")).body).toMatchObject({ role: "read", expiresAt: null });
  await revokeToken(service.app, "ci");
  expect((await call()).status).toBe(401);
});

test("[HT13] a token has so many streams at once, and gets another when one ends", () => {
  const streams = new Streams(2);
  const ends = [streams.open("a"), streams.open("a")];
  expect([streams.open("a"), streams.open("b") !== null]).toEqual([null, true]);
  ends[0]?.();
  ends[0]?.();
  expect(streams.open("a")).not.toBeNull();
  expect(streams.open("a")).toBeNull();
});
