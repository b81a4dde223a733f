// Changing stories, caps and single attempts of a run over HTTP: what the pages of a run do.

import { existsSync, mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { runProject } from "../../src/application/starting/stories-given.ts";
import { clientOf } from "../support/api-client.ts";
import { applicationIn, serve } from "../support/http-service.ts";
import { makeRepository, runGit, tempDir } from "../support/repository.ts";
import { tinyRalph } from "../support/tiny-ralph.ts";
import { until } from "../support/until.ts";

/** A run with the stories A to D whose story A waits until `go`. */
async function runWithStories() {
  const dir = tempDir("pawl-http-stories-");
  const repo = join(dir, "repo");
  makeRepository(undefined, { dir: repo });
  mkdirSync(join(dir, "home"));
  writeFileSync(join(dir, "workflow.yml"), tinyRalph);
  const userStories = ["A", "B", "C", "D"].map((id) => ({ id, title: `Title of ${id}` }));
  writeFileSync(join(dir, "prd.json"), JSON.stringify({ project: "Demo", userStories }));
  const hold = `if [ "$PAWL_STORY" = A ]; then touch '${dir}/begun'; until [ -e '${dir}/go' ]; do sleep 0.05; done; fi`;
  writeFileSync(
    join(dir, "agent.sh"),
    `cat >/dev/null; ${hold}; echo x >"$PAWL_STORY.txt"; printf 'SUMMARY\\nfine\\n'\n`,
  );
  const app = applicationIn(dir);
  const service = await serve({ app });
  const driven = runProject(app, "prd.json", {
    workflow: "./workflow.yml",
    repo: "repo",
    executor: "command: sh ./agent.sh",
    protocol: "ralph",
    signal: new AbortController().signal,
  });
  await until(() => existsSync(join(dir, "begun")));
  const letGo = async () => {
    writeFileSync(join(dir, "go"), "");
    await driven;
  };
  return { repo, service, letGo };
}

test("[HT43] stories that have not started are added, changed, moved and left out, and one is taken back; each by its author, and refused as the command refuses it", async () => {
  const { repo, service, letGo } = await runWithStories();
  const [reader, operator] = [clientOf(service, "read"), clientOf(service, "operate")];
  const stories = "/api/v1/runs/1/stories";
  const story = { id: "E", title: "Find it", criteria: ["finds titles"], after: ["B"] };
  expect((await clientOf(service, "answer").post(stories, { stories: [story] })).status).toBe(403);
  const added = await operator.post(stories, { stories: [story] });
  expect(added.body).toMatchObject({ changed: ["E"], order: ["B", "C", "D", "E"], status: "running" });
  expect((await operator.post(stories, { stories: [story] })).body).toMatchObject({ status: 409, code: "REFUSED" });
  const edited = await operator.post(`${stories}/B/edit`, { title: "Sort" });
  expect(edited.body.changed).toEqual(["B"]);
  expect((await operator.post(`${stories}/A/edit`, { title: "Too late" })).status).toBe(409);
  expect((await operator.post(`${stories}/B/edit`, {})).status).toBe(400);
  expect((await operator.post(`${stories}/D/move`, { first: true })).body.order).toEqual(["D", "B", "C", "E"]);
  expect((await operator.post(`${stories}/C/move`, { before: "B" })).body.order).toEqual(["D", "C", "B", "E"]);
  expect((await operator.post(`${stories}/C/move`, { after: "B" })).body.order).toEqual(["D", "B", "C", "E"]);
  expect((await operator.post(`${stories}/C/move`, { after: "B", first: true })).status).toBe(400);
  const skipped = await operator.post(`${stories}/C/skip`, { reason: "not now" });
  expect(skipped.body).toMatchObject({ story: "C", as: "done", ended: true });
  expect((await operator.post(`${stories}/A/skip`, {})).status).toBe(409);
  expect((await operator.post(`${stories}/D/drop`, { as: "done" })).body).toMatchObject({ story: "D", ended: true });
  expect((await operator.post(`${stories}/none/drop`, {})).status).toBe(404);
  expect((await operator.post(`${stories}/B/revert`, {})).status).toBe(409);
  await letGo();
  const { body } = await reader.get(stories);
  expect(
    Object.fromEntries(body.stories.map((each: { id: string; status: string }) => [each.id, each.status])),
  ).toEqual({ A: "done", B: "done", C: "done", D: "done", E: "done" });
  const needed = await operator.post(`${stories}/B/revert`, {});
  expect(needed.body).toMatchObject({ status: 409, details: [expect.stringContaining("E")] });
  const reverted = await operator.post(`${stories}/B/revert`, { evenIfNeeded: true });
  expect(reverted.body).toMatchObject({ story: "B", dependents: ["E"], by: runGit(repo, "rev-parse", "main") });
  const { events } = (await reader.get("/api/v1/runs/1/events?limit=1000")).body;
  const authors = (type: string) =>
    events.filter((event: { type: string }) => event.type === type).map((event: { author: string }) => event.author);
  expect(authors("story_reverted")).toEqual([expect.stringMatching(/^token:operate-/)]);
  expect(authors("stories_planned").at(-1)).toMatch(/^token:operate-/);
});

test("[HT44] caps are shown and only raised; an attempt is stopped, its step is dropped, and the run asks where it is told to", async () => {
  const { service, letGo } = await runWithStories();
  const [reader, operator] = [clientOf(service, "read"), clientOf(service, "operate")];
  const run = "/api/v1/runs/1";
  const limitOf = (caps: readonly { name: string; limit: number }[], name: string) =>
    caps.find((cap) => cap.name === name)?.limit ?? 0;
  const before = limitOf((await reader.get(`${run}/caps`)).body.caps, "attempts");
  expect((await reader.post(`${run}/caps`, { attempts: before + 5 })).status).toBe(403);
  const raised = await operator.post(`${run}/caps`, { attempts: before + 5 });
  expect(limitOf(raised.body.caps, "attempts")).toBe(before + 5);
  expect((await operator.post(`${run}/caps`, { attempts: 1 })).status).toBe(409);
  expect((await operator.post(`${run}/caps`, {})).status).toBe(400);
  expect((await operator.post(`${run}/waits`, { waits: "none" })).body.run.number).toBe(1);
  expect((await reader.get(run)).body.waits).toBe("none");
  expect((await operator.post(`${run}/stop`, { story: "B" })).status).toBe(404);
  const stopped = await operator.post(`${run}/stop`, { story: "A", reason: "wrong way" });
  expect(stopped.body).toMatchObject({ story: "A", attempt: 1, ended: false });
  const { step } = stopped.body;
  await until(async () => (await reader.get("/api/v1/gates")).body.gates.length === 1);
  expect((await operator.post(`${run}/drop`, { step: "nothing", story: "A" })).status).toBe(404);
  const dropped = await operator.post(`${run}/drop`, { step, story: "A", as: "failed", reason: "no" });
  expect(dropped.body).toMatchObject({ story: "A", step, as: "failed", ended: true });
  await letGo();
});
