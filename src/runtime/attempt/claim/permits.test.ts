// Locks and limits of concurrency: real store, several runs, real drivers where processes matter.

import { expect, test } from "vitest";
import { completed } from "../../../../test/support/sample-runs.ts";
import { Transitions } from "../../../../test/support/transitions.ts";
import { makeWorld, type World } from "../../../../test/support/world.ts";
import { type RunId, storyId } from "../../../domain/ids.ts";
import { why } from "../../../engine/why.ts";
import { loadWorkflow } from "../../../workflows/load.ts";
import { knownOf } from "../../views/run-facts.ts";
import { type Claim, claimStep } from "./claim.ts";

const request = { agent: null, driver: "push", worker: "test", leaseMs: 60_000 } as const;
const claimIn = (world: World, run: RunId) => claimStep(world.parts, { ...request, run });

async function whyOf(world: World, run: RunId): Promise<string> {
  const { parts } = world;
  const { number = 0 } = (await parts.store.runById(run)) ?? {};
  const loaded = { run: await world.run(run), number };
  return why(loaded.run, parts.clock.now(), await knownOf(parts, loaded, parts));
}

async function end({ parts }: World, claim: Claim | null): Promise<void> {
  if (claim === null) throw new Error("nothing was claimed");
  const { run, attempt } = claim;
  const about = { at: parts.clock.now(), author: "driver", story: attempt.story, attempt: attempt.id, token: null };
  await new Transitions(parts.store, parts.dispatch).apply(run.header.id, {
    type: "finish_attempt",
    ...about,
    report: completed(),
  });
}

test("[LO1 LO3 LO7] of all steps with a lock one runs, whatever its run; the others say who has it", async () => {
  const world = await makeWorld({
    steps: "\n  - { id: migrate, agent: worker, lock: db }\n  - { id: free, command: 'true' }\n",
  });
  const [first, second] = [await world.begin("one"), await world.begin("two")];
  const held = await claimIn(world, first);
  expect(held?.attempt.name).toBe("migrate");
  expect(await claimIn(world, second)).toBeNull();
  expect(await whyOf(world, second)).toContain("migrate waits for the lock db, held by run 1 (migrate)");
  await end(world, held);
  // What needs no lock is not kept by it.
  const other = await claimIn(world, second);
  expect([other?.attempt.name, (await claimIn(world, first))?.attempt.name]).toEqual(["migrate", "free"]);
});

test("[LO2] an agent that pulls waits for a lock, too", async () => {
  const world = await makeWorld({ steps: "\n  - { id: migrate, agent: worker, lock: db }\n" });
  const [first, second] = [await world.begin("one"), await world.begin("two")];
  const pull = (run: RunId) => claimStep(world.parts, { ...request, run, agent: "small/worker", driver: "pull" });
  const held = await pull(first);
  expect(held?.attempt.driver).toBe("pull");
  expect(await pull(second)).toBeNull();
  await end(world, held);
  expect((await pull(second))?.attempt.name).toBe("migrate");
});

test("[LO1] two drivers never have the lock at once, and both runs are done", async () => {
  const agent = `mkdir "$PAWL_SHARED/busy" || echo both >> "$PAWL_SHARED/overlap"
sleep 0.2
rmdir "$PAWL_SHARED/busy"
echo STATUS: done`;
  const world = await makeWorld({
    agent,
    steps: "\n  - { id: a, agent: worker, lock: db }\n  - { id: b, agent: worker, lock: db }\n",
  });
  const runs = [await world.begin("one"), await world.begin("two"), await world.begin("three")];
  const ended = await Promise.all(runs.map((run) => world.drive(run)));
  expect([ended, world.read("overlap")]).toEqual([["done", "done", "done"], ""]);
});

const stories = `pawl: 1
id: many
agents: { coder: { concurrency: 3 }, tester: {} }
steps:
  - id: each
    stories: { concurrency: 6, workspace: worktree }
    body:
      - { id: code, agent: coder }
      - { id: check, agent: tester, concurrency: 2 }
      - { id: land, integrate: {} }
`;

test("[LO5 LO6 LO7] at most so many attempts of an agent, and so many stories at a step, at once", async () => {
  const world = await makeWorld();
  const { definition } = loadWorkflow(stories, "many.yml");
  if (!definition) throw new Error("not loaded");
  const specs = [1, 2, 3, 4, 5, 6].map((number) => ({
    id: storyId(`US-${number}`),
    title: `${number}`,
    description: "",
    acceptanceCriteria: [],
    dependsOn: [],
  }));
  const run = await new Transitions(world.parts.store, world.parts.dispatch).start(definition, {
    stories: specs,
    at: world.parts.clock.now(),
    executor: "command: true",
  });
  const claimAll = async () => {
    const claims: Claim[] = [];
    for (let claim = await claimIn(world, run); claim; claim = await claimIn(world, run)) claims.push(claim);
    return claims;
  };
  const named = (claims: readonly Claim[]) => claims.map(({ attempt }) => `${attempt.story} ${attempt.name}`);
  const coding = await claimAll();
  expect(named(coding)).toEqual(["US-1 code", "US-2 code", "US-3 code"]);
  expect(await whyOf(world, run)).toContain("; and 3 more");
  for (const claim of coding) await end(world, claim);
  const next = await claimAll();
  expect(named(next).toSorted()).toEqual(["US-1 check", "US-2 check", "US-4 code", "US-5 code", "US-6 code"]);
  const known = await knownOf(world.parts, { run: await world.run(run), number: 1 }, world.parts);
  const step = (await world.run(run)).stories[storyId("US-3")]?.chain.find(({ name }) => name === "check");
  expect(step && known.waitsFor(storyId("US-3"), step)).toBe(
    "one of 2 places at check, held by US-1: check, US-2: check",
  );
  for (const claim of next.filter(({ attempt }) => attempt.name === "check")) await end(world, claim);
  expect(named(await claimAll()).filter((text) => text.endsWith("check"))).toEqual(["US-3 check"]);
});

test("[LO8] the configuration limits an agent over all runs", async () => {
  const world = await makeWorld({ config: "concurrency: { of: { worker: 1 } }\n" });
  const [first, second] = [await world.begin("one"), await world.begin("two")];
  const held = await claimIn(world, first);
  expect(await claimIn(world, second)).toBeNull();
  expect(await whyOf(world, second)).toContain("work waits for the only place for agents, held by run 1 (work)");
  await end(world, held);
  expect(await claimIn(world, second)).not.toBeNull();
});

test("[LO9] a step that can start is found behind any number of those that wait for a lock", async () => {
  const world = await makeWorld();
  const runs = new Transitions(world.parts.store, world.parts.dispatch);
  const start = async (step: string) => {
    const { definition } = loadWorkflow(`pawl: 1\nid: x\nagents: { a: {} }\nsteps: [${step}]\n`, "x.yml");
    if (!definition) throw new Error("not loaded");
    return await runs.start(definition, { at: world.parts.clock.now() });
  };
  const locked = "{ id: migrate, command: 'true', lock: db }";
  const held = await claimIn(world, await start(locked));
  for (let number = 0; number < 60; number += 1) await start(locked);
  const free = await start("{ id: go, command: 'true' }");
  const claim = await claimStep(world.parts, { ...request, run: null });
  expect([held?.attempt.name, claim?.run.header.id]).toEqual(["migrate", free]);
});
