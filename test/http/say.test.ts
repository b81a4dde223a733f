// Messages from a channel: a person's words come in over HTTP, the service drives what they let move, and a report goes back.

import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { addStory } from "../../src/application/agentic/add-story.ts";
import { status } from "../../src/application/looking/status.ts";
import { OpenRuns } from "../../src/service/open-runs.ts";
import { agenticProject } from "../support/agentic-project.ts";
import { clientOf } from "../support/api-client.ts";
import { serve } from "../support/http-service.ts";
import { tempDir } from "../support/repository.ts";
import { until } from "../support/until.ts";

const path = "/api/v1/projects/say";
const times = { busyMs: 50, idleMs: 200, pauseMs: 50, longestPauseMs: 400, gatherMs: 5 };

async function channel(level: "1" | "2") {
  const project = await agenticProject(level);
  const { app, root } = project;
  const service = await serve({ app });
  const [reader, answerer, operator] = [
    clientOf(service, "read"),
    clientOf(service, "answer"),
    clientOf(service, "operate"),
  ];
  const state = () => JSON.parse(readFileSync(join(root, ".ai", "STATE.json"), "utf8")) as { step: string };
  const drive = async () => {
    const runs = new OpenRuns(app, { times, log: () => undefined, onTroubles: () => undefined });
    onTestFinished(async () => await runs.stop());
    await runs.start();
  };
  const lastEvent = async (run: number, type: string) =>
    (await reader.get(`/api/v1/runs/${run}/events?limit=1000`)).body.events.findLast(
      (event: { type: string }) => event.type === type,
    );
  return { ...project, service, reader, answerer, operator, state, drive, lastEvent };
}

test("[HT42 D92] a message comes in and a report goes out: a look, an approval, and the work that the service does", async () => {
  const { app, executor, reader, answerer, operator, sessions, go, drive, state, lastEvent, root } = await channel("2");
  await go();
  const before = sessions();
  expect(state().step).toBe("review");
  const looked = await reader.post(path, { text: "status" });
  expect(looked).toMatchObject({ status: 200, body: { project: "A", action: "status", continued: null } });
  expect(looked.body.reply).toContain("US-001");
  expect((await reader.post(path, { text: "hm, is this right" })).body.action).toBe("unknown");

  for (const [client, text] of [
    [reader, "approve: ship it"],
    [reader, "reject bad_design: no"],
    [reader, "continue"],
    [answerer, "retry"],
    [answerer, "skip"],
    [answerer, "abort"],
    [answerer, "continue A"],
  ] as const)
    expect([text, (await client.post(path, { text })).status]).toEqual([text, 403]);
  expect(await lastEvent(1, "gate_answered")).toBeUndefined();

  const needed = await operator.post(path, { text: "continue", project: "a" });
  expect(needed.body).toMatchObject({ action: "continue", continued: { type: "needs_human" } });
  const approved = await answerer.post(path, { text: "approve: ship it", dir: root });
  expect(approved.body).toMatchObject({ action: "approve", reply: expect.stringContaining("approved") });
  const answered = await lastEvent(1, "gate_answered");
  expect(answered).toMatchObject({ note: "ship it", author: expect.stringMatching(/^token:answer-/) });
  expect(sessions()).toEqual(before);
  await drive();
  await until(async () => (await status(app, "1")).document.run.status === "done");

  // A project whose run is over gets a new one, driven by the service with the configured executor.
  const script = executor.replace("command: ", "");
  writeFileSync(
    app.home.configFile,
    `executors: { mine: { kind: command, command: ["${script}"] } }\ndefault_executor: mine\n`,
  );
  await addStory(app, { story: "US-002", title: "Pay" });
  const continued = await operator.post(path, { text: "please continue US-002" });
  expect(continued.body).toMatchObject({ action: "continue", continued: { type: "dispatched", attempt: 1 } });
  await until(() => sessions().includes("US-002 bdd 1"));
  await until(async () => (await status(app, "2")).document.run.status === "held");
});

test("[HT42] a run that was left alone is continued without waiting for a step", async () => {
  const { app, operator, go, drive, sessions, lastEvent } = await channel("1");
  expect((await go()).result).toMatchObject({ type: "dispatched" });
  const before = sessions();
  const { body } = await operator.post(path, { text: "continue" });
  expect(body).toMatchObject({ project: "A", continued: { type: "dispatched" } });
  expect(sessions()).toEqual(before);
  expect(await lastEvent(1, "gate_answered")).toMatchObject({ author: expect.stringMatching(/^token:operate-/) });
  await drive();
  await until(async () => (await status(app, "1")).document.run.status === "held");
  expect(sessions()).toHaveLength(before.length + 1);
});

test("[HT42] only projects that runs of this store know; steps that are handed out stay where they are", async () => {
  const { reader, operator, go, root, sessions } = await channel("1");
  const stranger = tempDir();
  mkdirSync(join(stranger, ".ai"));
  const outcome = async (body: object) => {
    const answer = await operator.post(path, { text: "status", ...body });
    return `${answer.status} ${answer.body.code}`;
  };
  expect(await outcome({})).toBe("404 NOT_FOUND");
  expect(await outcome({ dir: root })).toBe("404 NOT_FOUND");
  await go({ executor: undefined });
  for (const dir of [stranger, "/", ".", `${root}/.ai`]) expect(await outcome({ dir })).toBe("404 NOT_FOUND");
  expect(await outcome({ project: "B" })).toBe("404 NOT_FOUND");
  expect(await outcome({ project: "A", dir: stranger })).toBe("404 NOT_FOUND");
  expect(await outcome({ executor: "command: touch x" })).toBe("400 INPUT_INVALID");
  expect(await outcome({ text: `continue${" ".repeat(5_000)}x` })).toBe("400 INPUT_INVALID");
  expect(await outcome({ text: "continue" })).toBe("409 REFUSED");
  expect((await reader.post(path, { text: "status", dir: root })).status).toBe(200);
  expect(sessions()).toEqual([]);
});
