// The worlds that browser tests look at are what their names say.

import { expect, test } from "vitest";
import { replay } from "../../../src/engine/evolve.ts";
import { until } from "../../support/until.ts";
import { bigWorld } from "./big.ts";
import { emptyWorld } from "./empty.ts";
import { longWorld } from "./long.ts";
import { rejectedWorld } from "./rejected.ts";
import type { ServedWorld } from "./served.ts";

async function get<T>({ url, token }: ServedWorld, path: string): Promise<T> {
  const answer = await fetch(`${url}/api/v1${path}`, { headers: { authorization: `Bearer ${token}` } });
  expect({ path, status: answer.status }).toEqual({ path, status: 200 });
  return (await answer.json()) as T;
}

test("empty: no runs and no gates", async () => {
  const world = await emptyWorld();
  expect(await get(world, "/runs")).toMatchObject({ runs: [] });
  expect(await get(world, "/gates")).toEqual({ gates: [] });
});

test("rejected: a run waits at its gate with a change, and an answer with comments takes it to its end", async () => {
  const world = await rejectedWorld();
  const { gates } = await get<{ gates: { id: string; question: string; options: string[]; tree: string }[] }>(
    world,
    "/gates",
  );
  expect(gates).toMatchObject([{ question: "The integration tests keep failing. What now?" }]);
  const { files } = await get<{ files: { path: string }[] }>(world, "/runs/1/diff");
  expect(files.map(({ path }) => path)).toContain("src/divide.js");
  const answer = await fetch(`${world.url}/api/v1/gates/${gates[0]?.id}/answer`, {
    method: "POST",
    headers: { authorization: `Bearer ${world.token}`, "content-type": "application/json" },
    body: JSON.stringify({
      option: "continue",
      comments: [{ path: "cli.js", line: 3, text: "Check the numbers first" }],
    }),
  });
  expect(answer.status).toBe(200);
  await until(async () => (await get<{ run: { status: string } }>(world, "/runs/1")).run.status === "done");
  expect(world.nextPrompt()).toContain("cli.js:3: Check the numbers first");
});

test("long: 20,000 events in order, with stories in every state, and the log gives the run that is stored", async () => {
  const world = await longWorld();
  const { parts } = await world.app.read();
  const [summary] = await parts.store.listRuns({ statuses: null, limit: 1 });
  if (summary === undefined) throw new Error("there is no run");
  const events = await parts.store.events(summary.id, 0, 100_000);
  expect(events.length).toBeGreaterThanOrEqual(20_000);
  expect(await parts.store.wholeRun(summary.id)).toEqual(replay(events.map(({ event }) => event)));
  const { stories } = await get<{ stories: { status: string }[] }>(world, `/runs/${world.run}`);
  expect([...new Set(stories.map(({ status }) => status))].toSorted()).toEqual(["done", "running", "waiting"]);
});

test("big: a change of 3,001 files, 300 steps, 500 stories", async () => {
  const { runs, ...world } = await bigWorld();
  const { files, omitted = 0 } = await get<{ files: unknown[]; omitted?: number }>(world, `/runs/${runs.change}/diff`);
  expect(files.length + omitted).toBe(3_001);
  expect((await get<{ steps: unknown[] }>(world, `/runs/${runs.steps}`)).steps).toHaveLength(300);
  expect((await get<{ stories: unknown[] }>(world, `/runs/${runs.stories}`)).stories).toHaveLength(500);
});
