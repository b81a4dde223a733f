// Attempts whose work another program does: they end with its report or with their time, and outlive their driver.

import { existsSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, describe, expect, test, vi } from "vitest";
import { toy } from "../../../../test/support/toy-protocol.ts";
import { makeToyWorld, type ToyWorld } from "../../../../test/support/toy-world.ts";
import { until } from "../../../../test/support/until.ts";
import { makeWorld } from "../../../../test/support/world.ts";
import type { Attempt } from "../../../domain/attempt.ts";
import { agentName, type RunId } from "../../../domain/ids.ts";
import { recover } from "../../loop/recover.ts";
import { transition } from "../../transition/transition.ts";

const workflowOf = (make: string) => `
pawl: 1
protocol: toy
id: toy-work
agents: { worker: {} }
steps:
  - id: all
    stories: { workspace: worktree }
    body:
      - { id: make, agent: worker, input: "Order: {{toy_order}}", ${make} }
      - { id: land, integrate: true }
`;

async function awaiting(make = "on_error: fail"): Promise<ToyWorld & { run: RunId }> {
  const toys = await makeToyWorld(toy, { workflow: workflowOf(make), executor: "await" });
  return { ...toys, run: await toys.begin() };
}

/** The attempt that waits now. */
async function waiting({ world }: ToyWorld, run: RunId, number = 1): Promise<Attempt & { path: string }> {
  const find = async () =>
    (await world.attempts(run)).find(({ name, ...each }) => name === "make" && each.number === number);
  await until(async () => (await find())?.state.phase === "started");
  const attempt = await find();
  if (attempt?.state.phase !== "started") throw new Error("nothing waits");
  return { ...attempt, path: attempt.state.workspace ?? "" };
}

const write = (path: string, of: string, more: object = {}) =>
  writeFileSync(join(path, "toy-report.json"), JSON.stringify({ of, verdict: { kind: "passed" }, ...more }));

/** Another program does the work and reports. */
function work(path: string, of: string): void {
  writeFileSync(join(path, "work.txt"), "made by another program\n");
  write(path, of, { facts: { seen: true } });
}

/** So much time passes at once: how long a step may take is not waited for, and does not hurry the test. */
function pass({ parts: { clock } }: ToyWorld, ms: number): void {
  const steady = clock.steady.bind(clock);
  vi.spyOn(clock, "steady").mockImplementation(() => steady() + ms);
}

const toyDriver = { PAWL_TEST_PROTOCOL: "toy" };

// All worlds have the same clock.
afterEach(() => void vi.restoreAllMocks());

describe("an awaited attempt", () => {
  test("[AW1 AW6 D4] ends with the report of exactly this attempt, once it is whole; its facts are kept and its work is integrated", async () => {
    const toys = await awaiting();
    const { world, run } = toys;
    const driving = toys.drive(run);
    const { path, executor } = await waiting(toys, run);
    expect(executor).toBe("await");
    expect(toys.parts.executors.permitsFor(executor, (await world.run(run)).header, agentName("worker"))).toEqual([]);
    expect(toys.parts.executors.accountOf(executor)).toBeNull();
    expect(readFileSync(join(path, "TOY.md"), "utf8")).toBe("order make 1\n");
    work(path, "make 7");
    const file = join(path, "toy-report.json");
    writeFileSync(file, '{ "of": "make 1", "verdict"');
    const looked = vi.spyOn(toys.parts.clock, "sleep");
    await until(() => looked.mock.calls.length > 3);
    expect(await world.outcomes(run)).toEqual(["started"]);
    work(path, "make 1");
    expect(await driving).toBe("done");
    expect(await world.outcomes(run)).toEqual(["completed", "completed"]);
    const [ended] = (await world.events(run)).flatMap((event) => (event.type === "attempt_ended" ? [event] : []));
    expect(ended).toMatchObject({ verdict: { kind: "passed" }, facts: { seen: true } });
    expect(readFileSync(join(world.repo, "work.txt"), "utf8")).toContain("another program");
  });

  test("[AW1 AW2] with a report that never stops changing ends at its time", async () => {
    const toys = await awaiting("timeout: 10m, on_error: fail");
    const { world, run } = toys;
    const driving = toys.drive(run);
    const { path } = await waiting(toys, run);
    let count = 0;
    const sleep = toys.parts.clock.sleep.bind(toys.parts.clock);
    // Before each look.
    vi.spyOn(toys.parts.clock, "sleep").mockImplementation(async (...given) => {
      await sleep(...given);
      write(path, "make 1", { facts: { count: ++count } });
      if (count === 4) pass(toys, 600_000);
    });
    expect(await driving).toBe("failed");
    const [attempt] = await world.attempts(run);
    expect(attempt?.state).toMatchObject({ outcome: "timed_out", why: expect.stringContaining("stopped changing") });
  });

  test("[AW4 D89] a person stops it, and its step waits for one", async () => {
    const toys = await awaiting();
    const { world, parts, run } = toys;
    const by = { at: parts.clock.now(), author: "test" } as const;
    const driving = toys.drive(run);
    const { id, story } = await waiting(toys, run);
    await transition(parts, run, { type: "stop_attempt", story, attempt: id, reason: "", ...by });
    expect(await driving).toBe("held");
    expect(await world.outcomes(run)).toEqual(["cancelled"]);
  });

  test("[AW1 AW4] a paused run still takes its report, and begins nothing else", async () => {
    const toys = await awaiting();
    const { world, parts, run } = toys;
    const driving = toys.drive(run);
    const { path } = await waiting(toys, run);
    await transition(parts, run, { type: "pause_run", at: parts.clock.now(), author: "test" });
    work(path, "make 1");
    expect(await driving).toBe("paused");
    expect(await world.outcomes(run)).toEqual(["completed"]);
  });

  test("[AW2] is judged by its checks, as any other", async () => {
    const toys = await awaiting('checks: ["test -e good"], on: { rejected: gate }');
    const { world, run } = toys;
    const driving = toys.drive(run);
    work((await waiting(toys, run)).path, "make 1");
    expect(await driving).toBe("held");
    const [attempt] = await world.attempts(run);
    expect(attempt?.state).toMatchObject({ verdict: { kind: "rejected", reason: "checks" } });
  });

  test("[AW4] a cancelled run ends it, with a driver and without one", async () => {
    const toys = await awaiting();
    const { world, parts, run } = toys;
    const driver = world.startDriver(run, toyDriver);
    await waiting(toys, run);
    await driver.kill();
    await transition(parts, run, { type: "cancel_run", at: parts.clock.now(), author: "test", reason: "" });
    await recover(parts);
    expect(await world.outcomes(run)).toEqual(["cancelled"]);

    const second = await toys.begin();
    const driving = toys.drive(second);
    await waiting(toys, second);
    await transition(parts, second, { type: "cancel_run", at: parts.clock.now(), author: "test", reason: "" });
    expect(await driving).toBe("cancelled");
    expect(await world.outcomes(second)).toEqual(["cancelled"]);
  });
});

describe("the driver of an awaited attempt", () => {
  test.each(["while it waits", "before the report", "after the report"])(
    "[AW3 D3] that is killed %s: the next one adopts the same attempt, and nothing is dispatched twice",
    async (when) => {
      const toys = await awaiting();
      const { world, run } = toys;
      const driver = world.startDriver(run, toyDriver);
      const { path, id } = await waiting(toys, run);
      await driver.kill();
      // A process that does not drive leaves it alone.
      expect(await recover(toys.parts)).toEqual([]);
      if (when === "after the report") work(path, "make 1");
      const driving = toys.drive(run);
      if (when === "while it waits") {
        await until(async () => (await toys.parts.dispatch.drivers()).some((each) => each.run === run));
      }
      if (when !== "after the report") work(path, "make 1");
      expect(await driving).toBe("done");
      expect((await world.attempts(run)).filter(({ name }) => name === "make").map((each) => each.id)).toEqual([id]);
      expect(await world.outcomes(run)).toEqual(["completed", "completed"]);
    },
  );

  test("[AW2 AW3] that is told to leave: the attempt waits on for the next driver, and its time goes on", async () => {
    const toys = await awaiting("timeout: 10m, on_error: fail");
    const { world, run } = toys;
    const told = new AbortController();
    const driving = world.drive(run, { parts: toys.parts, signal: told.signal });
    await waiting(toys, run);
    told.abort();
    expect(await driving).toBe("running");
    expect(await world.outcomes(run)).toEqual(["started"]);
    pass(toys, 600_000);
    expect(await toys.drive(run)).toBe("failed");
    const [attempt] = await world.attempts(run);
    expect(attempt?.state).toMatchObject({
      outcome: "timed_out",
      why: "its time was over, and no report of it had arrived",
    });
  });
});

test("[AW7 D12 D42] without a driver its time ends it as well, unless its report is there, which waits for a driver", async () => {
  const toys = await awaiting("timeout: 1h, on_error: fail");
  const { world, run, parts } = toys;
  const told = new AbortController();
  const driving = world.drive(run, { parts, signal: told.signal });
  const { path } = await waiting(toys, run);
  told.abort();
  await driving;
  expect(await recover(parts)).toEqual([]);
  const [now, steady] = [parts.clock.now.bind(parts.clock), parts.clock.steady.bind(parts.clock)];
  vi.spyOn(parts.clock, "now").mockImplementation(() => now() + 7_200_000);
  vi.spyOn(parts.clock, "steady").mockImplementation(() => steady() + 7_200_000);
  work(path, "make 1");
  expect(await recover(parts)).toEqual([]);
  rmSync(join(path, "toy-report.json"));
  expect(await recover(parts)).toMatchObject([{ as: "timed_out" }]);
  expect((await world.attempts(run))[0]?.state).toMatchObject({ outcome: "timed_out" });
});

test("[AW5] only a workflow whose protocol finds reports can be awaited; any other is refused at the start", async () => {
  const world = await makeWorld({ executor: "await" });
  await expect(world.begin()).rejects.toMatchObject({
    code: "USAGE",
    message:
      "the executor await cannot be used: a workflow without a protocol has no reports in files, so that nothing can be awaited",
  });
  const { arrived: _, ...silent } = toy;
  const toys = await makeToyWorld(silent, { executor: "await" });
  await expect(toys.begin()).rejects.toThrow("the protocol toy knows no reports in files");
  expect(existsSync(toys.folder)).toBe(false);
});
