// Contracts of `pawl cost`: what one run used, and the list of all runs.

import { z } from "zod";
import { runShape, unreported, usageShape } from "./run-documents.ts";
import { count, list, object, text, time } from "./shape.ts";

const spentShape = { attempts: count, ...usageShape, unreported };
const spentForShape = {
  ...spentShape,
  unpriced: count.describe("Attempts whose tokens have no known price; no sum of money contains them."),
};

const attemptCostContract = object({
  id: text,
  story: text.nullable().describe("null: a step of the run itself."),
  step: text,
  number: count,
  executor: text,
  model: text.nullable(),
  version: text.nullable(),
  outcome: z
    .enum(["completed", "failed", "timed_out", "lost", "cancelled", "rate_limited", "invalid_output"])
    .nullable()
    .describe("null: it has not ended."),
  startedAt: time,
  endedAt: time.nullable(),
  ...usageShape,
  unpriced: z.boolean(),
  unreported: z.boolean().describe("Its numbers are null: its agent did not say what it used, or has not ended."),
}).meta({ id: "AttemptCost" });

export const costContract = object({
  run: object(runShape),
  total: object(spentForShape),
  byExecutor: list(object({ executor: text, ...spentForShape })).describe("The most expensive first."),
  byModel: list(object({ model: text.nullable(), ...spentForShape })),
  byStory: list(object({ story: text.nullable(), ...spentForShape })).describe("null: the steps of the run itself."),
  byStep: list(object({ step: text, ...spentForShape })),
  attempts: list(attemptCostContract),
}).meta({ id: "CostDocument" });

export const costsContract = object({
  runs: list(object({ ...runShape, ...spentShape })),
  total: object(spentShape).describe("Of the runs that are listed."),
  more: z.boolean().describe("Whether there are older runs."),
}).meta({ id: "CostList" });

export type AttemptCost = z.infer<typeof attemptCostContract>;
export type CostDocument = z.infer<typeof costContract>;
export type CostList = z.infer<typeof costsContract>;
