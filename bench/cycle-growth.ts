// Measures whether claim and complete stay fast when the store holds ten thousand runs.

import { join } from "node:path";
import { alternate, type Measurement, medianOf, ms } from "./measure.ts";
import { openFilledWorld, takeSample } from "./sample.ts";
import { begin, cycleToEnd, sixSteps } from "./world.ts";

export const cycleGrowth: Measurement = {
  name: "cycle-growth",
  async measure({ quick, scratch }) {
    const sample = await takeSample(join(scratch, "sample"));
    const many = quick ? 2_000 : 10_000;
    const small = await openFilledWorld(join(scratch, "small"), sample, 10);
    const large = await openFilledWorld(join(scratch, "large"), sample, many);
    const side = (parts: typeof small) => async (time: (work: () => Promise<void>) => Promise<void>) => {
      await begin(parts, sixSteps);
      await time(() => cycleToEnd(parts));
    };
    const rounds = quick ? { warmUp: 5, counted: 20 } : { warmUp: 20, counted: 80 };
    const taken = await alternate({ small: side(small), large: side(large) }, rounds);
    await Promise.all([small.store.close(), large.store.close()]);

    const perSecond = (samples: typeof taken.small) => (sixSteps.steps.length * 1000) / medianOf(samples, "wallMs");
    const [few, lots] = [perSecond(taken.small), perSecond(taken.large)];
    return [
      {
        what: `claim + complete with ${many} runs in the store, against 10`,
        measured: `${lots.toFixed(0)}/s against ${few.toFixed(0)}/s (CPU ${ms(medianOf(taken.large, "cpuMs") / 6)} against ${ms(medianOf(taken.small, "cpuMs") / 6)})`,
        value: lots / few,
        unit: "times",
        target: { atLeast: 0.8 },
      },
    ];
  },
};
