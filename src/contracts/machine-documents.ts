// Contracts of `pawl executor`, `pawl doctor`, `pawl init` and `pawl schema`: what this machine and this repository have.

import { z } from "zod";
import { count, list, object, text, texts, time } from "./shape.ts";

const executorShape = {
  name: text,
  kind: text,
  installed: z.boolean(),
  version: text.nullable(),
  problem: text,
  hint: text,
  isDefault: z.boolean(),
};

const executorRow = object({ ...executorShape, sandbox: z.enum(["none", "bwrap", "bwrap, no network"]) }).meta({
  id: "ExecutorRow",
});

export const executorsContract = object({ executors: list(executorRow) }).meta({ id: "ExecutorList" });

export const executorTestContract = object({
  name: text,
  ok: z.boolean(),
  why: text,
  text,
  model: text.nullable(),
  version: text.nullable(),
  usage: object({
    costUsd: z.number(),
    inputTokens: z.number(),
    outputTokens: z.number(),
    cacheReadTokens: z.number().exactOptional(),
    estimatedUsd: z.number().exactOptional(),
  }),
}).meta({ id: "ExecutorTest" });

export const executorReadingContract = object({
  ok: z.boolean(),
  kind: z
    .enum([
      "denied",
      "auth",
      "context",
      "rate_limit",
      "quota",
      "overloaded",
      "server",
      "network",
      "max_turns",
      "max_budget",
      "killed",
      "no_result",
      "aborted",
      "exit",
      "other",
    ])
    .nullable()
    .describe("Why it is not ok."),
  text,
  denials: count,
  usage: object({
    inputTokens: z.number(),
    cacheReadTokens: z.number(),
    outputTokens: z.number(),
    costUsd: z.number().nullable(),
  }),
  resetsAt: time.nullable(),
}).meta({ id: "ExecutorReading" });

export const doctorContract = object({
  ok: z.boolean(),
  findings: list(object({ name: text, needed: z.boolean(), ok: z.boolean(), detail: text, hint: text })),
}).meta({ id: "DoctorDocument" });

export const cleanContract = object({
  dryRun: z.boolean(),
  endedBefore: time,
  runs: list(
    object({
      id: text,
      number: count,
      status: text,
      endedAt: time,
      removed: texts.describe("What is gone, or would go with --dry-run."),
      kept: texts.describe("What stays, and why."),
    }),
  ),
}).meta({ id: "CleanDocument" });

export const trustContract = object({
  repo: text,
  commands: list(object({ key: text, command: text })),
  trusted: z.boolean(),
}).meta({ id: "TrustDocument" });

export const backupContract = object({ file: text, bytes: count, runs: count }).meta({ id: "BackupDocument" });

const problemContract = object({
  run: object({ id: text, number: count }).nullable().describe("null: the database itself."),
  field: text.describe("Where: `header.task`, `event 7`, `offers`."),
  what: text,
});

export const storeCheckContract = object({
  store: text,
  ok: z.boolean(),
  runs: count.describe("Each was replayed from its events."),
  events: count,
  problems: list(problemContract),
}).meta({ id: "StoreCheckDocument" });

export const storeCopyContract = object({
  from: text,
  to: text,
  runs: count.describe("Each was replayed from its events on both sides."),
  open: count.describe("Runs that are not over."),
  events: count,
  tables: list(object({ name: text, rows: count, digest: text.describe("The same on both sides.") })),
  use: text.nullable().describe("What to type so that this home uses the copy; null: it does."),
}).meta({ id: "StoreCopyDocument" });

export const initContract = object({
  repo: text,
  baseBranch: text.nullable(),
  languages: texts,
  tools: texts,
  commands: object({ test: text.nullable(), lint: text.nullable(), types: text.nullable(), setup: texts }),
  localFiles: texts,
  agents: list(object({ ...executorShape, isAbsent: z.boolean() })),
  notes: texts,
  config: object({
    file: text,
    written: z.boolean(),
    kept: text.nullable().describe("Where the file that was there before is now."),
    text: text.exactOptional().describe("Only with --print."),
  }),
  next: texts.describe("What to type next."),
}).meta({ id: "InitDocument" });

export const schemasContract = object({
  version: count,
  documents: list(object({ name: text, summary: text, commands: texts.describe("The commands that print it.") })),
}).meta({ id: "SchemaList" });

export type ExecutorRow = z.infer<typeof executorRow>;
export type ExecutorTest = z.infer<typeof executorTestContract>;
export type ExecutorReading = z.infer<typeof executorReadingContract>;
export type DoctorDocument = z.infer<typeof doctorContract>;
export type CleanDocument = z.infer<typeof cleanContract>;
export type TrustDocument = z.infer<typeof trustContract>;
export type BackupDocument = z.infer<typeof backupContract>;
export type StoreCheckDocument = z.infer<typeof storeCheckContract>;
export type StoreCopyDocument = z.infer<typeof storeCopyContract>;
export type InitDocument = z.infer<typeof initContract>;
export type SchemaList = z.infer<typeof schemasContract>;
