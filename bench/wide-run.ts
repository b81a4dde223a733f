// Measures whether a transition costs the same in a run of two hundred stories as in one of five. Half of the larger run is already
// done, as in the middle of such a run.

import { join } from "node:path";
import type { RunId } from "../src/domain/ids.ts";
import type { Parts } from "../src/runtime/parts.ts";
import { applyIn } from "../src/runtime/transition/transition.ts";
import { startAttemptOf } from "../test/support/sample-runs.ts";
import { alternate, type Measurement, type Stopwatch } from "./measure.ts";
import { storyIdOf, storySpec, storyWorkflow, transitionFigures } from "./story-runs.ts";
import { begin, claim, complete, finishing, openWorld } from "./world.ts";

const stepsPerStory = 30;

const definition = storyWorkflow("many-stories", stepsPerStory, ["plan"]);

export const wideRun: Measurement = {
  name: "wide-run",
  async measure({ quick, scratch }) {
    const parts = await openWorld(join(scratch, "home"));
    const few = await plannedRun(parts, 5);
    const many = await plannedRun(parts, 200);
    await doStories(parts, few, 1);
    await doStories(parts, many, quick ? 20 : 100);

    const side = (run: RunId) => async (time: Stopwatch) => {
      const claimed = await time(() => claim(parts, { run }));
      await time(() => complete(parts, claimed));
    };
    const rounds = { warmUp: 10, counted: (quick ? 2 : 3) * stepsPerStory };
    const taken = await alternate({ few: side(few), many: side(many) }, rounds);
    await parts.store.close();

    return transitionFigures("a transition in a run of 200 stories, against 5", taken, 1.5);
  },
};

async function plannedRun(parts: Parts, count: number): Promise<RunId> {
  const run = await begin(parts, definition);
  const stories = Array.from({ length: count }, (_, index) =>
    storySpec(index + 1, { dependsOn: index === 0 ? [] : [storyIdOf(index)] }),
  );
  await complete(parts, await claim(parts, { run }), { stories });
  return run;
}

/** Performs a story in one transaction: getting to the middle of a run is not measured. */
async function doStories(parts: Parts, run: RunId, count: number): Promise<void> {
  for (let done = 0; done < count; done += 1) {
    const story = storyIdOf(done + 1);
    await parts.store.transaction(async (tx) => {
      for (let part = 1; part <= stepsPerStory; part += 1) {
        const start = startAttemptOf(`part-${part}`, { story, at: parts.clock.now() });
        for (const command of [start, finishing(parts, { id: start.attempt, story }, {})]) {
          const decision = await applyIn(parts, tx, run, command);
          if (!decision.accepted) throw new Error(`${command.type} was refused: ${decision.why}`);
        }
      }
    });
  }
}
