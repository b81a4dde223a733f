// Measures what a transition costs in a step with 20 parts at once, against a step with one.

import { join } from "node:path";
import type { Definition } from "../src/domain/definition.ts";
import { partName } from "../src/domain/ids.ts";
import type { Parts } from "../src/runtime/parts.ts";
import { chainOf } from "../test/support/sample-runs.ts";
import { alternate, type Measurement, type Stopwatch } from "./measure.ts";
import { transitionFigures } from "./story-runs.ts";
import { begin, claim, complete, openWorld } from "./world.ts";

const many = 20;

export const partsOfAStep: Measurement = {
  name: "parts",
  async measure({ quick, scratch }) {
    const world = await openWorld(join(scratch, "home"));
    const taken = await alternate(
      { few: sideOf(world, 1), many: sideOf(world, many) },
      { warmUp: 5, counted: quick ? 20 : 80 },
    );
    await world.store.close();
    return transitionFigures(`a transition in a step with ${many} parts, against one`, taken, 1.5, many * 2);
  },
};

/** Each round performs 20 parts: those of one step, or one part in each of 20 runs. */
function sideOf(world: Parts, count: number): (time: Stopwatch) => Promise<void> {
  const definition = withParts(count);
  return async (time) => {
    for (let made = 0; made < many; made += count) await begin(world, definition);
    await time(async () => {
      for (let part = 0; part < many; part += 1) await complete(world, await claim(world, {}));
    });
  };
}

function withParts(count: number): Definition {
  const chain = chainOf(1, `parts-${count}`);
  const list = Array.from({ length: count }, (_, index) => ({ name: partName(`p${index}`) }));
  const steps = chain.steps.map((step) => ({ ...step, parts: { of: { list }, need: "all", others: "finish" } }));
  return { ...chain, steps: steps as unknown as Definition["steps"] };
}
