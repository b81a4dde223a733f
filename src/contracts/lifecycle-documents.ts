// The documents that `pawl lifecycle … --json` prints.

import { z } from "zod";
import { list, object, text } from "./shape.ts";

const evidence = list(
  object({
    file: text.describe("As it was named, or from the project's root."),
    place: text.describe("A JSON Pointer, `line N`, or empty for the whole file."),
  }),
);

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
  phase: text.nullable(),
  milestone: text.nullable().describe("Its id."),
  evidence,
  why: text,
}).meta({ id: "LifecyclePosition" });

export type LifecycleReading = z.infer<typeof lifecycleReadingContract>;
export type LifecyclePosition = z.infer<typeof lifecyclePositionContract>;
