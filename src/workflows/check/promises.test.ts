// What a loaded file promises, shown by playing it: whatever agents say and as long as nobody answers, it comes to an end.

import fc from "fast-check";
import { expect, test } from "vitest";
import { stringify } from "yaml";
import { rounds } from "../../../test/support/rounds.ts";
import type { Definition, StepDefinition, StoriesStep } from "../../domain/definition.ts";
import { type Limit, type Route, type RouteRule, repeats } from "../../domain/route.ts";
import { loadWorkflow } from "../load.ts";
import { gatesOf } from "./exits.ts";

const names = ["a", "b", "c"] as const;
const maybe = <T>(value: fc.Arbitrary<T>) => fc.option(value, { nil: undefined, freq: 2 });
/** Mostly what will load; now and then what must not. */
const mostly = <T, U>(usual: fc.Arbitrary<T>, wrong: fc.Arbitrary<U>) =>
  fc.oneof({ arbitrary: usual, weight: 6 }, { arbitrary: wrong, weight: 1 });
const on = fc.oneof(
  fc.constantFrom("next", "fail", "gate"),
  fc.nat(2).map((far) => ({ go_to: far })),
);
const back = fc.oneof(
  fc.constant({ again: true }),
  fc.nat(2).map((far) => ({ back_to: far })),
  fc.nat(2).map((far) => ({ insert: [far] })),
  fc.nat(2).map((far) => ({ insert: [far], before: far })),
);
const plain = fc.oneof(on, back);
const deadline = mostly(fc.constantFrom("yes", "stop"), fc.constantFrom("no", "again", "continue")).map((then) => ({
  after: "1h",
  then,
}));
const options = fc.record({
  yes: mostly(on, back),
  no: fc.oneof(plain, fc.record({ default: plain, unclear: plain })),
  stop: plain,
});
const ask = fc.record({
  gate: fc.constant("?"),
  options: mostly(options, fc.constant(undefined)),
  deadline: maybe(deadline),
});
const end = maybe(mostly(fc.oneof(fc.constantFrom("fail", "gate"), ask, on), back));
const limited = mostly(
  fc.oneof(
    on,
    fc.record({ route: back, at_most: fc.nat(2), then: end }).map(({ route, ...limit }) => ({ ...route, ...limit })),
  ),
  back,
);
const budget = fc.record({ at_most: mostly(fc.nat(2), fc.constant(undefined)), usd: maybe(fc.constant(1)), then: end });
const says = fc.record({
  passed: mostly(fc.constant("next"), plain),
  rejected: fc.oneof(limited, ask),
});
const step = fc.oneof(
  fc.record({ agent: fc.constant("dev"), on: maybe(says), budget: maybe(budget) }),
  fc.record({
    agent: fc.constant("dev"),
    decide: fc.constant("k"),
    on: fc.record({ x: limited, y: limited }),
    budget: maybe(budget),
  }),
  ask,
);
const named = (steps: readonly object[]) =>
  steps.map((each, index) => ({ id: names[index], ...(aimed(each, index, steps.length) as object) }));
const stories = fc
  .record({ body: fc.array(step, { minLength: 1, maxLength: 3 }), story_budget: maybe(budget) })
  .map(({ body, ...rest }) => ({ stories: {}, body: named(body), ...rest }));
const chain = fc
  .array(fc.oneof({ arbitrary: step, weight: 4 }, { arbitrary: stories, weight: 1 }), { minLength: 1, maxLength: 3 })
  .map(named);

/** Targets as distances become names on the right side; where there is none, the route is `again` or `next`. */
function aimed(value: unknown, index: number, length: number): unknown {
  if (typeof value !== "object" || value === null) return value;
  const entries = Object.entries(value).map(([key, item]): [string, unknown] => {
    if (key === "go_to")
      return index + 1 < length ? [key, names[Math.min(length - 1, index + 1 + item)]] : ["next", true];
    if (key === "before") return index === 0 ? ["again", true] : [key, names[Math.max(0, index - 1 - item)]];
    if (key !== "back_to" && key !== "insert") return [key, key === "body" ? item : aimed(item, index, length)];
    if (index === 0) return ["again", true];
    return key === "insert" ? [key, [names[index - 1]]] : [key, names[Math.max(0, index - 1 - item)]];
  });
  return Object.fromEntries(entries);
}

const tooMany = 2_000;

/** Stubborn agents say the same each time, questions are left to their deadlines, limits count for ever. */
function play(steps: readonly StepDefinition[], owner: StoriesStep | null, said: readonly number[]): number {
  const used = new Map<string, number>();
  let moves = 0;
  for (let index = 0; index < steps.length && moves < tooMany; moves++) {
    const step = steps[index];
    if (step?.kind === "stories") moves += play(step.body, step, said.slice(names.length));
    const route = settled(step, (rules) =>
      permitted(rules[(said[index] ?? 0) % rules.length], `${index}`, step, owner, used),
    );
    if (route === null || route.to === "fail") return moves;
    const name = route.to === "back_to" || route.to === "go_to" ? route.step : placeOf(route);
    if (name !== null) index = steps.findIndex((other) => other.name === name);
    else if (route.to === "next") index += 1;
  }
  return moves;
}

/** Where an insertion goes on; null: at the step itself. */
function placeOf(route: Route): string | null {
  return route.to === "insert" ? (route.before ?? null) : null;
}

type Rule = readonly [string, RouteRule | undefined];

/** The route that is followed in the end; null where a person is waited for. */
function settled(step: StepDefinition | undefined, pick: (rules: readonly Rule[]) => Route): Route | null {
  if (!step || step.kind === "stories") return { to: "next" };
  let asked = step.kind === "gate" ? step : pick([...Object.entries(step.on), ["error", step.onError]]);
  for (;;) {
    if ("to" in asked && asked.to !== "gate") return asked;
    const next: Route | undefined = asked.deadline && asked.options[asked.deadline.option];
    if (!next) return null;
    asked = next;
  }
}

function permitted(
  rule: Rule | undefined,
  at: string,
  step: StepDefinition | undefined,
  owner: StoriesStep | null,
  used: Map<string, number>,
): Route {
  const [key, chosen] = rule ?? ["", undefined];
  if (!chosen) throw new Error("a verdict without a rule");
  const { route, limit } = chosen;
  if (!repeats(route)) return route;
  const budget = key !== "error" && step?.kind === "agent" ? step.budget : null;
  const limits: [string, Limit][] = [];
  if (limit) limits.push([`${at} ${key}`, limit]);
  if (budget) limits.push([`${at} all`, budget]);
  if (limits.length === 0 && owner) limits.push(["story", owner.storyBudget]);
  const reached = limits.find(([name, { atMost }]) => (used.get(name) ?? 0) >= atMost);
  if (reached) return reached[1].then;
  for (const [name] of limits) used.set(name, (used.get(name) ?? 0) + 1);
  return route;
}

function fileOf(steps: readonly object[]): string {
  return stringify({ pawl: 1, id: "x", agents: { dev: {} }, steps }, { aliasDuplicateObjects: false });
}

function load(steps: readonly object[]): Definition | null {
  return loadWorkflow(fileOf(steps), "w.yml").definition;
}

/** The same chain as an included workflow behind a step. */
function loadIncluded(steps: readonly object[]): Definition | null {
  const text = fileOf([
    { id: "first", agent: "dev" },
    { id: "one", workflow: "./part.yml" },
  ]);
  const find = () => ({ file: "/part.yml", text: fileOf(steps), roleFolder: "" });
  return loadWorkflow(text, "/w.yml", [], { find }).definition;
}

test("[WF21 WF40 WF43 WF48] what loads comes to an end, whatever is said and as long as nobody answers", () => {
  let loaded = 0;
  let deepest = 0;
  fc.assert(
    fc.property(chain, fc.array(fc.nat(11), { minLength: 6, maxLength: 6 }), (steps, said) => {
      const definition = load(steps);
      if (!definition) return;
      loaded++;
      const moves = play(definition.steps, null, said);
      deepest = Math.max(deepest, moves);
      expect(moves).toBeLessThan(tooMany);
    }),
    { numRuns: rounds({ usual: 700, all: 1_000 }), seed: 11 },
  );
  expect(loaded).toBeGreaterThan(300);
  expect(deepest).toBeGreaterThan(8);
});

test("[WF20 WF43 WF45] what loads has a route for each verdict, and answers to each question", () => {
  fc.assert(
    fc.property(chain, (steps) => {
      const all = load(steps)?.steps.flatMap((each) => (each.kind === "stories" ? [each, ...each.body] : [each])) ?? [];
      const wanted = all.flatMap((each) => {
        if (each.kind !== "agent") return [];
        const verdicts = each.decide === null ? (["passed", "rejected"] as const) : (["=x", "=y"] as const);
        return verdicts.filter((verdict) => each.on[verdict] === undefined);
      });
      const asked = all.flatMap(gatesOf);
      expect(wanted).toEqual([]);
      expect(asked.filter((gate) => Object.keys(gate.options).length === 0)).toEqual([]);
      expect(asked.filter(({ deadline: limit, options: answers }) => limit && !answers[limit.option])).toEqual([]);
    }),
    { numRuns: rounds({ usual: 150, all: 500 }), seed: 12 },
  );
});

test("[IN1 IN2 WF21] what loads by itself loads as an included workflow, and comes to an end", () => {
  let loaded = 0;
  fc.assert(
    fc.property(chain, fc.array(fc.nat(11), { minLength: 6, maxLength: 6 }), (steps, said) => {
      const definition = loadIncluded(steps);
      expect(definition === null).toBe(load(steps) === null);
      if (!definition) return;
      loaded++;
      const spread = definition.steps.map((_, index) => said[index % said.length] ?? 0);
      expect(play(definition.steps, null, spread)).toBeLessThan(tooMany);
    }),
    { numRuns: rounds({ usual: 250, all: 400 }), seed: 13 },
  );
  expect(loaded).toBeGreaterThan(100);
});
