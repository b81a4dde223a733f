// Claiming where accounts stand in the way: real store, many runs.

import { expect, test } from "vitest";
import { makeWorld } from "../../../../test/support/world.ts";
import type { Executors, Parts } from "../../parts.ts";
import { claimStep } from "./claim.ts";

const request = { run: null, agent: null, driver: "push", worker: "test", leaseMs: 60_000 } as const;

test("[AC2] a step that can be performed is found behind any number of those whose account is held", async () => {
  const world = await makeWorld();
  const namesFor: Executors["namesFor"] = ({ executor }) => [executor?.includes("free") ? "free" : "held"];
  const executors: Executors = { ...world.parts.executors, namesFor, accountOf: (name) => name };
  const parts: Parts = { ...world.parts, executors };
  const start = await world.begin();
  const until = parts.clock.now() + 60_000;
  await parts.store.transaction((tx) => tx.hold({ account: "held", cause: "quota", since: 0, until, why: "used up" }));
  expect(await claimStep(parts, request)).toBeNull();
  // More than are looked at in one go.
  for (let number = 0; number < 60; number += 1) await world.begin(`held ${number}`);
  expect(await claimStep(parts, request)).toBeNull();
  const free = await world.begin("the last", { ...parts, executors }, "command: free");
  const claim = await claimStep(parts, request);
  expect([claim?.run.header.id, claim?.attempt.executor]).toEqual([free, "free"]);
  expect(claim?.run.header.id).not.toBe(start);
});
