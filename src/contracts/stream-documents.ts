// Contracts of the streams of the HTTP API: pages of events, and the messages of streams that are no events.

import type { z } from "zod";
import { eventContract } from "./events.ts";
import { runStatus, usageShape } from "./run-documents.ts";
import { count, list, object, text, time } from "./shape.ts";

const digestContract = object({
  position: count.describe("Of this change among those of all runs. It only grows, and is the id of the message."),
  run: text,
  number: count,
  workflow: text,
  task: text.describe("Its first line, at most 200 characters."),
  status: runStatus,
  why: text.describe("In a few words: what it is doing or waits for, or why it ended."),
  step: text.nullable().describe("The step that it is at, or that failed. null: all are over."),
  needsYou: count.describe("The open questions."),
  costUsd: usageShape.costUsd,
  seq: count.describe("The number of the run's last event."),
  startedAt: time,
  endedAt: time.nullable(),
}).meta({ id: "RunDigest" });

export const eventPageContract = object({
  events: list(eventContract),
  next: count.describe("What the next call gives as `after`."),
}).meta({ id: "EventPage" });

export const digestPageContract = object({
  events: list(digestContract).describe("The runs that changed, each once, as they are now."),
  next: count.describe("What the next call gives as `after`."),
}).meta({ id: "DigestPage" });

export type RunDigest = z.infer<typeof digestContract>;
