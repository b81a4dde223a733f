// Tools for people's own sessions. Owns: what `pawl mcp` offers: start a run, look, answer. Looking and answering are the commands
// of the command line, with the documents that they print.

import { closeSync, existsSync, fstatSync, openSync, readSync } from "node:fs";
import { resolve } from "node:path";
import { z } from "zod";
import { configuredExecutors, knownProtocols } from "../app.ts";
import { AppError } from "../domain/error.ts";
import type { RunId } from "../domain/ids.ts";
import { type Tool, tool } from "../mcp/tool.ts";
import { type Config, tighten } from "../runtime/config/config.ts";
import { beginRun } from "../runtime/runs/start.ts";
import { listWorkflows, openWorkflow } from "../runtime/runs/workflow-library.ts";
import { findHome } from "../system/home.ts";
import { driveInBackground, isDriven } from "./background.ts";
import { documentOf } from "./captured.ts";
import { define as defineAnswer } from "./commands/answer.ts";
import { define as defineCancel } from "./commands/cancel.ts";
import { define as defineGates } from "./commands/gates.ts";
import { define as defineLogs } from "./commands/logs.ts";
import { define as defineRuns } from "./commands/runs.ts";
import { define as defineStatus } from "./commands/status.ts";
import { define as defineWhy } from "./commands/why.ts";
import { define as defineWorkflow } from "./commands/workflow.ts";
import { author, withSession } from "./session.ts";
import { assertExecutors, readContext } from "./starting.ts";

export const peopleInstructions =
  "Pawl runs coding agents through small verified steps, in trees of their own, and goes on when this session ends. `start_run` begins, `status` and `why` tell where it stands, `gates` lists what a person is asked. Answer a gate only with what the person has decided.";

export const peopleTools: readonly Tool[] = [
  tool({
    name: "list_workflows",
    description: "The workflows that can be run: id, title, steps.",
    looks: true,
    input: z.object({}),
    work: async () => told(await documentOf(defineWorkflow, ["workflow", "list"])),
  }),
  tool({
    name: "start_run",
    description:
      "Start a run of a workflow for a task. Agents then work in a tree of their own, in the background; it goes on when this session ends.",
    input: z.object({
      workflow: z.string().describe("An id from list_workflows, such as feature-dev"),
      task: z.string().describe("What should be done, in the user's words"),
      repo: z.string().optional().describe("The git repository; without it, the directory of this session"),
      context: z.record(z.string(), z.string()).optional().describe("Values for the workflow's templates"),
      executor: z.string().optional().describe("A configured executor, or an agent; without it, as configured"),
    }),
    work: async (wish) => told(await startRun(wish)),
  }),
  tool({
    name: "list_runs",
    description: "Runs, the newest first.",
    looks: true,
    input: z.object({ limit: z.int().min(1).max(200).optional() }),
    work: async ({ limit = 20 }) => told(await documentOf(defineRuns, ["runs"], [], { limit: String(limit) })),
  }),
  tool({
    name: "status",
    description:
      "Where a run stands: steps, stories, open gates, what it used, and why it does not move if it does not.",
    looks: true,
    input: z.object({ run: reference("the newest without it").optional() }),
    work: async ({ run }) => told(await documentOf(defineStatus, ["status"], [run])),
  }),
  tool({
    name: "why",
    description: "One sentence: what a run is doing, or what it waits for and what would move it.",
    looks: true,
    input: z.object({ run: reference("the newest without it").optional() }),
    work: async ({ run }) => told(await documentOf(defineWhy, ["why"], [run])),
  }),
  tool({
    name: "logs",
    description: "The attempts of a run, and the end of what the agent of the last one printed.",
    looks: true,
    input: z.object({
      run: reference(),
      step: z.string().optional().describe("Only of this step, or of a story and a step: US-001/verify"),
      tail: z.int().min(1).max(1_000).optional().describe("How many lines; 50 without it"),
    }),
    work: async ({ run, step, tail = 50 }) => told(await logsOf(run, step, tail)),
  }),
  tool({
    name: "gates",
    description: "What people are asked, in all runs, the oldest first.",
    looks: true,
    input: z.object({}),
    work: async () => told(await documentOf(defineGates, ["gates"])),
  }),
  tool({
    name: "answer_gate",
    description:
      "Answer a gate, once. It is a question to the person: ask them first, and answer in their words. The run then goes on.",
    input: z.object({
      gate: z.string().describe("Its id, from gates"),
      option: z.string().describe("One of its options"),
      reason: z.string().optional().describe("Why, in one word, where the gate has routes for reasons"),
      note: z.string().optional().describe("Goes into the next prompt"),
    }),
    work: async ({ gate, option, reason, note }) => told(await answerGate(gate, option, { reason, note })),
  }),
  tool({
    name: "cancel_run",
    description: "Stop a run for good, with its agents. What it has committed stays on its branch.",
    destroys: true,
    input: z.object({ run: reference(), reason: z.string().optional() }),
    work: async ({ run, reason }) => told(await documentOf(defineCancel, ["cancel"], [run], { reason })),
  }),
];

function reference(otherwise = "") {
  return z
    .string()
    .describe(["A run: its number, its id, or a prefix of its id", otherwise].filter(Boolean).join("; "));
}

function told(document: unknown) {
  return { accepted: true, text: JSON.stringify(document, null, 2) };
}

interface RunInput {
  readonly workflow: string;
  readonly task: string;
  readonly repo?: string | undefined;
  readonly context?: Readonly<Record<string, string>> | undefined;
  readonly executor?: string | undefined;
}

/** The same as `pawl run`, except that it names only what a person has installed or configured: a model is no shell. */
async function startRun({ workflow: id, task, repo = ".", context = {}, executor }: RunInput): Promise<object> {
  const home = findHome(process.env);
  const known = listWorkflows(home).map((entry) => entry.id);
  if (!known.includes(id)) {
    throw new AppError("NOT_FOUND", `there is no workflow "${id}"`, {
      hint: `there are: ${known.join(", ")}; \`pawl workflow install PATH\` adds one`,
    });
  }
  const workflow = openWorkflow(home, id, knownProtocols);
  return await withSession({ store: undefined, repo: resolve(repo) }, async ({ parts, config }) => {
    if (executor !== undefined) assertConfigured(config, executor);
    await assertExecutors(parts, workflow, executor ?? null);
    const { run, number, notes } = await beginRun(parts, {
      workflow,
      task,
      repo,
      base: null,
      inPlace: false,
      context: checked(context),
      executor: executor ?? null,
      author: author(),
      tighten: (definition) => tighten(config, definition),
      project: config.project,
    });
    const log = await driveInBackground(home, run);
    return {
      run: { id: run, number, workflow: id },
      notes: [...config.warnings, ...notes],
      log,
      look: `pawl status ${number}`,
    };
  });
}

function assertConfigured(config: Config, executor: string): void {
  const known = new Set(
    configuredExecutors(config)
      .every()
      .map(({ name }) => name),
  );
  if (executor.split(",").every((name) => known.has(name.trim()))) return;
  throw new AppError("EXECUTOR_MISSING", `there is no executor "${executor}"`, {
    hint: `there are: ${[...known].join(", ")}; the configuration may have others`,
  });
}

/** By the rules of `--context`, which cannot set what Pawl itself sets. */
function checked(context: Readonly<Record<string, string>>): Readonly<Record<string, string>> {
  const nameOf = (key: string) => Object.keys(readContext([`${key}=`]))[0] ?? key;
  return Object.fromEntries(Object.entries(context).map(([key, value]) => [nameOf(key), value]));
}

async function answerGate(
  gate: string,
  option: string,
  more: { readonly reason: string | undefined; readonly note: string | undefined },
): Promise<object> {
  const answered = (await documentOf(defineAnswer, ["answer"], [gate, option], more)) as {
    readonly run: RunId;
    readonly status: string | null;
  };
  if (answered.status !== "running") return answered;
  const driven = await withSession({}, async ({ parts }) => await isDriven(parts, answered.run));
  return driven ? answered : { ...answered, log: await driveInBackground(findHome(process.env), answered.run) };
}

/** Much of a log may be one line. */
const tailBytes = 64 * 1024;

async function logsOf(run: string, step: string | undefined, lines: number): Promise<object> {
  const { attempts } = (await documentOf(defineLogs, ["logs"], [run, step])) as {
    readonly attempts: readonly { readonly file: string }[];
  };
  const last = attempts.findLast(({ file }) => existsSync(file));
  return { attempts, tail: last === undefined ? "" : tailOf(last.file, lines) };
}

function tailOf(file: string, lines: number): string {
  const handle = openSync(file, "r");
  try {
    const { size } = fstatSync(handle);
    const buffer = Buffer.alloc(Math.min(size, tailBytes));
    const read = readSync(handle, buffer, 0, buffer.length, size - buffer.length);
    return buffer.toString("utf8", 0, read).trimEnd().split("\n").slice(-lines).join("\n");
  } finally {
    closeSync(handle);
  }
}
