// Contracts of `pawl schedule`.

import { z } from "zod";
import { runStatus } from "./run-documents.ts";
import { count, list, object, text, time } from "./shape.ts";

const tickContract = object({
  tick: time.describe("The time that it is about."),
  outcome: z
    .enum(["started", "skipped", "missed", "failed"])
    .describe(
      "skipped: the run before it was not over. missed: it was seen too late. failed: no run could be recorded.",
    ),
  askedBy: text.nullable().describe("The person who asked for a run; null: it was due."),
  run: object({ id: text, number: count }).nullable(),
  missed: count.describe("How many ticks before it were seen too late; 100 stands for more, too."),
  why: text.describe("Why there is no run; empty where there is one."),
});

export const scheduleContract = object({
  id: text,
  workflow: text,
  repo: text,
  executor: text.nullable().describe("null: as configured."),
  state: z
    .enum(["waiting", "running", "paused", "broken"])
    .describe("running: its last run is not over. broken: its workflow or its repository cannot be used."),
  why: text.describe("Why it is broken, or what runs."),
  cron: text,
  zone: text,
  task: text,
  missed: z.enum(["once", "skip"]).describe("One run for ticks that were missed, or none."),
  next: time.nullable().describe("null: it is paused, or its times cannot be read."),
  run: object({ id: text, number: count, status: runStatus })
    .nullable()
    .describe("The run that it started last; null: none, or it was removed."),
  last: tickContract.nullable().describe("What became of the last tick."),
  addedAt: time,
}).meta({ id: "ScheduleDocument" });

export const schedulesContract = object({ schedules: list(scheduleContract) }).meta({ id: "ScheduleList" });

export const removedScheduleContract = object({ id: text, removed: z.boolean() }).meta({ id: "RemovedSchedule" });

export type TickDocument = z.infer<typeof tickContract>;
export type ScheduleDocument = z.infer<typeof scheduleContract>;
export type ScheduleList = z.infer<typeof schedulesContract>;
