// The contract of events: one for each type of event in domain/event.ts. `pawl events --json`, `--events` and the library emit
// them. Tokens and the definition of the run are left out.

import { z } from "zod";
import type { Json } from "../domain/report.ts";
import { caps, gateOptions, placedSteps, routeTarget, verdict, waitsLevel } from "./routes.ts";
import { runStatus, storyStatus } from "./run-documents.ts";
import { count, list, milliseconds, object, text, textMap, texts, time } from "./shape.ts";

const usage = object({
  costUsd: z.number(),
  inputTokens: z.number(),
  outputTokens: z.number(),
  cacheReadTokens: z.number().exactOptional(),
  estimatedUsd: z.number().exactOptional(),
});

const place = object({
  repo: text.nullable(),
  kind: z.enum(["worktree", "in_place", "directory"]),
  base: text.nullable(),
  baseName: text.nullable(),
  branch: text.nullable(),
  baseAt: text.exactOptional(),
  shared: text.exactOptional(),
  source: text.exactOptional(),
});

const newSteps = list(object({ name: text, description: text }));
const reason = text;
const editOperation = z.union([
  object({ op: z.literal("insert"), after: text, steps: newSteps, reason }),
  object({ op: z.literal("insert"), before: text, steps: newSteps, reason }),
  object({ op: z.literal("replace"), step: text, steps: newSteps, reason }),
  object({ op: z.literal("skip"), step: text, reason }),
  object({ op: z.literal("reorder"), order: texts, reason }),
  object({ op: z.literal("amend"), step: text, description: text, reason }),
  object({ op: z.literal("restart"), step: text, description: text, reason }),
]);

export const chainLine = object({ id: text, name: text, status: text, description: text }).meta({ id: "ChainLine" });

const outcome = z.enum(["completed", "failed", "timed_out", "lost", "cancelled", "rate_limited", "invalid_output"]);

const taken = object({
  key: z
    .templateLiteral(["rejected:", z.string()])
    .or(z.templateLiteral(["=", z.string()]))
    .or(z.enum(["passed", "rejected", "error", "error:failed", "error:timed_out", "unreadable", "edit", "asked"])),
  to: routeTarget,
  draws: z.enum(["edge", "decision", "story"]).nullable(),
});

const partEnd = z.union([
  object({ status: z.literal("passed") }),
  object({ status: z.literal("rejected"), reason: text.nullable(), feedback: text }),
  object({ status: z.literal("failed"), reason }),
  object({ status: z.literal("stopped"), reason }),
]);

const openedGate = object({
  id: text,
  story: text.nullable(),
  step: text,
  part: text.exactOptional().describe("The part of the step that waits for the answer. Absent: the whole step does."),
  visit: count,
  question: text,
  options: gateOptions,
  cause: z.enum(["step", "exhausted", "unreadable", "route", "cap", "asked", "waits", "stopped", "signal"]),
  signal: text.exactOptional().describe("The signal that answers it, in place of a person."),
  feedback: text,
  said: text.exactOptional().describe("What the step before it said."),
  tree: text.nullable(),
  openedAt: milliseconds,
  deadline: object({ at: milliseconds, option: text }).nullable(),
});

const json: z.ZodType<Json> = z
  .lazy(() =>
    z.union([text, z.number(), z.boolean(), z.null(), z.array(json).readonly(), z.record(z.string(), json).readonly()]),
  )
  .meta({ id: "Json" });
export const facts = z.record(z.string(), json).readonly();

const storySpec = object({
  id: text,
  title: text,
  description: text,
  acceptanceCriteria: texts,
  dependsOn: texts,
  priority: z.number().exactOptional(),
  touches: texts.exactOptional(),
  byPerson: z.literal(true).exactOptional().describe("A person added or changed it by a command."),
  context: textMap.exactOptional().describe("Keys of its context from the start."),
});

const adoptedStep = object({
  id: text,
  name: text,
  description: text,
  state: z.enum(["waiting", "done", "failed", "skipped"]),
  reason: text,
  notes: text,
  restarts: z.number(),
  attempts: z.number().exactOptional(),
});

const changeInFile = {
  file: text.describe("Its name in the folder of the protocol."),
  field: text.nullable().describe("null: the file as a whole."),
  value: json.exactOptional().describe("What it said. Absent: it was gone, or too much to repeat."),
  why: text.describe("What became of it, in words."),
};

const item = object({ value: text, number: count, of: count, first: text, include: text.exactOptional() });
const placedCopy = object({ id: text, name: text, description: text.exactOptional(), item });

function event<Type extends string, Shape extends z.ZodRawShape>(type: Type, shape: Shape) {
  return object({
    seq: count.describe("The position in the log of the run, from 1."),
    at: time,
    type: z.literal(type),
    author: text.describe("driver, engine, agent:NAME or user:NAME."),
    story: text.nullable().describe("The story that it happened in. null: the run itself."),
    ...shape,
  });
}

const step = text;
const attempt = text;
const steps = texts;
const notes = texts;

export const eventContract = z
  .discriminatedUnion("type", [
    event("run_started", {
      run: text,
      task: text,
      place,
      executor: text.nullable(),
      waits: waitsLevel.exactOptional(),
      context: textMap,
      given: texts,
      caps,
      chain: placedSteps,
    }),
    event("run_paused", {}),
    event("run_resumed", {}),
    event("executor_changed", { executor: text }),
    event("waits_changed", { waits: waitsLevel }),
    event("closing_noted", { notes: texts.describe("What people should know of the closing of a run that is over.") }),
    event("run_ended", { status: runStatus.extract(["done", "failed", "cancelled"]), reason }),
    event("run_reopened", {}),
    event("caps_raised", { caps }),
    event("limits_renewed", { of: text.nullable(), part: text.exactOptional() }),
    event("step_readied", {
      step,
      notBefore: milliseconds,
      pauseMs: milliseconds.exactOptional(),
      feedback: text.nullable(),
    }),
    event("step_opened", {
      step,
      round: object({
        needed: z.number().nullable().describe("How many stories of the run must be done. null: all."),
        without: texts.describe(
          "Stories that failed, were blocked or were stopped before: they are none of this round.",
        ),
      }).exactOptional(),
    }),
    event("parts_opened", { step, parts: texts, keeps: texts.exactOptional() }),
    event("part_readied", {
      step,
      part: text,
      notBefore: milliseconds,
      pauseMs: milliseconds,
      feedback: text.nullable(),
    }),
    event("part_ended", { step, part: text, end: partEnd, said: textMap.exactOptional(), notes: text.exactOptional() }),
    event("join_opened", { step }),
    event("join_refused", { step, part: text, files: texts, feedback: text }),
    event("parts_ended", { step, verdict, taken }),
    event("outputs_set", { step, set: textMap, cleared: texts, notes: text.exactOptional() }),
    event("step_done", { step, feedback: object({ to: text, text }).exactOptional() }),
    event("step_failed", { step, reason }),
    event("step_cancelled", { step }),
    event("step_dropping", {
      step,
      as: z.enum(["done", "failed", "stopped"]).describe("stopped: its story is not needed any more."),
      reason,
      whole: z.boolean().describe("true: its whole story is dropped or stopped."),
    }),
    event("steps_reset", {
      steps,
      cleared: texts,
      keeps: text.nullable(),
      feedback: object({ steps, text }),
      keepsParts: z.literal(true).exactOptional(),
      reason,
    }),
    event("steps_skipped", {
      steps,
      by: z.enum(["route", "edit", "list"]),
      reason,
      feedback: object({ to: text, text }).exactOptional(),
    }),
    event("steps_inserted", {
      before: text.nullable(),
      steps: placedSteps,
      feedback: text.exactOptional(),
      asks: text.exactOptional(),
      asked: text.exactOptional(),
    }),
    event("items_taken", { step, key: text, item, steps: texts, after: text, copies: list(placedCopy) }),
    event("steps_removed", { steps }),
    event("steps_reordered", { order: texts }),
    event("step_amended", { step, description: text }),
    event("chain_edited", {
      by: text.nullable(),
      operation: editOperation,
      added: placedSteps,
      before: list(chainLine),
      after: list(chainLine),
      notes,
    }),
    event("edit_refused", { by: text, why: text, notes }),
    event("attempt_dispatched", {
      attempt,
      step,
      name: text,
      part: text.exactOptional().describe("The part of the step that it performs. Absent: the whole step."),
      visit: count,
      number: count,
      driver: z.enum(["push", "pull"]),
      executor: text,
      host: text,
    }),
    event("attempt_began", { attempt, workspace: text.nullable(), base: text.nullable() }),
    event("attempt_stopping", { attempt, reason }),
    event("attempt_ended", {
      attempt,
      outcome,
      verdict: verdict.nullable(),
      taken: taken.nullable(),
      why: text,
      discards: z.boolean(),
      notes,
      usage,
      session: text.nullable(),
      model: text.nullable().exactOptional(),
      version: text.nullable().exactOptional(),
      tree: text.nullable(),
      facts: facts.exactOptional().describe("What is known of it, however it ended: outputs, checks, changed files."),
    }),
    event("notes_delivered", {
      attempt,
      notes: texts,
      to: object({ step, part: text, others: texts }).exactOptional(),
    }),
    event("report_refused", { attempt, why: text }),
    event("gate_opened", { gate: openedGate }),
    event("gate_answered", { gate: text, option: text, reason: text.nullable(), note: text, took: routeTarget }),
    event("gate_shown", { gate: text, tree: text.nullable() }),
    event("gate_voided", { gate: text, reason }),
    event("signal_received", {
      signal: text,
      of: text.nullable().describe("The story it is for. null: the run's own chain."),
      outputs: textMap,
    }),
    event("signal_taken", { signal: text, gate: text, step }),
    event("note_added", {
      note: object({
        id: text,
        story: text.nullable(),
        text,
        by: text,
        at: milliseconds,
        now: text.exactOptional().describe("The running attempt whose agent is told."),
      }),
    }),
    event("file_change_adopted", changeInFile),
    event("file_change_refused", changeInFile),
    event("note_withdrawn", { note: text, why: text }),
    event("stories_planned", { stories: list(storySpec), dropped: texts }),
    event("story_opened", { of: text, chain: placedSteps }),
    event("story_adopted", { of: text, chain: list(adoptedStep) }),
    event("story_changed", {
      of: text,
      status: storyStatus,
      reason,
      slot: count.exactOptional(),
      leftOut: z.literal(true).exactOptional().describe("A person dropped it as done: nothing of it is on the base."),
    }),
    event("story_reverted", { of: text, commit: text, by: text, on: text }),
    event("story_merged", {
      of: text,
      set: textMap,
      collected: z
        .record(z.string(), object({ story: text, same: count, isList: z.boolean(), own: text.exactOptional() }))
        .readonly()
        .exactOptional(),
      said: object({ of: text, values: textMap }).exactOptional(),
    }),
  ])
  .meta({ id: "EventDocument" });

export type EventDocument = z.infer<typeof eventContract>;
