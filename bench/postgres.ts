// Measures a store on PostgreSQL, dispatched by pg-boss, against bare pg-boss on the same server: a cycle, a claim in a long queue, and a
// transition in a run of many stories. The server keeps nothing when it ends, and waits for no disk, for either side.

import { join } from "node:path";
import { PgBoss } from "pg-boss";
import { tryToStart } from "../test/postgres/server.ts";
import { storySide } from "./many-stories.ts";
import { alternate, type Figure, type Measurement, medianOf, ms, type Stopwatch } from "./measure.ts";
import { transitionFigures } from "./story-runs.ts";
import { begin, beginMany, claim, complete, cycleToEnd, openWorld, sixSteps } from "./world.ts";

export const postgres: Measurement = {
  name: "postgres",
  async measure({ quick, scratch }) {
    return await withServer(async (address) => [
      ...(await cycles(address("cycle"), scratch, quick)),
      ...(await longQueue(address, scratch, quick ? 2_000 : 100_000)),
      ...(await manyStories(address("stories"), scratch, quick)),
    ]);
  },
};

type AddressOf = (schema: string) => string;

/** Gives addresses of new stores on a server that lives only as long as `work`. */
export async function withServer<T>(work: (address: AddressOf) => Promise<T>): Promise<T> {
  const server = await tryToStart();
  if (server.url === null) throw new Error(server.why);
  const { url } = server;
  try {
    return await work((schema) => `${url}?schema=bench_${schema}`);
  } finally {
    await server.stop();
  }
}

async function cycles(address: string, scratch: string, quick: boolean): Promise<readonly Figure[]> {
  const parts = await openWorld(join(scratch, "cycle"), { store: address });
  const { boss, cycle } = await openBare(address);
  const steps = sixSteps.steps.length;
  const taken = await alternate(
    {
      ours: async (time) => {
        await begin(parts, sixSteps);
        await time(() => cycleToEnd(parts));
      },
      bare: async (time) => {
        await time(async () => {
          for (let count = 0; count < steps; count += 1) await cycle();
        });
      },
    },
    { warmUp: 10, counted: quick ? 30 : 120 },
  );
  await boss.stop({ graceful: false });
  await parts.dispatch.close();
  await parts.store.close();
  const [ours, bare] = [medianOf(taken.ours, "wallMs") / steps, medianOf(taken.bare, "wallMs") / steps];
  return [
    {
      what: "claim + complete, against send + fetch + complete of bare pg-boss",
      measured: `${ms(ours)} against ${ms(bare)} a cycle`,
      value: bare / ours,
      unit: "times",
      target: { atLeast: 0.4 },
    },
  ];
}

/** One cycle is three calls, each a transaction of its own, as its documentation shows it. */
async function openBare(address: string): Promise<{ readonly boss: PgBoss; readonly cycle: () => Promise<void> }> {
  const url = new URL(address);
  url.search = "";
  const boss = new PgBoss({ connectionString: url.href, schema: "bare", supervise: false, schedule: false });
  boss.on("error", (error) => console.error(error));
  await boss.start();
  await boss.createQueue("steps");
  return {
    boss,
    cycle: async () => {
      await boss.send("steps", { step: "one" });
      const [job] = await boss.fetch("steps");
      if (job === undefined) throw new Error("nothing could be fetched");
      await boss.complete("steps", job.id);
    },
  };
}

const runsPerTransaction = 500;

async function longQueue(address: AddressOf, scratch: string, many: number): Promise<readonly Figure[]> {
  const open = async (name: string, length: number) => {
    const parts = await openWorld(join(scratch, name), { store: address(name) });
    for (let at = 0; at < length; at += runsPerTransaction)
      await beginMany(parts, sixSteps, Math.min(runsPerTransaction, length - at));
    return parts;
  };
  const short = await open("short", 100);
  const long = await open("long", many);
  const side = (parts: typeof short) => async (time: Stopwatch) => {
    // A new run replaces each one that ends, so the queue keeps its length.
    await begin(parts, sixSteps);
    for (let step = 0; step < sixSteps.steps.length; step += 1) await complete(parts, await time(() => claim(parts)));
  };
  const taken = await alternate({ short: side(short), long: side(long) }, { warmUp: 5, counted: 30 });
  for (const parts of [short, long]) {
    await parts.dispatch.close();
    await parts.store.close();
  }
  const [slow, fast] = [medianOf(taken.long, "wallMs"), medianOf(taken.short, "wallMs")];
  return [
    {
      what: `claim with ${many} queued runs, against 100`,
      measured: `${ms(slow)} against ${ms(fast)}`,
      value: slow / fast,
      unit: "times",
      target: { atMost: 1.5 },
    },
  ];
}

async function manyStories(address: string, scratch: string, quick: boolean): Promise<readonly Figure[]> {
  const parts = await openWorld(join(scratch, "stories"), { store: address });
  const taken = await alternate(
    { few: storySide(parts, 20), many: storySide(parts, 2_000) },
    { warmUp: 5, counted: quick ? 30 : 100 },
  );
  await parts.dispatch.close();
  await parts.store.close();
  return transitionFigures("a transition in a run of 2,000 stories on a server, against 20", taken, 1.3, 4);
}
