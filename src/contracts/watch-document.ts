// The contract of `pawl watch --json`: all runs on one screen, what needs a person first.

import { z } from "zod";
import { runShape } from "./run-documents.ts";
import { count, list, object, text, time, usd } from "./shape.ts";

const watchedAgentContract = object({
  attempt: text,
  story: text.nullable(),
  step: text.describe("With its part: `review (security)`."),
  number: count.describe("The 1-based attempt number."),
  executor: text,
  startedAt: time,
  doing: text.describe("The tool with its file or command, or its last words. Empty: nothing yet."),
  turns: count,
  tokens: count.nullable().describe("Everything that it has used so far. null: it has reported nothing."),
  costUsd: usd.nullable(),
  isPartial: z.boolean().describe("true: its log is long and only its end was read, so amounts are lower bounds."),
}).meta({ id: "WatchedAgent" });

const watchedRunContract = object({
  ...runShape,
  driver: text.nullable(),
  stories: object({ done: count, of: count }),
  costUsd: usd,
  estimatedUsd: usd,
  capUsd: usd.nullable(),
  need: object({
    kind: z.enum(["gate", "failed", "no_driver"]),
    text: text.describe("The question, or why it does not move."),
    gate: text.nullable(),
    options: list(text),
    about: text.describe("What the step before a question said. Empty: nothing."),
  })
    .nullable()
    .describe("What a person should do. null: nothing."),
  agents: list(watchedAgentContract),
}).meta({ id: "WatchedRun" });

export const watchContract = object({
  at: time,
  needsYou: list(watchedRunContract).describe("A run is listed once for each of its questions."),
  working: list(watchedRunContract),
  recent: list(watchedRunContract),
}).meta({ id: "WatchDocument" });

export type WatchedAgent = z.infer<typeof watchedAgentContract>;
export type WatchedRun = z.infer<typeof watchedRunContract>;
export type WatchDocument = z.infer<typeof watchContract>;
