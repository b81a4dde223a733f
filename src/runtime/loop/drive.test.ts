// The push driver at work. Real processes where they matter; steps that only count are performed in memory.

import { getEventListeners } from "node:events";
import { existsSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { describe, expect, test, vi } from "vitest";
import { queryFile } from "../../../test/support/database.ts";
import { identityIn } from "../../../test/support/programs.ts";
import { log } from "../../../test/support/repository.ts";
import { chainOf, startOf } from "../../../test/support/sample-runs.ts";
import { makeWorld, type World } from "../../../test/support/world.ts";
import type { Event } from "../../domain/event.ts";
import type { RunId } from "../../domain/ids.ts";
import { decide, storiesFor } from "../../engine/decide.ts";
import type { Executor } from "../../executors/executor.ts";
import { isAlive } from "../../system/process/identity.ts";
import { noAttempts, performEffects } from "../effects/effects.ts";
import type { Parts } from "../parts.ts";
import { createRun, transition } from "../transition/transition.ts";
import { completePulledStep, pullStep } from "./pull.ts";

const usual = {};
const commands = (count: number, command = "true") =>
  `\n${Array.from({ length: count }, (_, index) => `  - { id: s${index + 1}, command: "${command}" }\n`).join("")}`;

describe("what is ready", () => {
  test("[DR1] a finished step starts the next at once", async () => {
    const world = await makeWorld({ steps: commands(12) });
    const run = await world.begin();
    expect(await world.drive(run, { times: { ...usual, restMs: 60_000 } })).toBe("done");
    const events = await world.events(run);
    const waits = timesOf(events, "attempt_dispatched")
      .slice(1)
      .map((at, index) => at - (timesOf(events, "attempt_ended")[index] ?? 0));
    expect(waits).toHaveLength(11);
    // Without being told, a driver would look again after a minute.
    expect(Math.max(...waits)).toBeLessThan(30_000);
  });

  test("[DR1] a result and the claim of the next step are one transaction", async () => {
    const world = await makeWorld();
    const driven = async (steps: number) => {
      const { run } = await createRun(world.parts, () => ({ ...startOf(chainOf(steps)), at: Date.now() }));
      const transactions = vi.spyOn(world.parts.store, "transaction");
      const times = { ...usual, recoverEveryMs: 600_000, renewEveryMs: 600_000 };
      expect(await world.drive(run, { parts: inMemory(world.parts), times })).toBe("done");
      const count = transactions.mock.calls.length;
      transactions.mockRestore();
      return count;
    };
    const [short, long] = [await driven(5), await driven(25)];
    // One begins the attempt, one ends it and claims the next.
    expect(long - short).toBe(2 * 20);
  });

  test("[DR1] a claim that fails costs no result", async () => {
    const world = await makeWorld();
    const { run } = await createRun(world.parts, () => ({ ...startOf(chainOf(3)), at: Date.now() }));
    const parts = inMemory(world.parts);
    let asked = 0;
    const permitsFor: Parts["executors"]["permitsFor"] = (...args) => {
      asked += 1;
      if (asked === 2) throw new Error("the configuration changed under its feet");
      return parts.executors.permitsFor(...args);
    };
    const unsteady = { ...parts, executors: { ...parts.executors, permitsFor } };
    expect(await world.drive(run, { parts: unsteady })).toBe("done");
    const outcomes = (await world.events(run)).flatMap((event) =>
      event.type === "attempt_ended" ? [event.outcome] : [],
    );
    expect(outcomes).toEqual(["completed", "completed", "completed"]);
  });

  test("[DR2] what another process made ready is noticed within a second", async () => {
    const steps = `
  - { id: ask, agent: worker, input: "{{task}}" }
  - { id: go, command: "true" }
`;
    const world = await makeWorld({ steps, executor: "pull" });
    const run = await world.begin();
    const driving = world.drive(run, { times: { ...usual, restMs: 60_000 } });
    const puller = await world.open();
    const pulled = await pullStep(puller, "small/worker", run);
    await sleep(500);
    await completePulledStep(puller, pulled?.handle ?? "", null, "STATUS: done");
    expect(await driving).toBe("done");
    const events = await world.events(run);
    const [, started = 0] = timesOf(events, "attempt_dispatched");
    const [completed = 0] = timesOf(events, "attempt_ended");
    // Without being told, it would look again after a minute.
    expect(started - completed).toBeLessThan(30_000);
  });

  test("[DR3] permits limit how many agents work at once, over all runs and drivers of a store", async () => {
    const agent = `
echo begin >> "$PAWL_SHARED/audit"
# The first waits for a second, however busy the machine is.
for look in $(seq 600); do [ "$(grep -c begin "$PAWL_SHARED/audit")" -ge 2 ] && break; sleep 0.1; done
sleep 0.4
echo end >> "$PAWL_SHARED/audit"
echo STATUS: done
`;
    const world = await makeWorld({ agent, config: "concurrency: { agents: 2 }" });
    const runs: RunId[] = [];
    for (let index = 0; index < 5; index += 1) runs.push(await world.begin(`run ${index}`));
    const driven = await Promise.all(runs.map(async (run) => await world.drive(run, { parts: await world.open() })));
    expect(driven).toEqual(["done", "done", "done", "done", "done"]);
    let now = 0;
    const counts = world
      .read("audit")
      .trimEnd()
      .split("\n")
      .map((line) => (now += line === "begin" ? 1 : -1));
    expect(counts).toHaveLength(10);
    expect(Math.max(...counts)).toBe(2);
    expect(queryFile(world.home.storeFile, "select * from permits")).toEqual([]);
  });
});

describe("pause, cancel, interrupt", () => {
  const slow = `
echo $$ > "$PAWL_SHARED/pid-$PAWL_STEP"
while [ ! -e "$PAWL_SHARED/go" ]; do sleep 0.05; done
echo STATUS: done
`;
  const two = '\n  - { id: one, agent: worker, input: "1" }\n  - { id: two, agent: worker, input: "2" }\n';

  test("[DR4] pause lets what runs come to its end and starts nothing new", async () => {
    const world = await makeWorld({ agent: slow, steps: two });
    const run = await world.begin();
    const driving = world.drive(run);
    await world.appears("pid-one", "\n");
    await steer(await world.open(), run, { type: "pause_run" });
    await sleep(300);
    expect(await world.outcomes(run)).toEqual(["started"]);
    touch(world, "go");
    expect(await driving).toBe("paused");
    expect(await world.outcomes(run)).toEqual(["completed"]);
    await steer(world.parts, run, { type: "resume_run" });
    expect(await world.drive(run)).toBe("done");
  });

  test("[DR5] cancel by another process ends the agent within seconds", async () => {
    const world = await makeWorld({ agent: slow });
    const run = await world.begin();
    const driving = world.drive(run, { times: usual });
    await world.appears("pid-work", "\n");
    const agent = await identityIn(join(world.home.dir, "pid-work"));
    const other = await world.open();
    await steer(other, run, { type: "cancel_run", reason: "changed my mind" });
    await performEffects(other, noAttempts);
    expect(await driving).toBe("cancelled");
    expect(isAlive(agent)).toBe(false);
    expect(await world.outcomes(run)).toEqual(["cancelled"]);
  });

  test("[DR6] an agent that was not there yet when its attempt was told to stop is stopped all the same", async () => {
    const world = await makeWorld({ agent: slow });
    const run = await world.begin();
    const driving = world.drive(run, { times: usual });
    await world.appears("pid-work", "\n");
    const other = await world.open();
    await other.store.transaction(async (tx) => {
      const command = { type: "cancel_run", at: Date.now(), author: "user", reason: "too early" } as const;
      const loaded = await tx.load(run, (header) => storiesFor(header, command));
      if (!loaded) throw new Error("the run was begun");
      // Without its effects, as if they had been performed when there was nothing to stop yet.
      const decision = { ...decide(loaded.run, command), effects: [] };
      await other.dispatch.follow(tx, await tx.save(loaded, decision));
    });
    expect(await driving).toBe("cancelled");
  });

  test("[DR7] an interrupted driver ends its agents and comes back; the run goes on later from the same tree", async () => {
    const agent = `
if [ "$PAWL_ATTEMPT" = 1 ]; then
  echo half > half.txt
  echo $$ > "$PAWL_SHARED/pid"
  sleep 600
fi
test ! -e half.txt
git -c user.name=A -c user.email=a@example.invalid commit --quiet --allow-empty --message=whole
echo STATUS: done
`;
    const world = await makeWorld({ agent });
    const run = await world.begin();
    const interrupt = new AbortController();
    const driving = world.drive(run, { signal: interrupt.signal });
    await world.appears("pid", "\n");
    const pid = await identityIn(join(world.home.dir, "pid"));
    interrupt.abort();
    expect(await driving).toBe("running");
    expect(isAlive(pid)).toBe(false);
    expect(await world.outcomes(run)).toEqual(["cancelled"]);
    expect(await world.drive(run)).toBe("done");
    expect(await world.outcomes(run)).toEqual(["cancelled", "completed"]);
    expect(existsSync(join(world.home.salvage, run, "run-work-1.diff"))).toBe(true);
    expect(log(world.repo, (await world.run(run)).header.place.branch ?? "")).toEqual(["whole", "first"]);
  });
});

describe("a long run", () => {
  test("[DR8] 200 steps leave no listener and no timer behind", async () => {
    const world = await makeWorld();
    const { run } = await createRun(world.parts, () => ({ ...startOf(chainOf(200)), at: Date.now() }));
    const warnings: Error[] = [];
    const hear = (warning: Error) => void warnings.push(warning);
    const heard = countListeners();
    process.on("warning", hear);
    const interrupt = new AbortController();
    const before = process.getActiveResourcesInfo().filter((name) => name === "Timeout").length;
    const parts = inMemory(world.parts);
    expect(await world.drive(run, { parts, signal: interrupt.signal, times: usual })).toBe("done");
    process.off("warning", hear);
    expect((await world.attempts(run)).length).toBe(200);
    expect(warnings).toEqual([]);
    expect(getEventListeners(interrupt.signal, "abort")).toHaveLength(0);
    expect(countListeners()).toBe(heard);
    await expect
      .poll(() => process.getActiveResourcesInfo().filter((name) => name === "Timeout").length)
      .toBeLessThanOrEqual(before + 1);
  });
});

/** Ends at once and says that it is done. */
/** Steps that only count are performed in memory. */
function inMemory(parts: Parts): Parts {
  return { ...parts, executors: { ...parts.executors, get: async () => instant, namesFor: () => ["x"] } };
}

const instant: Executor = {
  name: "instant",
  missing: async () => null,
  start: () => ({
    started: Promise.resolve(),
    ended: Promise.resolve({
      outcome: "ran",
      text: "STATUS: done",
      usage: { costUsd: 0, inputTokens: 0, outputTokens: 0 },
      session: null,
      notes: [],
    }),
    stop: () => undefined,
  }),
};

function countListeners(): number {
  return process.eventNames().reduce((sum, name) => sum + process.listenerCount(name as string), 0);
}

function timesOf(events: readonly Event[], type: Event["type"]): readonly number[] {
  return events.filter((event) => event.type === type).map(({ at }) => at);
}

type Steering = { type: "pause_run" | "resume_run" } | { type: "cancel_run"; reason: string };

async function steer(parts: Parts, run: RunId, command: Steering): Promise<void> {
  const decision = await transition(parts, run, { at: Date.now(), author: "user", ...command });
  expect(decision.accepted).toBe(true);
}

function touch(world: World, name: string): void {
  writeFileSync(join(world.home.dir, name), "");
}
