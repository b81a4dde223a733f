// Turns a part of a chain into an included workflow, as the loader would: its ends are its own, it may have a condition and caps, and
// the keys that other steps ask for are its outputs.

import { type Definition, isPerformed, type StepDefinition } from "../../../src/domain/definition.ts";
import type { Inclusion } from "../../../src/domain/include.ts";
import type { Route } from "../../../src/domain/route.ts";

import { again, ask, fail } from "./workflow.ts";

export const includeId = "inc";
/** What the first step says: one to three lines. */
const listKey = "o_s0";

export interface IncludeShape {
  /** The first of its steps, never the first of the chain, which plans. */
  readonly from: number;
  readonly length: number;
  /** 0–2 none, else it is skipped unless the first step said so. */
  readonly condition: number;
  /** 0–3 none, else how many attempts it may have. */
  readonly attempts: number;
  /** 0–6 none, else what they may spend. */
  readonly spend: number;
  /** 0–3 none, 4–6 it runs for each entry of what the first step said, 7–9 only its first step does. */
  readonly repeat: number;
}

export function withInclude(definition: Definition, shape: IncludeShape): Definition {
  const { steps } = definition;
  const from = 1 + (shape.from % (steps.length - 1));
  const to = from + 1 + (shape.length % 3);
  const isIncluded = (step: StepDefinition, index: number) => index >= from && index < to && step.kind !== "stories";
  const outputs = Object.fromEntries(steps.map(({ name }) => [`o_${name}_vote`, `o_${name}_vote`]));
  const inclusion: Inclusion = { id: includeId, outputs };
  const first = steps.findIndex(isIncluded);
  if (first < 0) return definition;
  const condition = { key: "o_s0_vote", values: shape.condition === 4 ? ["yes", "no"] : ["yes"] };
  const asked = shape.condition < 3 ? {} : { if: condition };
  const repeated = shape.repeat >= 4 && shape.repeat < 7 ? { repeatFor: listKey } : {};
  const entries =
    Object.keys({ ...asked, ...repeated }).length === 0
      ? {}
      : { entries: [{ include: includeId, ...asked, ...repeated }] };
  const alone = shape.repeat < 7 || steps[first]?.kind === "gate" ? {} : { repeatFor: listKey };
  const wallMs = shape.spend > 8 ? 40 : null;
  const budget = {
    attempts: shape.attempts < 4 ? null : shape.attempts - 3,
    then: shape.length > 6 ? ask({ continue: again, stop: fail("stopped") }) : fail(""),
    spend: { costUsd: shape.spend > 6 && wallMs === null ? 0.9 : null, tokens: null, wallMs, hard: true },
  };
  const changed = steps.map((step, index): StepDefinition => {
    if (!isIncluded(step, index)) return step;
    const own = shape.repeat < 4 ? step : withoutFlag(step);
    return {
      ...withOwnEnds(own, shape.from % 2 === 0),
      include: inclusion,
      ...(index === first ? { ...entries, ...alone } : {}),
    };
  });
  const includes = { [includeId]: { workflow: "part", title: "part", budget } };
  return { ...definition, steps: changed, includes };
}

/** What is repeated can be left out when its list is read again, so the loader does not let it be mandatory. */
function withoutFlag(step: StepDefinition): StepDefinition {
  if (!isPerformed(step)) return step;
  const { mandatory: _mandatory, ...others } = step;
  return others;
}

/** Every `end` in it, at any depth, ends the included workflow alone; with `often` also what would jump ahead. */
function withOwnEnds(step: StepDefinition, often: boolean): StepDefinition {
  const isEnd = ({ to }: Partial<Route>) => to === "end" || (often && to === "go_to");
  const own: Route = { to: "end", of: includeId };
  return JSON.parse(JSON.stringify(step, (_, each: unknown) => (isEnd(Object(each)) ? own : each))) as StepDefinition;
}
