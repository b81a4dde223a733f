// The worlds that browser tests look at are what their names say.

import { expect, test } from "vitest";
import { bigWorld } from "./big.ts";
import { emptyWorld } from "./empty.ts";
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

test("big: a change of 3,001 files, 300 steps, 500 stories", async () => {
  const { runs, ...world } = await bigWorld();
  const { files, omitted = 0 } = await get<{ files: unknown[]; omitted?: number }>(world, `/runs/${runs.change}/diff`);
  expect(files.length + omitted).toBe(3_001);
  expect((await get<{ steps: unknown[] }>(world, `/runs/${runs.steps}`)).steps).toHaveLength(300);
  expect((await get<{ stories: unknown[] }>(world, `/runs/${runs.stories}`)).stories).toHaveLength(500);
});
