// The documents that `pawl lifecycle … --json` prints.

import { z } from "zod";
import { count, list, object, text, texts, time } from "./shape.ts";

const evidence = list(
  object({
    file: text.describe("As it was named, or from the project's root."),
    place: text.describe("A JSON Pointer, `line N`, or empty for the whole file."),
  }),
);

const phase = z.union([count, text]).nullable().describe("A number where it is one, as in status.json.");

export const lifecycleReadingContract = object({
  verdict: z.enum(["proceed", "fix", "unknown"]).describe("Unknown: a person has to look."),
  why: text,
  evidence,
}).meta({ id: "LifecycleReading" });

export const lifecyclePositionContract = object({
  position: z.enum([
    "brainstorm",
    "init",
    "roadmap",
    "analyze",
    "plan",
    "execute",
    "verify",
    "verify-failed",
    "business-test",
    "review",
    "review-failed",
    "test",
    "test-failed",
    "milestone-audit",
    "complete",
  ]),
  phase,
  milestone: text.nullable().describe("Its id."),
  evidence,
  why: text,
}).meta({ id: "LifecyclePosition" });

const sessionStep = object({
  index: count.describe("Contiguous from 0; it moves when steps are inserted."),
  id: text.describe("Stays the same: PHASE/STEP, with `#N` for visit N."),
  step: text.describe("Its name in the workflow."),
  type: z.enum(["skill", "cli", "decision"]),
  skill: text,
  args: text,
  barrier: z.boolean(),
  status: z.enum(["pending", "running", "completed", "failed", "skipped"]),
  wave: count.nullable(),
  summary: text.nullable(),
  error: text.nullable(),
});

export const lifecycleSessionContract = object({
  session: text
    .nullable()
    .describe("The name of its folder. null: there is none, because nothing is left to do, or nobody agreed."),
  folder: text.nullable(),
  workspace: text.nullable().describe("The folder that its skills work in."),
  run: count.nullable().describe("The number of its run."),
  runId: text.nullable(),
  intent: text,
  status: z.enum(["planned", "running", "paused", "completed"]),
  runStatus: text.nullable().describe("Of the run: held, done, failed …"),
  position: text,
  target: text,
  phase,
  milestone: text.nullable(),
  auto: z.boolean(),
  currentStep: count,
  steps: list(sessionStep),
  stop: object({
    kind: z.enum(["decision", "failed", "unknown", "escalated", "asked"]),
    step: text,
    gate: text,
    question: text,
    feedback: text,
    options: texts,
  })
    .nullable()
    .describe("Why it does not move."),
  codes: list(object({ code: text, at: time, step: text, why: text })).describe(
    "E001 to E006 and W001 to W003, in order.",
  ),
  next: text.nullable().describe("What to type next."),
}).meta({ id: "LifecycleSession" });

export const skillResultContract = object({
  status: z.enum(["completed", "failed"]),
  skill_call: text,
  summary: text,
  artifacts: text,
  error: text,
}).meta({ id: "SkillResult" });

export type LifecycleSession = z.infer<typeof lifecycleSessionContract>;
export type SkillResult = z.infer<typeof skillResultContract>;
export type LifecycleReading = z.infer<typeof lifecycleReadingContract>;
export type LifecyclePosition = z.infer<typeof lifecyclePositionContract>;
