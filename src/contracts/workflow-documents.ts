// Contracts of `pawl workflow`, `pawl edit`, `pawl step`, `pawl prd` and `pawl scratch`.

import { z } from "zod";
import { definitionContract } from "./definition.ts";
import { chainLine, eventContract } from "./events.ts";
import { runStatus, unreported, usageShape } from "./run-documents.ts";
import { count, list, object, text, texts } from "./shape.ts";

export const workflowsContract = object({
  workflows: list(
    object({ id: text, origin: z.enum(["bundled", "installed"]), title: text, steps: texts.describe("Their names.") }),
  ),
}).meta({ id: "WorkflowList" });

export const workflowContract = object({
  file: text,
  origin: z.enum(["bundled", "installed", "path"]),
  definition: definitionContract,
}).meta({ id: "WorkflowDocument" });

export const figuresContract = object({
  workflow: text,
  runs: object({ running: count, held: count, paused: count, done: count, failed: count, cancelled: count }).describe(
    "All its runs by their status.",
  ),
  counted: count.describe(
    "Of how many runs the steps are counted: the newest ones, at most 1,000 with 10,000 attempts.",
  ),
  steps: list(
    object({
      step: text.describe("Its name in the workflow."),
      attempts: count,
      ended: count,
      passed: count.describe("They completed and did not reject."),
      rejected: count,
      failed: count.describe("They did not complete."),
      medianMs: count.nullable().describe("null: none has ended."),
      costUsd: usageShape.costUsd.describe(
        "Of all attempts, whatever became of them. null: no agent said what it used.",
      ),
      estimatedUsd: usageShape.estimatedUsd,
      lostUsd: usageShape.costUsd.describe("The part of costUsd of attempts that did not pass."),
      unreported,
    }),
  ).describe("In the order in which they first began."),
}).meta({ id: "WorkflowFigures" });

const problemContract = object({
  severity: z.enum(["error", "warning"]),
  file: text.exactOptional().describe("The included file that it is in; absent: the workflow's own file."),
  line: count.describe("From 1."),
  column: count.describe("From 1."),
  path: text.describe("The place in the document: steps[2].on.rejected"),
  message: text,
  expected: text,
  hint: text,
}).meta({ id: "WorkflowProblem" });

export const workflowCheckContract = object({
  file: text,
  ok: z.boolean(),
  problems: list(problemContract),
  notes: texts,
}).meta({ id: "WorkflowCheck" });

export const simulationContract = object({
  status: runStatus,
  unanswered: text.nullable().describe("A step that the script has no answer for."),
  notes: texts.describe("Answers that no question took."),
  path: list(eventContract),
}).meta({ id: "SimulationDocument" });

export const installedContract = object({
  id: text,
  file: text,
  missing: texts.describe("Role files that are missing or outside of the directory."),
}).meta({ id: "InstalledWorkflow" });

export const uninstalledContract = object({ id: text, uninstalled: z.literal(true) }).meta({
  id: "UninstalledWorkflow",
});

export const editContract = object({
  applied: z.boolean(),
  before: list(chainLine),
  after: list(chainLine),
  notes: texts,
}).meta({ id: "EditDocument" });

export const peekContract = object({ hasWork: z.boolean() }).meta({ id: "PeekDocument" });

export const claimContract = z
  .discriminatedUnion("found", [
    object({ found: z.literal(false) }),
    object({
      found: z.literal(true),
      runId: text,
      stepId: text.describe("What `step complete` and `step fail` are given."),
      storyId: text.nullable(),
      attempt: count,
      token: text,
      input: text,
    }),
  ])
  .meta({ id: "ClaimDocument" });

export const reportContract = z
  .discriminatedUnion("accepted", [
    object({ accepted: z.literal(false), why: text }),
    object({
      accepted: z.literal(true),
      advanced: z.boolean(),
      runDone: z.boolean(),
      runFailed: z.boolean(),
      outcome: z
        .enum(["completed", "failed", "timed_out", "lost", "cancelled", "rate_limited", "invalid_output"])
        .nullable(),
      why: text,
    }),
  ])
  .meta({ id: "ReportDocument" });

export const prdCheckContract = object({
  file: text,
  stories: list(
    object({
      id: text,
      title: text,
      dependsOn: texts,
      priority: z.number().nullable(),
      passes: z.boolean(),
      wave: count.describe("Stories of one wave can run at the same time. 0: it passes already."),
    }),
  ),
  needs: object({ attempts: count, steps: count }).describe("What its open stories need if nothing is repeated."),
  caps: object({ attempts: count, steps: count }).describe("What a run of it may use."),
  notes: texts,
}).meta({ id: "PrdCheck" });

export const prdDoneContract = object({ run: z.null(), stories: count, open: count }).meta({ id: "PrdDone" });

export const scratchContract = object({ file: text }).meta({ id: "ScratchDocument" });

export type WorkflowList = z.infer<typeof workflowsContract>;
export type FiguresDocument = z.infer<typeof figuresContract>;
export type WorkflowProblem = z.infer<typeof problemContract>;
export type WorkflowCheck = z.infer<typeof workflowCheckContract>;
export type InstalledWorkflow = z.infer<typeof installedContract>;
export type EditDocument = z.infer<typeof editContract>;
export type ClaimDocument = z.infer<typeof claimContract>;
export type ReportDocument = z.infer<typeof reportContract>;
export type PrdCheck = z.infer<typeof prdCheckContract>;
