// Measures whether a claim stays fast when three thousand runs wait.

import { join } from "node:path";
import { alternate, type Measurement, medianOf, ms, type Stopwatch } from "./measure.ts";
import { begin, beginMany, claim, complete, openWorld, sixSteps } from "./world.ts";

export const queue: Measurement = {
  name: "queue",
  async measure({ quick, scratch }) {
    const many = quick ? 1_000 : 3_000;
    const short = await openQueue(join(scratch, "short"), 10);
    const long = await openQueue(join(scratch, "long"), many);
    const agent = `${sixSteps.id}/worker`;

    const side = (parts: typeof short, wanted: string | null) => async (time: Stopwatch) => {
      // A new run replaces each one that ends, so the queue keeps its length.
      await begin(parts, sixSteps);
      for (let step = 0; step < sixSteps.steps.length; step += 1)
        await complete(parts, await time(() => claim(parts, { agent: wanted })));
    };
    const rounds = quick ? { warmUp: 4, counted: 12 } : { warmUp: 10, counted: 60 };
    const taken = await alternate(
      {
        shortAny: side(short, null),
        longAny: side(long, null),
        shortAgent: side(short, agent),
        longAgent: side(long, agent),
      },
      rounds,
    );
    await Promise.all([short.store.close(), long.store.close()]);

    return [
      { what: `claim of any step with ${many} queued runs, against 10`, ...compare(taken.longAny, taken.shortAny) },
      { what: `claim by an agent with ${many} queued runs, against 10`, ...compare(taken.longAgent, taken.shortAgent) },
    ];
  },
};

type Samples = Parameters<typeof medianOf>[0];

function compare(long: Samples, short: Samples) {
  const [slow, fast] = [medianOf(long, "wallMs"), medianOf(short, "wallMs")];
  return {
    measured: `${ms(slow)} against ${ms(fast)} (CPU ${ms(medianOf(long, "cpuMs"))} against ${ms(medianOf(short, "cpuMs"))})`,
    value: slow / fast,
    unit: "times",
    target: { atMost: 1.5 },
  } as const;
}

const runsPerTransaction = 500;

async function openQueue(directory: string, length: number) {
  const parts = await openWorld(directory);
  for (let at = 0; at < length; at += runsPerTransaction)
    await beginMany(parts, sixSteps, Math.min(runsPerTransaction, length - at));
  return parts;
}
