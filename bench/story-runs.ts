// Runs of stories for measurements: a workflow without limiting caps, stories of a typical size, and their figures.

import type { Definition } from "../src/domain/definition.ts";
import { stepName, storyId } from "../src/domain/ids.ts";
import type { StorySpec } from "../src/domain/story.ts";
import { agentStep, workflow } from "../test/support/sample-runs.ts";
import { type Figure, medianOf, ms, type Sample } from "./measure.ts";

export function storyWorkflow(id: string, stepsPerStory: number, before: readonly string[] = []): Definition {
  const definition = workflow(id, [
    ...before.map((name) => agentStep(name)),
    {
      kind: "stories",
      name: stepName("implement"),
      title: "implement",
      concurrency: 1,
      onStoryFailed: "stop",
      storyBudget: { atMost: 1, then: { to: "fail", reason: "" } },
      body: Array.from({ length: stepsPerStory }, (_, index) => agentStep(`part-${index + 1}`)),
    },
  ]);
  return { ...definition, caps: { ...definition.caps, attempts: 100_000, steps: 100_000 } };
}

/** `number` from 1. */
export function storyIdOf(number: number) {
  return storyId(`US-${String(number).padStart(4, "0")}`);
}

export function storySpec(number: number, more: Partial<StorySpec> = {}): StorySpec {
  return {
    id: storyIdOf(number),
    title: `Story ${number}: a title of a usual length`,
    description: "As a user I want this part of the feature, so that the whole of it works as I expect.",
    acceptanceCriteria: ["It does what its title says", "Tests pass", "Typecheck passes"],
    dependsOn: [],
    ...more,
  };
}

type Sides = Readonly<Record<"few" | "many", readonly Sample[]>>;

/** `transitions`: how many of them one sample has. */
export function transitionFigures(what: string, taken: Sides, atMost: number, transitions = 1): readonly Figure[] {
  const figure = (key: keyof Sample) => {
    const [many, few] = [medianOf(taken.many, key) / transitions, medianOf(taken.few, key) / transitions];
    return {
      measured: `${ms(many)} against ${ms(few)}`,
      value: many / few,
      unit: "times",
      target: { atMost },
    } as const;
  };
  return [
    { what, ...figure("wallMs") },
    { what: `CPU of ${what}`, ...figure("cpuMs") },
  ];
}
