// Contracts of `pawl project`: projects that work by the files of `.ai/`.

import { z } from "zod";
import { count, list, object, text, texts } from "./shape.ts";

export const projectInitContract = object({
  root: text,
  name: text,
  level: z.union([z.literal(0), z.literal(1), z.literal(2)]),
  written: texts.describe("Paths in the project."),
  kept: texts.describe("Paths in the project that were there and stay as they were."),
  notes: texts.describe("What a person should do by hand."),
}).meta({ id: "ProjectInit" });

const range = object({ from: count, to: count }).describe("Tokens.");

export const projectBudgetContract = object({
  steps: list(
    object({
      step: text,
      read: range,
      output: range,
      used: object({ attempts: count, read: count, output: count })
        .nullable()
        .describe("The mean of its attempts that reported usage; null: none did."),
      verdict: z.enum(["under", "within", "over"]).nullable(),
    }),
  ),
  story: range.describe("One executor for one story."),
  team: range.describe("Three executors for one story."),
  orchestrator: object({ interaction: range, interactions: range, story: range }),
  stories: list(object({ story: text, tokens: count, verdict: z.enum(["under", "within", "over"]) })).describe(
    "Stories with an attempt that reported usage.",
  ),
}).meta({ id: "ProjectBudget" });

export const projectReadingContract = object({
  story: text.nullable(),
  step: text.nullable(),
  attempt: count.nullable(),
  status: z.enum(["pass", "failing", "needs_human"]).nullable().describe("Null: it cannot be read."),
  reason: text.nullable(),
  tests: object({ pass: count, fail: count, skip: count }).nullable(),
  source: z.enum(["executor_result", "front_matter", "free_text"]),
  notes: texts,
}).meta({ id: "ProjectReading" });

export const projectStoriesContract = object({
  added: texts.describe("Their ids."),
  stories: list(object({ id: text, title: text, dependsOn: texts })).describe("All of the project, in order."),
  notes: texts,
}).meta({ id: "ProjectStories" });

export type ProjectStories = z.infer<typeof projectStoriesContract>;
export type ProjectReading = z.infer<typeof projectReadingContract>;
export type ProjectBudget = z.infer<typeof projectBudgetContract>;
