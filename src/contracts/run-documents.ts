// Contracts of runs: the status document and the shorter ones that are parts of it.

import { z } from "zod";
import { shownBeforeContract } from "./diff-document.ts";
import { waitsLevel } from "./routes.ts";
import { count, list, object, text, texts, time, usd } from "./shape.ts";

export const runStatus = z.enum(["running", "held", "paused", "done", "failed", "cancelled"]);
export const storyStatus = z.enum(["waiting", "running", "held", "done", "failed", "blocked", "skipped", "cancelled"]);
const stepStatus = z.enum(["waiting", "ready", "running", "held", "done", "failed", "skipped", "cancelled"]);
const gateStatus = z.enum(["open", "answered", "void"]);

/** What one attempt used, or several. Null: no agent said what it used, which is not zero. */
export const usageShape = {
  costUsd: usd.nullable(),
  estimatedUsd: usd.nullable().describe("The part of costUsd that is an estimate."),
  inputTokens: count.nullable().describe("Without those that were read from a cache."),
  cacheReadTokens: count.nullable(),
  outputTokens: count.nullable(),
};

export const unreported = count.describe(
  "Attempts of agents that did not say what they used, or not yet; no sum contains them.",
);

/** What every document says of a run. */
export const runShape = {
  id: text,
  number: count,
  workflow: text,
  task: text,
  status: runStatus,
  repo: text.nullable(),
  startedAt: time,
  endedAt: time.nullable(),
};

export const runContract = object({
  ...runShape,
  branch: text.nullable().describe("The branch that has commits of the run. null: none has."),
  driver: text
    .nullable()
    .describe(
      "What moves it now: a process, or agents that pull. null: nothing; `pawl resume` continues a running one.",
    ),
  usage: object({ ...usageShape, unreported }),
}).meta({ id: "RunDocument" });

const partContract = object({
  name: text,
  status: z.enum(["ready", "running", "held", "passed", "rejected", "failed", "stopped"]),
  attempts: count,
  why: text.describe("Why it did not pass, or what it was told. Empty: nothing."),
}).meta({ id: "PartDocument" });

const stepContract = object({
  id: text,
  kind: z.enum(["agent", "command", "integrate", "decision", "gate", "signal", "stories"]),
  name: text.describe("Its name in the workflow. Several steps of a chain may have the same."),
  item: text.exactOptional().describe("The entry of a list that it runs for."),
  include: text.exactOptional().describe("The step with `workflow` that brought it; absent: the file's own step."),
  status: stepStatus,
  attempts: count,
  notes: texts.describe("What a person should know about its last attempt: what it was denied, what was removed."),
  parts: list(partContract).exactOptional().describe("Its parts, once they are open. Absent: it has none."),
}).meta({ id: "StepDocument" });

const storyContract = object({
  id: text,
  title: text,
  status: storyStatus,
  dependsOn: texts,
  attempts: count.describe("The largest number among its steps."),
  slot: count
    .nullable()
    .describe("The tree that it works in. null: it is not at work, or works in the tree of the run."),
  reverted: text.exactOptional().describe("The commit that took its work back. Absent: nothing did."),
  leftOut: z
    .literal(true)
    .exactOptional()
    .describe("A person left it out: it counts as done, and nothing of it is on the base. Absent: nobody did."),
  startedAt: time.nullable().describe("When its first attempt began."),
  costUsd: usageShape.costUsd,
  estimatedUsd: usageShape.estimatedUsd,
  unreported,
  steps: list(stepContract),
}).meta({ id: "StoryDocument" });

const gateShape = {
  id: text,
  step: text,
  part: text.exactOptional().describe("The part of the step that waits. Absent: the whole step does."),
  story: text.nullable(),
  question: text,
  options: texts,
  status: gateStatus,
  cause: z
    .enum(["step", "exhausted", "unreadable", "route", "cap", "asked", "waits", "stopped"])
    .describe(
      "Why it is asked: a gate of the workflow, a used-up limit, an unreadable answer, a route, a cap, an agent, a step that waits before it starts, an attempt that a person stopped.",
    ),
  feedback: text.describe("What the step before it said, or why it was sent here. Empty: nothing."),
  tree: text.nullable().describe("The git tree that is shown. An answer counts only for this tree. null: none."),
  openedAt: time,
  deadline: object({ at: time, option: text }).nullable().describe("The option that is taken if no answer comes."),
};

/** A note that no completed attempt has used. */
const noteContract = object({
  id: text,
  story: text.nullable().describe("The story whose next attempt gets it. null: the next attempt anywhere in the run."),
  part: text.exactOptional().describe("The part of a step that gets it. Absent: any attempt of its run or story."),
  text,
  by: text,
  at: time,
  attempt: text.nullable().describe("The running attempt that has it. null: it waits for the next one."),
}).meta({ id: "NoteDocument" });

const signalContract = object({
  name: text,
  story: text.nullable().describe("The story that waits for it, or that it is for. null: the run's own chain."),
  step: text.nullable().describe("The step that waits for it. null: it is kept for a step that is not reached."),
  status: z.enum(["awaited", "kept"]),
  at: time.describe("Since when the step waits, or when the signal came."),
  deadline: time.nullable(),
}).meta({ id: "SignalDocument" });

const gateContract = object(gateShape).meta({ id: "GateDocument" });

const unfinished = texts.describe("What Pawl could not finish after the end of the run, and why. Empty: nothing.");
const closing = texts.describe("What people should know of its closing, such as work that is not on the base.");

export const statusContract = object({
  run: runContract,
  steps: list(stepContract),
  stories: list(storyContract),
  gates: list(gateContract),
  signals: list(signalContract).describe("Signals that steps wait for, and those that came early."),
  waits: waitsLevel.describe("Before which steps the run asks a person."),
  notes: list(noteContract).describe("What people said and no completed attempt has read."),
  unfinished,
  closing,
  why: text.describe("One sentence: what the run is doing, or what it waits for."),
}).meta({ id: "StatusDocument" });

export const runsContract = object({ runs: list(runContract) }).meta({ id: "RunList" });
export const oneRunContract = object({ run: runContract }).meta({ id: "OneRun" });
export const storiesContract = object({ stories: list(storyContract) }).meta({ id: "StoryList" });
export const whyContract = object({
  run: text,
  number: count,
  task: text,
  status: runStatus,
  why: text,
  unfinished,
  closing,
  gates: list(gateContract).describe("The open questions."),
}).meta({ id: "WhyDocument" });
export const addedNoteContract = object({ run: text, number: count, note: noteContract }).meta({ id: "AddedNote" });

export const sentSignalContract = object({
  run: text,
  number: count,
  signal: text,
  story: text.nullable(),
  taken: text.nullable().describe("The step that it woke. null: it is kept until a step waits for it."),
  status: runStatus,
}).meta({ id: "SentSignal" });

export const droppedContract = object({
  run: text,
  number: count,
  story: text.nullable(),
  step: text.nullable().describe("null: the whole story was dropped."),
  as: z.enum(["done", "failed"]),
  ended: z.boolean().describe("true: it has ended. false: its agent is being stopped, and it ends then."),
  status: runStatus,
}).meta({ id: "DroppedDocument" });

export const capsContract = object({
  run: text,
  number: count,
  status: runStatus,
  caps: list(
    object({
      name: z.enum(["attempts", "steps", "wallMs", "costUsd", "tokens"]),
      limit: z.number(),
      used: z.number(),
    }),
  ),
}).meta({ id: "CapsOfRun" });

export const stoppedAttemptContract = object({
  run: text,
  number: count.describe("The number of the run."),
  story: text.nullable(),
  step: text,
  part: text.exactOptional(),
  attempt: count.describe("The 1-based attempt number."),
  ended: z.boolean().describe("true: it has ended. false: its processes are being ended."),
}).meta({ id: "StoppedAttempt" });

export const startedContract = object({ run: object({ id: text, number: count, workflow: text }) }).meta({
  id: "StartedDocument",
});

const openGateContract = object({
  ...gateShape,
  run: text,
  number: count.describe("The number of the run."),
  task: text,
}).meta({ id: "OpenGate" });

/** One question, open or not, with what a person looks at before the answer. */
export const gateViewContract = object({
  ...openGateContract.unwrap().shape,
  runStatus,
  reasons: z
    .record(z.string(), texts)
    .readonly()
    .describe("For each option, the reasons that have a route of their own."),
  base: text.nullable().describe("The commit that the run began from. null: it has no repository."),
  shown: shownBeforeContract
    .nullable()
    .describe("What a person was shown at the gate of this step before. null: this is its first question."),
  answer: object({ option: text, reason: text.nullable(), note: text, by: text, at: time })
    .nullable()
    .describe("The answer that it got, also if it does not apply any more."),
}).meta({ id: "GateView" });

export const gatesContract = object({ gates: list(openGateContract) }).meta({ id: "GateList" });

export const answerContract = object({ gate: text, option: text, run: text, status: runStatus.nullable() }).meta({
  id: "AnswerDocument",
});

export const attemptOutcome = z.enum([
  "completed",
  "failed",
  "timed_out",
  "lost",
  "cancelled",
  "rate_limited",
  "invalid_output",
]);

export const logsContract = object({
  attempts: list(
    object({
      story: text.nullable(),
      step: text,
      part: text.exactOptional().describe("The part of the step. Absent: the whole step."),
      attempt: count.describe("The 1-based attempt number."),
      executor: text,
      startedAt: time,
      phase: z.enum(["dispatched", "started", "stopping", "ended"]),
      outcome: attemptOutcome.nullable(),
      why: text,
      notes: texts.describe("What a person should know about it: what it was denied, what was removed."),
      file: text.describe("What the agent printed."),
      workspace: text.nullable().describe("The directory that it works in. null: it has not begun, or has none."),
      session: text.nullable(),
      open: text.nullable().describe("The command that opens the session of the agent."),
    }),
  ),
}).meta({ id: "LogList" });

export const storyPlanContract = object({
  run: text,
  number: count,
  changed: texts.describe("The stories that were added, changed or moved."),
  order: texts.describe("The stories that have not started, in the order in which they start if nothing holds them."),
  status: runStatus,
}).meta({ id: "StoryPlan" });

export type StoryPlan = z.infer<typeof storyPlanContract>;

export const revertContract = object({
  run: text,
  number: count,
  story: text,
  commit: text.describe("The commit that was taken back."),
  by: text.describe("The commit that takes it back."),
  on: text.describe("The branch that has it."),
  dependents: texts.describe("Stories that depend on it."),
  notes: texts,
}).meta({ id: "RevertDocument" });

export type RevertDocument = z.infer<typeof revertContract>;
export type RunDocument = z.infer<typeof runContract>;
export type PartDocument = z.infer<typeof partContract>;
export type StepDocument = z.infer<typeof stepContract>;
export type StoryDocument = z.infer<typeof storyContract>;
export type GateDocument = z.infer<typeof gateContract>;
export type CapsOfRun = z.infer<typeof capsContract>;
export type StoppedAttempt = z.infer<typeof stoppedAttemptContract>;
export type SignalDocument = z.infer<typeof signalContract>;
export type SentSignal = z.infer<typeof sentSignalContract>;
export type DroppedDocument = z.infer<typeof droppedContract>;
export type NoteDocument = z.infer<typeof noteContract>;
export type AddedNote = z.infer<typeof addedNoteContract>;
export type StatusDocument = z.infer<typeof statusContract>;
export type RunList = z.infer<typeof runsContract>;
export type WhyDocument = z.infer<typeof whyContract>;
export type OpenGate = z.infer<typeof openGateContract>;
export type GateView = z.infer<typeof gateViewContract>;
export type GateList = z.infer<typeof gatesContract>;
export type AnswerDocument = z.infer<typeof answerContract>;
export type LogList = z.infer<typeof logsContract>;
