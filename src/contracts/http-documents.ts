// Contracts of the HTTP API alone, and of `pawl token`. Everything else that the API returns is a document of `--json`.

import { z } from "zod";
import { errorCode } from "./error-document.ts";
import { lifecycleSessionContract } from "./lifecycle-documents.ts";
import { dispatchContract, projectSaidContract, projectStatusContract } from "./project-documents.ts";
import { attemptOutcome, runContract, unreported, usageShape } from "./run-documents.ts";
import { count, list, object, text, texts, time } from "./shape.ts";

const role = z.enum(["read", "answer", "operate"]);

export const createdTokenContract = object({
  token: text.describe("The secret. It is shown this once."),
  role,
  name: text,
}).meta({ id: "CreatedToken" });

const tokenContract = object({
  name: text,
  role,
  createdAt: time,
  expiresAt: time.nullable(),
  usedAt: time.nullable().describe("When it was last used, to the minute."),
}).meta({ id: "TokenDocument" });

export const revokedTokenContract = tokenContract;
export const tokensContract = object({ tokens: list(tokenContract) }).meta({ id: "TokenList" });

export const healthContract = object({ ok: z.literal(true) }).meta({ id: "Health" });

export const openApiContract = z.record(z.string(), z.unknown()).meta({ id: "OpenApiDocument" });

export const runPageContract = object({
  runs: list(runContract),
  next: text.nullable().describe("The cursor of the next page. null: this is the last one."),
}).meta({ id: "RunPage" });

export const attemptContract = object({
  id: text,
  run: text,
  number: count.describe("The number of the run."),
  story: text.nullable(),
  step: text,
  name: text.describe("The name of the step in the workflow."),
  part: text.exactOptional(),
  attempt: count.describe("The 1-based attempt number."),
  executor: text,
  model: text.nullable(),
  version: text.nullable(),
  startedAt: time,
  endedAt: time.nullable(),
  phase: z.enum(["dispatched", "started", "stopping", "ended"]),
  outcome: attemptOutcome.nullable(),
  why: text,
  notes: texts,
  usage: object({ ...usageShape, unreported }),
  session: text.nullable(),
  open: text.nullable().describe("The command that opens the session of the agent."),
}).meta({ id: "AttemptDocument" });

export const logPageContract = object({
  attempt: text,
  from: count.describe("The first byte of the text."),
  next: count.describe("The `from` of the next page."),
  size: count.describe("The bytes of the log as it is now."),
  ended: z.boolean().describe("The attempt has ended: when `next` is `size`, nothing more comes."),
  text: text.describe("As it was printed, control characters included."),
}).meta({ id: "LogPage" });

export const promptContract = object({ attempt: text, prompt: text }).meta({ id: "PromptDocument" });

export const startedRunContract = object({
  run: object({ id: text, number: count, workflow: text }),
  notes: texts.describe("What a person should know about the choices that were made."),
}).meta({ id: "StartedRun" });

export const accountsContract = object({
  accounts: list(
    object({
      account: text,
      cause: z.enum(["quota", "auth"]),
      since: time,
      until: time.describe("It is not tried before, or only after others."),
      times: count.describe("Refusals in a row."),
      why: text,
    }),
  ),
}).meta({ id: "AccountList" });

export const workersContract = object({
  workers: list(
    object({
      worker: text,
      life: z.enum(["alive", "dead", "unknown"]),
      runs: texts.describe("The runs that it drives."),
      attempts: texts.describe("The attempts that it performs."),
    }),
  ),
}).meta({ id: "WorkerList" });

export const projectsContract = object({
  projects: list(projectStatusContract),
  unreadable: list(object({ root: text, why: text })).describe("Projects whose folder is gone or cannot be read."),
}).meta({ id: "ProjectList" });

export const projectMessageContract = object({
  project: text.describe("The name of the project that was meant."),
  ...projectSaidContract.unwrap().shape,
  continued: dispatchContract.nullable().describe("What `continue` led to; null: the words asked for something else."),
}).meta({ id: "ProjectMessage" });

export const sessionsContract = object({ sessions: list(lifecycleSessionContract) }).meta({ id: "SessionList" });

const loopStoryContract = object({
  id: text,
  runId: text,
  storyIndex: count,
  storyId: text,
  title: text,
  description: text,
  acceptanceCriteria: texts,
  status: z.enum(["pending", "running", "done", "failed"]),
  output: text.exactOptional(),
  retryCount: count,
  maxRetries: count,
}).meta({ id: "LoopStory" });

export const loopStoriesContract = list(loopStoryContract).meta({ id: "LoopStories" });

/** RFC 9457. */
export const problemContract = object({
  type: z.literal("about:blank"),
  title: text,
  status: z.int(),
  code: z.enum([
    ...errorCode.options,
    "UNAUTHENTICATED",
    "FORBIDDEN",
    "MISDIRECTED",
    "MEDIA_TYPE",
    "TOO_LARGE",
    "TOO_MANY",
    "FILES_GONE",
    "DEFECT",
  ]),
  detail: text,
  hint: text,
  details: texts,
}).meta({ id: "Problem" });

export type CreatedToken = z.infer<typeof createdTokenContract>;
export type TokenDocument = z.infer<typeof tokenContract>;
export type TokenList = z.infer<typeof tokensContract>;
export type RunPage = z.infer<typeof runPageContract>;
export type AttemptDocument = z.infer<typeof attemptContract>;
export type LogPage = z.infer<typeof logPageContract>;
export type PromptDocument = z.infer<typeof promptContract>;
export type StartedDocument = z.infer<typeof startedRunContract>;
export type AccountList = z.infer<typeof accountsContract>;
export type WorkerList = z.infer<typeof workersContract>;
export type ProjectList = z.infer<typeof projectsContract>;
export type ProjectMessage = z.infer<typeof projectMessageContract>;
export type SessionList = z.infer<typeof sessionsContract>;
export type LoopStory = z.infer<typeof loopStoryContract>;
export type ProblemDocument = z.infer<typeof problemContract>;
