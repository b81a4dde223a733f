// Makes random edit requests and random stories from a number: some that may be granted, some that must not be, and some that are
// unreadable.

import type { Definition, StepDefinition, StoriesStep } from "../../../src/domain/definition.ts";
import type { EditOperation, EditRequest } from "../../../src/domain/edit.ts";
import { type StepId, type StoryId, stepId, storyId } from "../../../src/domain/ids.ts";
import { type Run, scopeOf, type WaitsLevel } from "../../../src/domain/run.ts";
import type { AdoptedStep, AdoptedStory, StorySpec } from "../../../src/domain/story.ts";
import { addAfter, addBefore, amend, reorder, restart, skip, split } from "./edits.ts";

type Dice = (sides: number) => number;

/** The same throws for the same number. */
function diceOf(seed: number): Dice {
  let state = (seed * 2_654_435_761) >>> 0;
  return (sides) => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return Math.floor((state / 2 ** 32) * sides);
  };
}

/** The edit request of an attempt of this step; null: none. */
export function randomEditRequest(run: Run, story: StoryId | null, own: StepId, words: number): EditRequest | null {
  const dice = diceOf(words);
  if (dice(3) === 0) return null;
  if (dice(12) === 0) return { unreadable: "it is not JSON" };
  return { operations: randomOperations(run, story, own, words), notes: dice(4) === 0 ? ["read with care"] : [] };
}

/** One to three operations; `own` is the requesting step, null a person. */
export function randomOperations(
  run: Run,
  story: StoryId | null,
  own: StepId | null,
  words: number,
): readonly EditOperation[] {
  const dice = diceOf(words + 1);
  const chain = scopeOf(run, story)?.chain ?? [];
  const pending = chain
    .filter(({ state }) => state.status === "waiting" || state.status === "ready")
    .map(({ id }) => id);
  const names = namesIn(run.header.definition, story);
  const one = (): EditOperation => {
    const target = targetOf(
      dice,
      chain.map(({ id }) => id),
      pending,
    );
    const steps = Array.from({ length: 1 + dice(2) }, () => names[dice(names.length)] ?? "nowhere");
    switch (dice(11)) {
      case 0:
      case 1:
        return addAfter(target, ...steps);
      case 2:
        return addBefore(target, ...steps);
      case 3:
        return addBefore(own ?? target, ...steps);
      case 4:
      case 5:
        return split(target, ...steps, names[dice(names.length)] ?? "nowhere");
      case 6:
        return skip(target);
      case 7:
        return reorder(...shuffled(dice, pending));
      case 8:
        return amend(target, dice(9) === 0 ? " " : `described ${words}`);
      default:
        return restart(own ?? target, `anew ${words}`);
    }
  };
  return Array.from({ length: dice(8) === 0 ? 3 : 1 }, one);
}

function targetOf(dice: Dice, ids: readonly StepId[], pending: readonly StepId[]): StepId {
  const among = dice(4) > 0 && pending.length > 0 ? pending : ids;
  return dice(14) === 0 ? stepId("step-099") : (among[dice(among.length)] ?? stepId("nowhere"));
}

/** Two of them change places; sometimes one is missing or listed twice, or a hidden step is moved. */
function shuffled(dice: Dice, ids: readonly StepId[]): readonly string[] {
  const order = ids.filter((id) => !/^(?:bi|integrate)$/.test(id) || dice(9) === 0);
  const [one, other] = [dice(order.length), dice(order.length)];
  const swapped = order.map((id, index) => (index === one ? order[other] : index === other ? order[one] : id) ?? id);
  if (dice(7) === 0) return swapped.slice(1);
  return dice(7) === 0 ? [...swapped, ...swapped.slice(0, 1)] : swapped;
}

function namesIn({ steps }: Definition, story: StoryId | null): readonly string[] {
  const of: readonly StepDefinition[] = story === null ? steps : (loopIn(steps)?.body ?? []);
  return [...of.map(({ name }) => name), ...of.map(({ name }) => name), "nowhere"];
}

function loopIn(steps: readonly StepDefinition[]): StoriesStep | undefined {
  return steps.find((step) => step.kind === "stories");
}

export interface RunStart {
  readonly stories?: readonly StorySpec[];
  readonly adopted?: readonly AdoptedStory[];
  readonly waits?: WaitsLevel;
}

/** Before which steps a random run asks; most do not say it. */
export function randomLevel(number: number): WaitsLevel {
  return (["marked", "none", "marked", "none", "marked", "none", "marked", "all"] as const)[number % 8] ?? "marked";
}

export function randomStart(definition: Definition, number: number): RunStart {
  const level = randomLevel(number >> 4);
  return { ...randomStories(definition, number), ...(level === "marked" ? {} : { waits: level }) };
}

/** Half of the runs start with stories, and half of those have some from an earlier run. */
function randomStories(definition: Definition, number: number): RunStart {
  const loop = loopIn(definition.steps);
  if (!loop || number % 2 === 0) return {};
  const stories = randomPlan(number >> 1);
  if (number % 4 === 1) return { stories };
  return {
    stories,
    adopted: stories.slice(0, 2).map(({ id }, index) => adoptedOf(loop, id, (number >> 3) + index * 5)),
  };
}

function adoptedOf(loop: StoriesStep, id: StoryId, number: number): AdoptedStory {
  const steps = loop.body.filter((step) => step.kind !== "integrate" && !step.spare);
  const done = number % (steps.length + 1);
  const status = done === steps.length ? "done" : number % 3 === 0 ? "failed" : "waiting";
  const chain = steps.map(({ name, title }, index): AdoptedStep => {
    const failed = status === "failed" && index === done;
    const at = loop.ids === "numbers" ? stepId(`step-${String(index + 1).padStart(3, "0")}`) : stepId(name);
    const state = index < done ? "done" : failed ? "failed" : "waiting";
    return { id: at, name, description: title, state, reason: "", notes: "", restarts: 0 };
  });
  return { id, status, chain: status === "waiting" && done === 0 ? [] : chain };
}

/** One to five stories; some depend on an earlier one, and sometimes two depend on each other. */
export function randomPlan(words: number, prefix = "U"): readonly StorySpec[] {
  const count = 1 + (words % 5);
  const ids = Array.from({ length: count }, (_, index) => storyId(`${prefix}${index + (words % 2)}`));
  return ids.map((id, index) => {
    const other = words % 11 === 0 ? (index + 1) % count : index - 1;
    const depends = other >= 0 && other !== index && (words >> index) % 2 === 1;
    return {
      id,
      title: id,
      description: "",
      acceptanceCriteria: ["it works"],
      dependsOn: depends ? [ids[other] as StoryId] : [],
      ...((words >> index) % 3 === 0 ? { priority: (words >> index) % 4 } : {}),
      ...((words >> index) % 5 === 0 ? { touches: [["src/a.ts", "src", "docs/*"][(words + index) % 3] ?? ""] } : {}),
    };
  });
}
