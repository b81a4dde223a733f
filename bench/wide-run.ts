// Measures whether a transition costs the same in a run of two hundred stories as in one of five. Half of the larger run is already
// done, as in the middle of such a run.

import { join } from "node:path";
import type { Definition } from "../src/domain/definition.ts";
import { type RunId, stepName, storyId } from "../src/domain/ids.ts";
import type { StorySpec } from "../src/domain/story.ts";
import type { Parts } from "../src/runtime/parts.ts";
import { applyIn } from "../src/runtime/runs/transition.ts";
import { agentStep, startAttemptOf, workflow } from "../test/support/sample-runs.ts";
import { alternate, type Measurement, medianOf, ms, type Stopwatch } from "./measure.ts";
import { begin, claim, complete, finishing, openWorld } from "./world.ts";

const stepsPerStory = 30;

const manyStories: Definition = withRoom(
  workflow("many-stories", [
    agentStep("plan"),
    {
      kind: "stories",
      name: stepName("implement"),
      title: "implement",
      concurrency: 1,
      onStoryFailed: "stop",
      storyBudget: { atMost: 1, then: { to: "fail", reason: "" } },
      body: Array.from({ length: stepsPerStory }, (_, index) => agentStep(`part-${index + 1}`)),
    },
  ]),
);

function withRoom(definition: Definition): Definition {
  return { ...definition, caps: { ...definition.caps, attempts: 100_000, steps: 100_000 } };
}

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

    const figure = (key: "wallMs" | "cpuMs") => {
      const [wide, narrow] = [medianOf(taken.many, key), medianOf(taken.few, key)];
      const measured = `${ms(wide)} against ${ms(narrow)}`;
      return { measured, value: wide / narrow, unit: "times" as const, target: { atMost: 1.5 } };
    };
    const what = "a transition in a run of 200 stories, against 5";
    return [
      { what, ...figure("wallMs") },
      { what: `CPU of ${what}`, ...figure("cpuMs") },
    ];
  },
};

async function plannedRun(parts: Parts, count: number): Promise<RunId> {
  const run = await begin(parts, manyStories);
  const stories = Array.from({ length: count }, (_, index): StorySpec => {
    const number = String(index + 1).padStart(3, "0");
    return {
      id: storyId(`US-${number}`),
      title: `Story ${number}: a title of a usual length`,
      description: "As a user I want this part of the feature, so that the whole of it works as I expect.",
      acceptanceCriteria: ["It does what its title says", "Tests pass", "Typecheck passes"],
      dependsOn: index === 0 ? [] : [storyId(`US-${String(index).padStart(3, "0")}`)],
    };
  });
  await complete(parts, await claim(parts, { run }), { stories });
  return run;
}

/** Performs a story in one transaction: getting to the middle of a run is not measured. */
async function doStories(parts: Parts, run: RunId, count: number): Promise<void> {
  for (let done = 0; done < count; done += 1) {
    const story = storyId(`US-${String(done + 1).padStart(3, "0")}`);
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
