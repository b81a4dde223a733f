// Measures what a story of two steps costs in the middle of a run of 2,000 stories, against one of 20. That includes the transitions
// in which a story ends and the next one begins.

import { join } from "node:path";
import type { RunId } from "../src/domain/ids.ts";
import type { AdoptedStory, StorySpec } from "../src/domain/story.ts";
import type { Parts } from "../src/runtime/parts.ts";
import { createRun } from "../src/runtime/transition/transition.ts";
import { newRunId } from "../src/system/ids.ts";
import { startOf } from "../test/support/sample-runs.ts";
import { alternate, type Measurement, type Stopwatch } from "./measure.ts";
import { storyIdOf, storySpec, storyWorkflow, transitionFigures } from "./story-runs.ts";
import { claim, complete, openWorld } from "./world.ts";

const stepsPerStory = 2;
const few = 20;

const definition = storyWorkflow("two-step-stories", stepsPerStory);

export const manyStories: Measurement = {
  name: "many-stories",
  async measure({ quick, scratch }) {
    const parts = await openWorld(join(scratch, "home"));
    const taken = await alternate(
      { few: storySide(parts, few), many: storySide(parts, 2_000) },
      { warmUp: 10, counted: quick ? 40 : 150 },
    );
    await parts.store.close();

    return transitionFigures("a transition in a run of 2,000 stories, against 20", taken, 1.3, stepsPerStory * 2);
  },
};

/** Each round is one story. A run without stories left is replaced by a new one, outside the measured time. */
export function storySide(parts: Parts, count: number): (time: Stopwatch) => Promise<void> {
  let run: RunId | null = null;
  let left = 0;
  return async (time) => {
    if (run === null || left === 0) {
      run = await halfDoneRun(parts, count);
      left = count / 2;
    }
    const current = run;
    await time(async () => {
      for (let step = 0; step < stepsPerStory; step += 1) await complete(parts, await claim(parts, { run: current }));
    });
    left -= 1;
  };
}

/** The first half of the stories is done; of the rest, every other one waits for the one before it. */
async function halfDoneRun(parts: Parts, count: number): Promise<RunId> {
  const at = parts.clock.now();
  const stories = Array.from({ length: count }, (_, index) => specOf(index));
  const adopted = stories.slice(0, count / 2).map(({ id }): AdoptedStory => ({ id, status: "done", chain: [] }));
  const { run } = await createRun(parts, () => startOf(definition, { run: newRunId(), at, stories, adopted }));
  return run;
}

function specOf(index: number): StorySpec {
  return storySpec(index + 1, {
    dependsOn: index % 2 === 0 ? [] : [storyIdOf(index)],
    priority: 1 + (index % 7),
    touches: [`src/part-${index % 50}/**`],
  });
}
