// Which runs the service drives, and what it does with those that it cannot.

import { mkdirSync, renameSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { queryFile } from "../../test/support/database.ts";
import { recordOf } from "../../test/support/service.ts";
import { until } from "../../test/support/until.ts";
import { makeWorld, type World } from "../../test/support/world.ts";
import { Application } from "../application/application.ts";
import { status, whyOf } from "../application/looking/status.ts";
import type { RunId } from "../domain/ids.ts";
import { reserve, unreserve } from "../runtime/reservation.ts";
import type { ServiceRecord, Trouble } from "../system/service-file.ts";
import { OpenRuns } from "./open-runs.ts";
import { Service } from "./service.ts";

const times = { busyMs: 50, idleMs: 200, pauseMs: 50, longestPauseMs: 400, gatherMs: 5 };

function applicationOf(world: World): Application {
  const app = new Application({ cwd: world.dir, env: { ...process.env, PAWL_HOME: world.home.dir } });
  onTestFinished(async () => await app.close());
  return app;
}

interface Opened {
  readonly runs: OpenRuns;
  readonly told: {
    notes: string[];
    troubles: Readonly<Record<RunId, Trouble>>;
    pauses: number;
    /** When each pause began, and how long it was to be. */
    readonly begun: (readonly [number, number])[];
  };
}

async function open(world: World): Promise<Opened> {
  const told: Opened["told"] = { notes: [], troubles: {}, pauses: 0, begun: [] };
  const runs = new OpenRuns(applicationOf(world), {
    times,
    log: (event, fields) => {
      if (event === "service.note") told.notes.push(String(fields["note"]));
      if (event !== "service.run_paused") return;
      told.pauses += 1;
      told.begun.push([performance.now(), Number(fields["ms"])]);
    },
    onTroubles: (troubles) => {
      told.troubles = troubles;
    },
  });
  onTestFinished(async () => await runs.stop());
  await runs.start();
  return { runs, told };
}

test("[SV11] a run that cannot be driven keeps no other waiting, is not tried in a hot loop, and continues when it can", async () => {
  const world = await makeWorld({ agent: 'echo "STATUS: done"' });
  const gone = await world.begin("first");
  const away = join(world.dir, "away");
  const { told } = await open(world);
  await until(async () => (await world.status(gone)) === "done");
  const stuck = await world.begin("second", world.parts, "nobody");
  await until(() => told.troubles[stuck]);
  expect(told.troubles[stuck]?.why).toContain("nobody");
  const missing = await world.begin("third");
  renameSync(world.repo, away);
  await until(() => told.troubles[missing] ?? null);
  const before = told.pauses;
  renameSync(away, world.repo);
  await until(async () => (await world.status(missing)) === "done");
  expect([told.troubles[missing], Object.keys(told.troubles)]).toEqual([undefined, [stuck]]);
  expect(told.pauses - before).toBeLessThan(20);
  expect((await world.attempts(missing)).length).toBe(1);
});

test("[SV11] a run whose log has a damaged row is not tried in a hot loop", async () => {
  const world = await makeWorld({ agent: 'echo "STATUS: done"' });
  const run = await world.begin("first", world.parts, "nobody");
  queryFile(world.home.storeFile, "update events set body = '{' where run_id = ? and seq = 2", run);
  const { told } = await open(world);
  await until(() => told.begun.length >= 4);
  const waited = told.begun.slice(1).map(([at], i) => at - (told.begun[i]?.[0] ?? 0));
  expect(waited.map((ms, i) => ms >= (told.begun[i]?.[1] ?? 0))).toEqual(waited.map(() => true));
});

test("[SV12] the deadline of a gate is taken while nobody else is there, and the run continues", async () => {
  const steps = `
  - { id: ask, gate: Go on?, options: { approve: next, reject: fail }, deadline: { after: 1s, then: approve } }
  - { id: work, agent: worker, input: "{{task}}" }
`;
  const world = await makeWorld({ agent: 'echo "STATUS: done"', steps });
  const run = await world.begin();
  expect(await world.status(run)).toBe("held");
  await open(world);
  await until(async () => (await world.status(run)) === "done");
});

test("[SV8] a run that a process has reserved is left alone until it is free", async () => {
  const world = await makeWorld({ agent: 'echo "STATUS: done"' });
  const mine = await world.begin("mine");
  await world.parts.dispatch.drive(
    {
      run: mine,
      worker: JSON.stringify({ host: "elsewhere", pid: 1, startedAt: "x" }),
      until: { at: Date.now() + 600_000, steady: null },
    },
    () => false,
  );
  const { runs } = await open(world);
  const other = await world.begin("other");
  await until(async () => (await world.status(other)) === "done");
  expect(await world.attempts(mine)).toEqual([]);
  await world.parts.dispatch.leave(mine, JSON.stringify({ host: "elsewhere", pid: 1, startedAt: "x" }));
  await until(async () => (await world.status(mine)) === "done");
  await runs.stop();
  const last = await world.begin("last");
  await reserve(world.parts, last);
  expect((await world.parts.dispatch.drivers()).map(({ run }) => run)).toEqual([last]);
  await unreserve(world.parts, last);
});

test("[SV13] drained, it begins nothing new and ends with what runs", async () => {
  const steps = `
  - { id: one, agent: worker, input: "{{task}}" }
  - { id: two, agent: worker, input: "{{task}}" }
`;
  const agent = `touch "$PAWL_SHARED/begun"; while [ -e "$PAWL_SHARED/hold" ]; do sleep 0.05; done; echo "STATUS: done"`;
  const world = await makeWorld({ agent, steps });
  writeFileSync(join(world.home.dir, "hold"), "");
  const run = await world.begin();
  const { runs } = await open(world);
  await world.appears("begun");
  const drained = runs.drain();
  renameSync(join(world.home.dir, "hold"), join(world.home.dir, "held"));
  await drained;
  expect(await world.outcomes(run)).toEqual(["completed"]);
  expect(await world.status(run)).toBe("running");
});

test("[SV11 SV14] `why` and `status` say what the service cannot drive; an untrusted repository is such a run", async () => {
  const world = await makeWorld({ agent: 'echo "STATUS: done"' });
  const app = applicationOf(world);
  const run = await world.begin();
  expect((await whyOf(app, run)).why).toContain("`pawl up` drives every open run");
  mkdirSync(join(world.repo, ".pawl"));
  writeFileSync(join(world.repo, ".pawl", "config.yml"), "project: { test: rm -rf / }\n");
  const service = await Service.start({ app, host: "127.0.0.1", port: 0, log: () => undefined, companions: [], times });
  try {
    const { troubles } = await until(() => withTrouble(recordOf({ home: world.home.dir }), run));
    expect(troubles[run]?.why).toContain("wants to run a command that you have not agreed to");
    expect((await whyOf(app, run)).why).toContain("The service cannot drive it: ");
    expect((await status(app, run)).document.why).toContain("`pawl trust` agrees");
    expect(await world.attempts(run)).toEqual([]);
  } finally {
    service.stop();
    await service.ended;
  }
  expect(recordOf({ home: world.home.dir })).toBeNull();
});

function withTrouble(record: ServiceRecord | null, run: RunId): ServiceRecord | null {
  return record !== null && run in record.troubles ? record : null;
}

test("[SV30] what another process drives is left to it without a word: nobody follows all runs of others", async () => {
  const world = await makeWorld({ agent: 'echo "STATUS: done"' });
  const [one, other] = [await open(world), await open(world)];
  const runs = [];
  for (let count = 0; count < 8; count += 1) runs.push(await world.begin("first"));
  for (const run of runs) await until(async () => (await world.status(run)) === "done");
  expect([...one.told.notes, ...other.told.notes].filter((note) => note.includes("following"))).toEqual([]);
});
