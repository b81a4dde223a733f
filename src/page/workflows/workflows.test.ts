// What the pages of workflows show.

import { expect, test } from "vitest";
import {
  agent,
  atMost,
  backTo,
  fail,
  featureDev,
  gate,
  next,
  workflow,
} from "../../../test/support/engine/workflow.ts";
import type { DefinitionDocument } from "../../contracts/definition.ts";
import type { Definition } from "../../domain/definition.ts";
import { staticChain } from "./static-chain.ts";
import { allRuns, figuredSteps, runShare, type StepFigures } from "./step-figures.ts";

const rowsOf = (definition: Definition) => staticChain(definition as unknown as DefinitionDocument);

test("[PG83] the chain of a workflow has its steps in order, those of stories below their step, and every way back with its limit", () => {
  const rows = rowsOf(featureDev());
  const stories = rows.find(({ isPerformed }) => !isPerformed);
  const inside = rows.filter(({ of }) => of !== null);
  expect(rows.map(({ name }) => name).slice(0, 2)).toEqual(["plan", stories?.name]);
  expect(inside.map(({ of }) => of)).toEqual(inside.map(() => stories?.name));
  expect(rows.indexOf(inside[0] as never)).toBe(rows.indexOf(stories as never) + 1);
  const verify = inside.find(({ name }) => name === "verify");
  expect(verify?.waysBack).toContainEqual({ key: "rejected", to: "implement", limit: expect.any(Number) });
});

test("[PG83] a gate says what it asks; its ways back have no limit, because a person takes each", () => {
  const asks = gate("look", { approve: next, reject: backTo("plan"), drop: fail() });
  const [, row] = rowsOf(workflow([agent("plan", { on: { rejected: atMost(2, backTo("plan")) } }), asks]));
  expect(row).toMatchObject({
    name: "look",
    title: asks.question,
    performedBy: "asks a person",
    waysBack: [{ key: "reject", to: "plan", limit: null }],
  });
});

const figures = (step: string): StepFigures => ({
  step,
  attempts: 2,
  ended: 2,
  passed: 1,
  rejected: 1,
  failed: 0,
  medianMs: 1_000,
  costUsd: 1,
  estimatedUsd: 0,
  lostUsd: 0.5,
  unreported: 0,
});

test("[PG84] figures stand at their step; those of steps that the workflow has no more come last", () => {
  const rows = rowsOf(workflow([agent("plan"), gate("look")]));
  const found = figuredSteps(rows, [figures("old"), figures("plan"), figures("look")]);
  expect(found.map(({ name, row, figures: its }) => [name, row === null, its?.step ?? null])).toEqual([
    ["plan", false, "plan"],
    // A gate has no attempt: what has its name is a step of older runs.
    ["look", false, null],
    ["old", true, "old"],
    ["look", true, "look"],
  ]);
});

test("[PG84] the share of runs that were done leaves out those that are open or were cancelled", () => {
  const runs = { running: 5, held: 1, paused: 1, done: 3, failed: 1, cancelled: 7 };
  expect(runShare(runs)).toEqual({ good: 3, all: 4 });
  expect(runShare({ done: 0, failed: 0 })).toBeNull();
  expect(allRuns(runs)).toBe(18);
});
