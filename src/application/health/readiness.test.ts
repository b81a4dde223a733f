import { expect, test } from "vitest";
import { Readiness } from "./readiness.ts";

const times = { freshMs: 60_000, longestMs: 20 };

test("[HT63] many callers at once ask the store once, and so do those of the same second", async () => {
  let asked = 0;
  let drives = true;
  const reach = async () => {
    asked += 1;
    return true;
  };
  const readiness = new Readiness(reach, () => drives, { ...times, longestMs: 60_000 });
  const all = await Promise.all(Array.from({ length: 50 }, async () => await readiness.isReady()));
  expect(new Set(all)).toEqual(new Set([true]));
  expect(await readiness.isReady()).toBe(true);
  expect(asked).toBe(1);
  drives = false;
  expect(await readiness.isReady()).toBe(false);
});

test("[HT63] a store that does not answer is waited for a bounded time, and is not asked again meanwhile", async () => {
  let asked = 0;
  const answers: (() => void)[] = [];
  const reach = async () => {
    asked += 1;
    await new Promise<void>((resolve) => answers.push(resolve));
    return true;
  };
  const readiness = new Readiness(reach, () => true, { ...times, freshMs: 0 });
  expect(await readiness.isReady()).toBe(false);
  expect(await readiness.isReady()).toBe(false);
  expect(asked).toBe(1);
  await expect
    .poll(async () => {
      for (const answer of answers) answer();
      return await readiness.isReady();
    })
    .toBe(true);
});

test("[HT63] a store that cannot be reached, or that a newer Pawl has migrated, is not ready, and is asked again later", async () => {
  const outcomes = [Promise.reject(new Error("gone")), Promise.resolve(false), Promise.resolve(true)];
  outcomes[0]?.catch(() => undefined);
  const readiness = new Readiness(
    async () => (await outcomes.shift()) ?? false,
    () => true,
    { freshMs: 0, longestMs: 60_000 },
  );
  expect([await readiness.isReady(), await readiness.isReady(), await readiness.isReady()]).toEqual([
    false,
    false,
    true,
  ]);
});
