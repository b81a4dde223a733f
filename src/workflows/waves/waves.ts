// Lowers waves: steps that follow each other and do not need each other become one step with a part for each. Only where the protocol
// of the file forms waves. What is inserted forms them as the chain does.

import type { AgentStep, StepDefinition } from "../../domain/definition.ts";
import { isSafeId, partName, type StepName, stepName } from "../../domain/ids.ts";
import { mostParts, type PartDefinition } from "../../domain/part.ts";
import type { Route } from "../../domain/route.ts";
import { answers } from "../check/exits.ts";
import { type Reading, refuse } from "../document/reading.ts";
import { copied, mapRoutes } from "./map-routes.ts";

type Group = readonly AgentStep[];

/** Bodies, too. */
export function groupWaves(reading: Reading, steps: readonly StepDefinition[]): readonly StepDefinition[] {
  const inner = steps.map((step) =>
    step.kind === "stories" ? copied(reading, step, { ...step, body: groupWaves(reading, step.body) }) : step,
  );
  const waves = new Waves(reading, inner);
  return waves.isEmpty ? inner : waves.chain();
}

/** The waves of one chain, and of what its routes insert. */
class Waves {
  readonly #reading: Reading;
  readonly #steps: readonly StepDefinition[];
  /** The waves of the chain itself, by the name of their first step. */
  readonly #own = new Map<string, Group>();
  /** By the names of its steps. */
  readonly #names = new Map<string, StepName>();
  readonly #inserted: Group[] = [];
  /** Steps that a route inserts alone. */
  readonly #alone = new Set<StepName>();

  constructor(reading: Reading, steps: readonly StepDefinition[]) {
    this.#reading = reading;
    this.#steps = steps;
    for (const group of groupsIn(steps.filter(({ spare }) => spare !== true))) {
      if (!isWave(group)) continue;
      this.#own.set(group[0]?.name ?? "", group);
      this.#nameOf(group);
    }
    for (const step of steps)
      mapRoutes(reading, step, (route) => (route.to === "insert" ? this.#insert(route) : route));
  }

  get isEmpty(): boolean {
    return this.#names.size === 0;
  }

  chain(): readonly StepDefinition[] {
    const inWaves = new Set([...this.#own.values()].flat().map(({ name }) => name));
    const grouped = new Set([...inWaves, ...this.#inserted.flat().map(({ name }) => name)]);
    const chain = this.#steps.flatMap((step): readonly StepDefinition[] => {
      const own = this.#own.get(step.name);
      const wave = own === undefined ? [] : [this.#wave(own)];
      const isLeft = !inWaves.has(step.name) && (step.spare !== true || !grouped.has(step.name));
      if (isLeft) return [this.#mapped(step)];
      return this.#alone.has(step.name) ? [...wave, this.#mapped({ ...step, spare: true }, step)] : wave;
    });
    const spare = this.#inserted.map((group) => this.#wave(group, true));
    return [...chain, ...spare];
  }

  /** The waves of a list of inserted steps. */
  #insert(route: Route & { readonly to: "insert" }): Route {
    const listed = route.steps.flatMap((name) => this.#steps.find((step) => step.name === name) ?? []);
    if (listed.length < route.steps.length) return route;
    const steps = groupsIn(listed).map((group) => {
      if (isWave(group)) return this.#nameOf(group, true);
      const name = group[0]?.name ?? stepName("");
      this.#alone.add(name);
      return name;
    });
    return { ...route, steps };
  }

  #nameOf(group: Group, isInserted = false): StepName {
    const key = keyOf(group);
    const known = this.#names.get(key);
    if (known !== undefined) return known;
    const taken = new Set<string>([...this.#steps.map(({ name }) => name), ...this.#names.values()]);
    const name = freeName(group, taken);
    this.#names.set(key, name);
    if (isInserted) this.#inserted.push(group);
    return name;
  }

  #wave(group: Group, spare = false): StepDefinition {
    const [first] = group;
    if (first === undefined) throw new Error("a wave has no steps");
    const wave = { ...waveOf(group, this.#nameOf(group)), ...(spare ? { spare } : {}) };
    return this.#mapped(wave, first);
  }

  #mapped<T extends StepDefinition>(step: T, origin: StepDefinition = step): T {
    const mapped = mapRoutes(this.#reading, step, (route) => this.#led(step, route));
    return copied(this.#reading, origin, mapped);
  }

  #led(step: StepDefinition, route: Route): Route {
    if (route.to === "insert") {
      const { before } = route;
      return { ...this.#insert(route), ...(before === undefined ? {} : { before: this.#target(step, route, before) }) };
    }
    if (route.to !== "go_to" && route.to !== "back_to") return route;
    const target = this.#target(step, route, route.step);
    return target === route.step ? route : { ...route, step: target };
  }

  /** A wave is entered at its first step: the others run beside it. */
  #target(step: StepDefinition, route: Route, name: StepName): StepName {
    const own = this.#own.get(name);
    if (own !== undefined) return this.#nameOf(own);
    const around = [...this.#own.values()].find((group) => group.some((each) => each.name === name));
    if (around === undefined) return name;
    const first = around[0]?.name ?? "";
    const path = this.#reading.origins.get(route) ?? this.#reading.origins.get(step) ?? [];
    refuse(this.#reading, path, {
      message: `Step '${step.name}': '${name}' runs in one wave with '${first}', so nothing leads to it alone`,
      expected: `'${first}', or a step that is in no wave`,
      hint: `write \`dependent: true\` on '${name}' if it needs what '${first}' does`,
    });
    return name;
  }
}

/** The steps in their order; those that may run at once are together. */
function groupsIn(steps: readonly StepDefinition[]): readonly (readonly StepDefinition[])[] {
  const groups: StepDefinition[][] = [];
  for (const step of steps) {
    const last = groups.at(-1);
    const before = last?.at(-1);
    const joins = last !== undefined && before !== undefined && last.length < mostParts && mayRunBeside(step, before);
    if (joins && !last.some(({ name }) => name === step.name)) last.push(step);
    else groups.push([step]);
  }
  return groups;
}

function isWave(group: readonly StepDefinition[]): group is Group {
  return group.length > 1 && group.every(isFree);
}

/** Neither needs the other, and both lead to the same places: a wave is one step of its chain, and takes one route. */
function mayRunBeside(step: StepDefinition, before: StepDefinition): boolean {
  if (!isFree(step) || !isFree(before) || step.dependent === true) return false;
  return sharedFields(step) === sharedFields(before);
}

/** Whether it may have a part of a wave: an agent that only does its work. */
function isFree(step: StepDefinition): step is AgentStep {
  if (step.kind !== "agent" || step.parts !== undefined) return false;
  const marks = [step.barrier, step.waits, step.editable, step.mandatory, step.last, step.follows, step.session];
  const ways = [step.if, step.repeatFor, step.entries, step.include, step.budget?.spend];
  if ([...marks, ...ways].some((field) => field !== undefined && field !== false)) return false;
  // What it produces is for steps behind it, and what parts say does not reach the context.
  return step.decide === null && (step.produces ?? []).length === 0 && step.on.passed?.route.to === "next";
}

/** What all parts of a step have in common. The reasons of failures name their step. */
function sharedFields(step: AgentStep): string {
  const { name: _name, title: _title, spare: _spare, dependent: _dependent, ...fields } = step;
  const { agent: _agent, input: _input, reads: _reads, writes: _writes, wallMs: _wallMs, ...shared } = fields;
  return JSON.stringify(shared, (key, value: unknown) => (key === "reason" ? "" : value));
}

function waveOf(group: Group, name: StepName): AgentStep {
  const [first] = group;
  if (first === undefined) throw new Error("a wave has no steps");
  const { reads: _reads, writes: _writes, spare: _spare, dependent: _dependent, ...shared } = first;
  return {
    ...shared,
    name,
    title: group.map(({ title }) => title).join(", "),
    wallMs: Math.max(...group.map(({ wallMs }) => wallMs ?? 0)) || null,
    parts: {
      of: { list: group.map(partFor) },
      need: "all",
      others: "finish",
      ...(rejectsAlone(first) ? { rejected: "alone" } : {}),
    },
  };
}

function partFor({ name, agent, input, reads, writes, wallMs }: AgentStep): PartDefinition {
  return {
    name: partName(name),
    agent,
    input,
    ...(reads === undefined ? {} : { reads }),
    ...(writes === undefined ? {} : { writes }),
    ...(wallMs === null ? {} : { wallMs }),
  };
}

/** Whether a step that did not do its work leads nowhere else: then only its own part of the wave is asked about, or repeated. */
function rejectsAlone({ on }: AgentStep): boolean {
  const rules = Object.entries(on).flatMap(([key, rule]) => (key === "passed" || !rule ? [] : [rule]));
  const routes = rules.flatMap(({ route, limit }) => [route, ...(limit ? [limit.then] : [])]);
  const asked = routes.flatMap((route) =>
    route.to === "gate" ? answers(route.options).map((exit) => exit.route) : [],
  );
  return [...routes, ...asked].every(({ to }) => to === "again" || to === "gate" || to === "fail" || to === "next");
}

function keyOf(group: Group): string {
  return group.map(({ name }) => name).join(" ");
}

/** `lint-and-audit`; a name that would be too long names the first and counts the others. */
function freeName(group: Group, taken: ReadonlySet<string>): StepName {
  const whole = group.map(({ name }) => name).join("-and-");
  const short = `${(group[0]?.name ?? "").slice(0, 40)}-and-${group.length - 1}-more`;
  const name = isSafeId(whole) ? whole : short;
  for (let count = 1; ; count += 1) {
    const free = count === 1 ? name : `${name}-${count}`;
    if (!taken.has(free)) return stepName(free);
  }
}
