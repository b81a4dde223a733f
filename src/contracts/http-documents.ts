// Contracts of the HTTP API alone, and of `pawl token`. Everything else that the API returns is a document of `--json`.

import { z } from "zod";
import { errorCode } from "./error-document.ts";
import { facts } from "./events.ts";
import { lifecycleSessionContract } from "./lifecycle-documents.ts";
import { doctorContract } from "./machine-documents.ts";
import { dispatchContract, projectSaidContract, projectStatusContract } from "./project-documents.ts";
import { verdict } from "./routes.ts";
import { attemptOutcome, runContract, unreported, usageShape } from "./run-documents.ts";
import { scheduleContract } from "./schedule-documents.ts";
import { count, list, object, text, textMap, texts, time, usd } from "./shape.ts";

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

export const bearerContract = object({
  name: text.describe("What its bearer does is recorded as done by `token:NAME`."),
  role,
  expiresAt: time.nullable().describe("null: it is valid until it is revoked."),
}).meta({ id: "Bearer" });

export const signedInContract = object({
  token: text.describe("The secret, to be sent as `Authorization: Bearer`. It is shown this once."),
  name: text.describe("`pawl token revoke NAME` makes it useless."),
  role,
  expiresAt: time,
}).meta({ id: "SignedIn" });

export const healthContract = object({ ok: z.literal(true) }).meta({ id: "Health" });

export const readyContract = object({ ok: z.literal(true) }).meta({ id: "Ready" });
export const notReadyContract = object({ ok: z.literal(false) }).meta({ id: "NotReady" });

export const openApiContract = z.record(z.string(), z.unknown()).meta({ id: "OpenApiDocument" });

const rowShape = {
  why: text.describe("In a few words: what it is doing or waits for, or why it ended. `GET /runs/RUN/why` says more."),
  step: text.nullable().describe("The step that it is at, or that failed. null: all are over."),
  stories: object({ total: count, done: count, running: count, failed: count }),
  needsYou: count.describe("The open questions."),
  capUsd: usd.nullable().describe("The cap of money. null: the run is done, and no cap counts any more."),
};

const listedRunContract = object({ ...runContract.unwrap().shape, ...rowShape }).meta({ id: "ListedRun" });

export const runPageContract = object({
  runs: list(listedRunContract),
  next: text.nullable().describe("The cursor of the next page. null: this is the last one."),
}).meta({ id: "RunPage" });

const attemptPhase = z.enum(["dispatched", "started", "stopping", "ended"]);

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
  phase: attemptPhase,
  outcome: attemptOutcome.nullable(),
  why: text,
  notes: texts,
  verdict: verdict.nullable().describe("What it said. null: it has not completed."),
  took: text.nullable().describe("The key of the route that it led to. null: none."),
  outputs: textMap.describe("What it set for the steps after it."),
  facts: facts.describe("What else is known of its end: checks, tests, changed files, what it said."),
  usage: object({ ...usageShape, unreported }),
  others: list(
    object({
      id: text,
      attempt: count,
      phase: attemptPhase,
      outcome: attemptOutcome.nullable(),
      verdict: verdict.nullable(),
      startedAt: time,
    }),
  ).describe("All attempts of this step, or of this part of it, oldest first."),
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

const transcriptLine = object({
  kind: z
    .enum(["session", "turn", "text", "call", "result", "denied", "usage", "trouble", "end", "line", "note", "other"])
    .describe("What the agent did. `line`: what it printed is no event. `note`: Pawl says it."),
  tone: z.enum(["plain", "dim", "strong", "good", "bad", "warning", "added", "removed"]),
  text: text.describe("One line, without control characters."),
}).meta({ id: "TranscriptLine" });

export const transcriptPageContract = object({
  attempt: text,
  from: count.describe("Where in the log these lines begin: the `before` of the page before this one."),
  next: count.describe("The `from` of the next page."),
  size: count.describe("The bytes of the log as it is now."),
  ended: z.boolean().describe("The attempt has ended: when `next` is `size`, nothing more comes."),
  hasLog: z.boolean().describe("false: nothing was printed yet, or the log was removed."),
  lines: list(transcriptLine),
  saying: text.describe("The end of the message that the agent is writing now. Empty: none."),
}).meta({ id: "TranscriptPage" });

export const promptContract = object({ attempt: text, prompt: text }).meta({ id: "PromptDocument" });

export const startedRunContract = object({
  run: object({ id: text, number: count, workflow: text }),
  notes: texts.describe("What a person should know about the choices that were made."),
}).meta({ id: "StartedRun" });

export const repositoriesContract = object({
  repositories: list(object({ path: text, isThere: z.boolean().describe("false: the folder is gone.") })),
}).meta({ id: "RepositoryList" });

const accountContract = object({
  account: text,
  cause: z.enum(["quota", "auth"]),
  since: time,
  until: time.describe("It is not tried before, or only after others."),
  times: count.describe("Refusals in a row."),
  why: text,
});

export const accountsContract = object({ accounts: list(accountContract) }).meta({ id: "AccountList" });

const workerContract = object({
  worker: text.describe("In words: `process 4711 on build-2`."),
  life: z
    .enum(["alive", "dead", "unknown"])
    .describe("unknown: it is on another machine, and only what it renews tells."),
  host: text
    .nullable()
    .describe("The machine. null: it is no process of Pawl but an agent that pulls, or nobody any more."),
  pid: count.nullable(),
  since: time.nullable().describe("When the process started. null: it does not live on this machine."),
  heardAt: time.nullable().describe("When it last renewed what it holds. null: it holds it for a fixed time."),
  runs: texts.describe("The runs that it drives."),
  attempts: texts.describe("The attempts that it performs."),
  drives: list(object({ run: text, number: count, task: text })).describe("The first 50 of `runs`."),
  performs: list(
    object({
      attempt: text,
      run: text,
      number: count.describe("The number of the run."),
      story: text.nullable(),
      step: text.describe("The name of the step, with its part."),
      since: time,
    }),
  ).describe("The first 50 of `attempts`."),
});

const queueContract = object({
  queue: text
    .nullable()
    .describe("Its name in pg-boss. null: the store is in a file, and ready steps are in no queue."),
  waiting: count.describe("Ready steps that a worker can take now, without those of paused runs."),
  deferred: count.describe("Ready steps whose time has not come: after a failure, or for an account."),
  active: count.describe("Attempts that are performed."),
  lost: count.describe("Attempts whose worker is dead or not heard of any more, and that nobody has taken over yet."),
  ended: count
    .nullable()
    .describe("What was in the queue in the last day, counted to 10,000. null: nothing is kept of it."),
  waitingSince: time.nullable().describe("Since when the step waits that waits longest. null: none waits."),
  attended: z
    .boolean()
    .describe("false: steps wait, or were lost, and no process that lives drives a run or performs an attempt."),
});

export const queuesContract = object({ queues: list(queueContract) }).meta({ id: "QueueList" });

export const workersContract = object({ workers: list(workerContract) }).meta({ id: "WorkerList" });

const machineContract = object({
  host: text.describe("Its name."),
  guest: z.boolean().describe("Its home is not the one that has the repositories."),
  labels: texts,
  version: text.describe("Of Pawl."),
  heardAt: time,
});

/** What works, what waits for it, and what it cannot use. */
export const workOverviewContract = object({
  machines: list(machineContract).describe("Those with a worker, also an idle one. None where the store is in a file."),
  workers: list(workerContract),
  queues: list(queueContract),
  accounts: list(accountContract).describe("Accounts that refused an agent."),
}).meta({ id: "WorkOverview" });

export const healthDetailsContract = object({
  service: object({
    version: text,
    pid: count,
    startedAt: time,
    streams: count.describe("The open streams."),
  }),
  store: object({
    name: text.describe("The file of the store."),
    bytes: count.nullable().describe("With what is not yet merged into it. null: it is not a file."),
    runs: object({ running: count, held: count, paused: count, done: count, failed: count, cancelled: count }),
  }),
  doctor: doctorContract
    .nullable()
    .describe("As `pawl doctor --json`, at most 30 s old. null: it is not known in time."),
  machines: list(machineContract),
  workers: list(workerContract),
  queues: list(queueContract),
  undriven: list(object({ run: text, number: count, task: text, since: time.describe("Its last event.") })).describe(
    "Running runs that no process drives, the newest first, at most 50.",
  ),
  accounts: list(accountContract).describe("Accounts that refused an agent."),
  schedules: list(scheduleContract),
}).meta({ id: "HealthDetails" });

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
    "DEFECT",
  ]),
  detail: text,
  hint: text,
  details: texts,
}).meta({ id: "Problem" });

export type CreatedToken = z.infer<typeof createdTokenContract>;
export type TokenDocument = z.infer<typeof tokenContract>;
export type TokenList = z.infer<typeof tokensContract>;
export type ListedRun = z.infer<typeof listedRunContract>;
export type Bearer = z.infer<typeof bearerContract>;
export type SignedIn = z.infer<typeof signedInContract>;
export type RunPage = z.infer<typeof runPageContract>;
export type AttemptDocument = z.infer<typeof attemptContract>;
export type LogPage = z.infer<typeof logPageContract>;
export type TranscriptPage = z.infer<typeof transcriptPageContract>;
export type PromptDocument = z.infer<typeof promptContract>;
export type StartedDocument = z.infer<typeof startedRunContract>;
export type RepositoryList = z.infer<typeof repositoriesContract>;
export type HealthDetails = z.infer<typeof healthDetailsContract>;
export type AccountList = z.infer<typeof accountsContract>;
export type MachineDocument = z.infer<typeof machineContract>;
export type WorkerDocument = z.infer<typeof workerContract>;
export type QueueDocument = z.infer<typeof queueContract>;
export type QueueList = z.infer<typeof queuesContract>;
export type WorkOverview = z.infer<typeof workOverviewContract>;
export type WorkerList = z.infer<typeof workersContract>;
export type ProjectList = z.infer<typeof projectsContract>;
export type ProjectMessage = z.infer<typeof projectMessageContract>;
export type SessionList = z.infer<typeof sessionsContract>;
export type LoopStory = z.infer<typeof loopStoryContract>;
export type ProblemDocument = z.infer<typeof problemContract>;
