// One driver per run, whatever happens to clocks and processes. Leases are short; each test waits for facts.

import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { describe, expect, onTestFinished, test } from "vitest";
import { identityIn } from "../../../test/support/programs.ts";
import { briefLease, makeWorld, type World } from "../../../test/support/world.ts";
import type { RunId } from "../../domain/ids.ts";
import { type Clock, dayFromNowOn, isPast, systemClock } from "../../system/clock.ts";
import { isAlive } from "../../system/process/identity.ts";
import { Patience } from "./driver-role.ts";
import { recover } from "./recover.ts";

/** Works until it is told to end. */
const patient = `
echo "$PAWL_ATTEMPT" >> "$PAWL_SHARED/begun"
while [ ! -e "$PAWL_SHARED/go" ]; do sleep 0.05; done
echo ended >> "$PAWL_SHARED/ended"
echo STATUS: done
`;

const letGo = (world: World) => writeFileSync(join(world.home.dir, "go"), "");

/** The newest lease of the run is over, by the steady time. */
async function leaseIsOver(world: World, run: RunId): Promise<boolean> {
  const leases = (await world.parts.dispatch.leases({ endedBefore: null })).filter((lease) => lease.run === run);
  return leases.length > 0 && leases.every(({ until }) => isPast(systemClock, until));
}

async function overdue(world: World, run: RunId): Promise<void> {
  await expect.poll(() => leaseIsOver(world, run)).toBe(true);
}

describe("a clock that jumps", () => {
  test("[CL2 RC20] by hours or days, forwards or backwards: the driver keeps its attempt, and its result counts", async () => {
    let jumpMs = 0;
    const clock: Clock = { ...systemClock, now: () => Date.now() + jumpMs };
    const world = await makeWorld({ agent: patient, clock });
    const run = await world.begin();
    const driving = world.drive(run);
    await world.appears("begun");
    for (const hours of [1, -1, 72, 0]) {
      const { dispatch } = world.parts;
      const held = [...(await dispatch.leases({ endedBefore: null })), ...(await dispatch.drivers())];
      jumpMs = hours * 3_600_000;
      expect(held.map(({ until }) => isPast(clock, until))).toEqual(
        held.map(({ until }) => isPast(systemClock, until)),
      );
      expect(held).toHaveLength(2);
      const renewed = (await world.parts.dispatch.drivers())[0]?.until.steady?.at ?? 0;
      const isLater = async () => ((await world.parts.dispatch.drivers())[0]?.until.steady?.at ?? 0) > renewed;
      await expect.poll(isLater).toBe(true);
      // Another process looks at the leases by the same clock.
      expect(await recover(world.parts)).toEqual([]);
    }
    letGo(world);
    expect(await driving).toBe("done");
    expect(await world.outcomes(run)).toEqual(["completed"]);
    expect(world.read("begun")).toBe("1\n");
  });

  test("[CL4 GA12 LI8] by days: the driver neither answers a gate early or late nor reaches the cap of time", async () => {
    let [jumpMs, passedMs] = [0, 0];
    const passing = () => systemClock.steady() + passedMs;
    const clock: Clock = { ...systemClock, now: dayFromNowOn(() => Date.now() + jumpMs, passing, passing) };
    const steps = `
  - { id: work, agent: worker, input: "{{task}}" }
  - { id: ask, gate: Go on?, options: { approve: next, reject: fail }, deadline: { after: 1h, then: reject } }
caps: { wall: 2h, hard: true }
`;
    const world = await makeWorld({ clock, steps });
    const run = await world.begin();
    for (const days of [1, -2, 3]) {
      jumpMs = days * 86_400_000;
      expect(await world.drive(run)).toBe("held");
    }
    expect(await world.outcomes(run)).toEqual(["completed"]);
    // Put back, it lengthens nothing either.
    jumpMs = -86_400_000;
    passedMs = 3_600_000;
    expect(await world.drive(run)).toBe("failed");
  });
});

describe("a driver that was stopped for longer than its lease", () => {
  test("[RC20 PS15] renews when it wakes, and the work that its agent finished meanwhile counts", async () => {
    const steps = '\n  - { id: work, agent: worker, timeout: 10m, input: "{{task}}" }\n';
    const world = await makeWorld({ agent: patient, steps });
    const run = await world.begin();
    const frozen = world.startDriver(run, {}, briefLease);
    await world.appears("begun");
    await world.freeze(frozen);
    letGo(world);
    await world.appears("ended");
    await overdue(world, run);
    // A command that only looks, or drives another run, takes nothing from a process that lives.
    expect(await recover(world.parts)).toEqual([]);
    frozen.signal("SIGCONT");
    expect([await frozen.ended, frozen.complaints]).toEqual([0, ""]);
    expect(await world.outcomes(run)).toEqual(["completed"]);
    expect(world.read("begun")).toBe("1\n");
  });
});

describe("a second driver of a run", () => {
  test("[DR12] follows the first, and ends with the run", async () => {
    const world = await makeWorld({ agent: patient });
    const run = await world.begin();
    const first = world.startDriver(run);
    await world.appears("begun");
    const second = world.startDriver(run);
    const drivers = async () => (await world.parts.dispatch.drivers()).length;
    await expect.poll(drivers).toBe(1);
    letGo(world);
    expect([await first.ended, await second.ended]).toEqual([0, 0]);
    expect(await world.outcomes(run)).toEqual(["completed"]);
    expect(await drivers()).toBe(0);
  });

  test("[DR12 RC1] takes over when the first is killed", async () => {
    const world = await makeWorld({ agent: patient });
    const run = await world.begin();
    const first = world.startDriver(run);
    await world.appears("begun");
    const second = world.startDriver(run);
    await first.kill();
    await world.appears("begun", "2\n");
    letGo(world);
    expect(await second.ended).toBe(0);
    expect(await world.outcomes(run)).toEqual(["lost", "completed"]);
  });
});

test("[RC20] a driver whose store stays unreachable ends its agent; when the store is back, the step runs again", async () => {
  let ahead = 0;
  const clock: Clock = { ...systemClock, steady: () => systemClock.steady() + ahead };
  const agent = `
echo $$ > "$PAWL_SHARED/agent-$PAWL_ATTEMPT"
[ "$PAWL_ATTEMPT" = 1 ] && sleep 600
echo STATUS: done
`;
  const world = await makeWorld({ agent, clock });
  const run = await world.begin();
  const driving = world.drive(run);
  await world.appears("agent-1", "\n");
  const identity = await identityIn(join(world.home.dir, "agent-1"));
  const other = new DatabaseSync(world.home.storeFile);
  onTestFinished(() => other.close());
  other.exec("begin immediate");
  // Its agent outlives a few renewals that fail, and not the time in which another driver may have taken the attempt.
  const isGone = () => {
    ahead += 10_000;
    return !isAlive(identity);
  };
  await expect.poll(isGone).toBe(true);
  other.exec("rollback");
  expect(await driving).toBe("done");
  expect((await world.attempts(run)).map(({ state }) => state)).toMatchObject([
    {
      outcome: expect.stringMatching(/^(?:cancelled|lost)$/),
      why: expect.stringContaining("the store could not be reached"),
    },
    { outcome: "completed" },
  ]);
});

test("[RC10 DR12] a lease must be seen over, and unchanged, for a while before a living worker loses it", () => {
  let steady = 0;
  const patience = new Patience({ ...systemClock, now: () => 1_000, steady: () => steady }, 400);
  const lease = (at: number) => ({ worker: "w", until: { at, steady: null } });
  expect(patience.isOver("a", lease(2_000))).toBe(false);
  expect(patience.isOver("a", lease(900))).toBe(false);
  steady = 399;
  expect(patience.isOver("a", lease(900))).toBe(false);
  // It was renewed, and is over once more.
  expect(patience.isOver("a", lease(950))).toBe(false);
  steady = 798;
  expect(patience.isOver("a", lease(950))).toBe(false);
  steady = 799;
  expect(patience.isOver("a", lease(950))).toBe(true);
});
