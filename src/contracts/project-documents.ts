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
    "Stories with an attempt that reported usage; one that a team worked on is compared with `team`.",
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

export const projectPromptContract = object({
  story: text,
  step: text,
  attempt: count,
  prompt: text,
}).meta({ id: "ProjectPrompt" });

export const projectRulesContract = object({
  file: text.nullable().describe("The project's own rules; null: it has none."),
  steps: z.record(z.string(), z.record(z.string(), z.json())).readonly(),
  notes: texts,
}).meta({ id: "ProjectRules" });

export const dispatchContract = z
  .discriminatedUnion("type", [
    object({ type: z.literal("dispatched"), step: text, attempt: count, prompt: text.optional() }),
    object({ type: z.literal("blocked"), reason: text }),
    object({ type: z.literal("needs_human"), message: text }),
    object({ type: z.literal("done"), summary: text }),
  ])
  .meta({ id: "ProjectDispatch" });

const stateContract = object({
  project: text,
  story: text.nullable(),
  step: text,
  attempt: count,
  max_attempts: count,
  status: z.enum(["pending", "running", "pass", "failing", "needs_human", "timeout"]),
  reason: text.nullable(),
  dispatched_at: text.nullable(),
  completed_at: text.nullable(),
  timeout_min: z.number(),
  tests: object({ pass: count, fail: count, skip: count }).nullable(),
  failing_tests: texts,
  lint_pass: z.boolean().nullable(),
  files_changed: texts,
  blocked_by: texts,
  human_note: text.nullable(),
}).describe("As STATE.json has it.");

export const projectStatusContract = object({
  root: text,
  level: z.union([z.literal(0), z.literal(1), z.literal(2)]),
  run: count.nullable().describe("The number of the run; null: nothing was started yet."),
  state: stateContract,
  question: text.nullable(),
  options: texts.describe("What may be answered."),
  commands: texts.describe("What a person can type now."),
  done: texts.describe("Stories that are done."),
  next: object({ id: text, title: text }).nullable(),
  report: text.describe("In plain words."),
  notes: texts.describe("What others changed in the files, and what becomes of it."),
}).meta({ id: "ProjectStatus" });

export const projectSaidContract = object({
  action: z.enum(["continue", "status", "retry", "skip", "abort", "stop", "approve", "reject", "unknown"]),
  reply: text,
}).meta({ id: "ProjectSaid" });

export const projectDecidedContract = object({ done: text, report: text }).meta({ id: "ProjectDecided" });

export const projectHookContract = object({ ended: z.boolean(), report: text }).meta({ id: "ProjectHook" });

export const projectTeamHookContract = object({
  blocks: z.boolean().describe("The task stays open, or the teammate goes on."),
  feedback: text.describe("What the teammate reads; empty: there is nothing to say."),
}).meta({ id: "ProjectTeamHook" });

export type ProjectPrompt = z.infer<typeof projectPromptContract>;
export type ProjectRulesDocument = z.infer<typeof projectRulesContract>;
export type ProjectStatus = z.infer<typeof projectStatusContract>;
export type ProjectStories = z.infer<typeof projectStoriesContract>;
export type ProjectReading = z.infer<typeof projectReadingContract>;
export type ProjectBudget = z.infer<typeof projectBudgetContract>;
