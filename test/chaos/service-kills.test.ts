// The service is killed by SIGKILL twenty times while it drives several runs, and once it is frozen past the leases of its runs. Each
// moment is a fact of the store, and each service gets a little further than the one before it.

import { expect, test } from "vitest";
import { hasEnded } from "../../src/domain/attempt.ts";
import type { RunId } from "../../src/domain/ids.ts";
import { attemptMarker } from "../../src/executors/executor.ts";
import { findMarked } from "../../src/system/process/strays.ts";
import { campaignMs } from "../support/patience.ts";
import { startPawl } from "../support/pawl.ts";
import { recordOf } from "../support/service.ts";
import { until } from "../support/until.ts";
import { makeWorld, type World } from "../support/world.ts";

const kills = 20;

/** Each start is paid for. */
const agent = `echo "$PAWL_RUN $PAWL_STEP" >> "$PAWL_SHARED/paid"; sleep 0.1; echo "$PAWL_STEP" >> work.txt; echo "STATUS: done"`;
const steps = ["one", "two", "three"].map((id) => `\n  - { id: ${id}, agent: worker, input: "{{task}}" }`).join("");

async function eventsOf(world: World, runs: readonly RunId[]): Promise<number> {
  return (await Promise.all(runs.map((run) => world.events(run)))).reduce((sum, events) => sum + events.length, 0);
}

async function isOver(world: World, run: RunId): Promise<boolean> {
  return (await world.status(run)) === "done";
}

test(
  "[SV17 SV2] killed twenty times, the service loses nothing, pays nothing twice, and leaves nothing without an owner",
  async () => {
    const world = await makeWorld({ agent, steps });
    const runs: RunId[] = [];
    const openRuns = async () => {
      const over = await Promise.all(runs.map((run) => isOver(world, run)));
      return runs.filter((_, index) => !over[index]);
    };
    const serve = () => startPawl(["up", "--port", "0", "--json"], { home: world.home.dir });
    for (let kill = 1; kill <= kills; kill += 1) {
      while ((await openRuns()).length < 2) runs.push(await world.begin(`run ${runs.length + 1}`));
      const before = await eventsOf(world, runs);
      const service = serve();
      // Some die before they are ready, the others after so many events.
      const wanted = (kill * 3) % 8;
      await until(async () =>
        kill % 5 === 0
          ? recordOf({ home: world.home.dir })?.pid === service.child.pid
          : (await eventsOf(world, runs)) > before + wanted || (await openRuns()).length === 0,
      );
      service.child.kill("SIGKILL");
      await service.ended;
    }
    const last = serve();
    await until(async () => (await openRuns()).length === 0);
    for (const run of runs) {
      const attempts = await world.attempts(run);
      const ends = attempts.map((attempt) => (hasEnded(attempt) ? attempt.state.outcome : "open"));
      expect(ends.filter((end) => end !== "completed" && end !== "lost")).toEqual([]);
      const completed = attempts.filter((attempt) => hasEnded(attempt) && attempt.state.outcome === "completed");
      expect(completed.map(({ name }) => name)).toEqual(["one", "two", "three"]);
      const paid = world
        .read("paid")
        .split("\n")
        .filter((line) => line.startsWith(`${run} `));
      // An attempt that was lost before its agent started cost nothing; none started its agent twice.
      expect(paid.length).toBeLessThanOrEqual(attempts.length);
      expect(paid.length).toBeGreaterThanOrEqual(3);
    }
    const ours = new Set(
      (await Promise.all(runs.map((run) => world.attempts(run)))).flat().map(({ id }) => String(id)),
    );
    expect((await findMarked(attemptMarker)).filter(({ value }) => ours.has(value))).toEqual([]);
    last.child.kill("SIGTERM");
    expect((await last.ended).code).toBe(0);
    expect(await world.parts.dispatch.drivers()).toEqual([]);
  },
  campaignMs,
);
