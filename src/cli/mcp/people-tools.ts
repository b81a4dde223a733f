// Tools for a person's own session. Owns: what `pawl mcp` offers: start a run, look, answer. Each tool is a use case and returns its
// document.

import { z } from "zod";
import type { Application } from "../../application/application.ts";
import { driveInBackground, ensureDriven } from "../../application/driving/background.ts";
import { answer, gatesDocument, openGates } from "../../application/gates/gates.ts";
import { runs } from "../../application/looking/runs.ts";
import { status, whyOf } from "../../application/looking/status.ts";
import { assertConfigured } from "../../application/setup/executors.ts";
import { start } from "../../application/starting/start.ts";
import { dropOneStep, dropOneStory } from "../../application/steering/drop.ts";
import { noteTo } from "../../application/steering/notes.ts";
import { sendSignal } from "../../application/steering/signal.ts";
import { cancel, setWaits } from "../../application/steering/steer.ts";
import { stopRunningAttempt } from "../../application/steering/stop-attempt.ts";
import { logsWithTail } from "../../application/transcripts/logs.ts";
import { assertListed, workflows } from "../../application/workflows/workflows.ts";
import { runId } from "../../domain/ids.ts";
import type { RunStatus, WaitsLevel } from "../../domain/run.ts";
import { type Tool, tool } from "../../mcp/tool.ts";

export const peopleInstructions =
  "Pawl runs coding agents through small verified steps, in trees of their own, and continues when this session ends. `start_run` begins, `status` and `why` tell where it stands, `gates` lists what a person is asked. Answer a gate only with what the person has decided.";

export function peopleTools(app: Application): readonly Tool[] {
  return [
    tool({
      name: "list_workflows",
      description: "The workflows that can be run: id, title, steps.",
      looks: true,
      input: z.object({}),
      work: () => reply(workflows(app)),
    }),
    tool({
      name: "start_run",
      description:
        "Start a run of a workflow for a task. Agents then work in a tree of their own, in the background; the run continues when this session ends.",
      input: z.object({
        workflow: z.string().describe("An id from list_workflows, such as feature-dev"),
        task: z.string().describe("What should be done, in the user's words"),
        repo: z.string().optional().describe("The git repository; without it, the directory of this session"),
        context: z.record(z.string(), z.string()).optional().describe("Values for the workflow's templates"),
        executor: z.string().optional().describe("A configured executor, or an agent; without it, as configured"),
      }),
      work: async (input) => reply(await startRun(app, input)),
    }),
    tool({
      name: "list_runs",
      description: "Runs, the newest first.",
      looks: true,
      input: z.object({ limit: z.int().min(1).max(200).optional() }),
      work: async ({ limit = 20 }) => reply(await runs(app, limit)),
    }),
    tool({
      name: "status",
      description:
        "Where a run stands: steps, stories, open gates, what it used, and why it does not move if it does not.",
      looks: true,
      input: z.object({ run: reference("the newest without it").optional() }),
      work: async ({ run }) => reply((await status(app, run)).document),
    }),
    tool({
      name: "why",
      description: "One sentence: what a run is doing, or what it waits for and what would move it.",
      looks: true,
      input: z.object({ run: reference("the newest without it").optional() }),
      work: async ({ run }) => reply(await whyOf(app, run)),
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
      work: async ({ run, step, tail = 50 }) => reply(await logsWithTail(app, run, { step, lines: tail })),
    }),
    tool({
      name: "gates",
      description: "What people are asked, in all runs, the oldest first.",
      looks: true,
      input: z.object({}),
      work: async () => reply(gatesDocument(await openGates(app))),
    }),
    tool({
      name: "answer_gate",
      description:
        "Answer a gate, once. It is a question to the person: ask them first, and answer in their words. The run then continues.",
      input: z.object({
        gate: z.string().describe("Its id, from gates"),
        option: z.string().describe("One of its options"),
        reason: z.string().optional().describe("Why, in one word, where the gate has routes for reasons"),
        note: z.string().optional().describe("Goes into the next prompt"),
      }),
      work: async ({ gate, ...given }) => reply(await answerGate(app, gate, given)),
    }),
    tool({
      name: "note",
      description:
        "Leave a note of the person for the next attempt of a run, or of one story. It stays until an attempt that had it completes.",
      input: z.object({
        run: reference(),
        text: z.string().describe("What the agent should know, in the person's words"),
        story: z.string().optional().describe("Only for the next attempt of this story"),
      }),
      work: async ({ run, ...given }) => reply(await noteTo(app, run, given)),
    }),
    tool({
      name: "set_waits",
      description: "Before which steps a run asks a person from here on: all, the marked ones, or none.",
      input: z.object({ run: reference(), level: z.enum(["all", "marked", "none"]) }),
      work: async ({ run, level }) => reply(await changeWaits(app, run, level)),
    }),
    tool({
      name: "stop_attempt",
      description: "Stop one running attempt and keep the run. Its step then waits for the person.",
      destroys: true,
      input: z.object({
        run: reference(),
        step: z.string().optional().describe("Only this step, where several run"),
        story: z.string().optional().describe("Only in this story"),
        reason: z.string().optional(),
      }),
      work: async ({ run, ...which }) => reply(await stopRunningAttempt(app, run, which)),
    }),
    tool({
      name: "signal",
      description:
        "Tell a run that something has happened, such as a deployment. The oldest step that waits for this name continues; a signal that comes early is kept.",
      input: z.object({
        run: reference(),
        name: z.string().describe("The name that the step waits for; status shows it"),
        payload: z.record(z.string(), z.json()).optional().describe("Keys that the step takes over"),
        story: z.string().optional().describe("For a step of this story"),
      }),
      work: async ({ run, ...given }) => reply(await signalRun(app, run, given)),
    }),
    tool({
      name: "drop_story",
      description:
        "End one story, as failed or as done, and keep the rest of the run. Its work stays on its branch and is not integrated.",
      destroys: true,
      input: z.object({ run: reference(), story: z.string(), ...dropInput }),
      work: async ({ run, story, ...more }) => reply(await continued(app, await dropOneStory(app, run, story, more))),
    }),
    tool({
      name: "drop_step",
      description: "End one step, as failed or as done, and keep the rest of the run.",
      destroys: true,
      input: z.object({
        run: reference(),
        step: z.string(),
        story: z.string().optional().describe("In this story"),
        ...dropInput,
      }),
      work: async ({ run, step, story, ...more }) =>
        reply(await continued(app, await dropOneStep(app, run, { step, story }, more))),
    }),
    tool({
      name: "cancel_run",
      description: "Stop a run for good, with its agents. What it has committed stays on its branch.",
      destroys: true,
      input: z.object({ run: reference(), reason: z.string().optional() }),
      work: async ({ run, reason }) => reply({ run: await cancel(app, run, { reason }) }),
    }),
  ];
}

const dropInput = {
  as: z.enum(["done", "failed"]).optional().describe("failed without it"),
  reason: z.string().optional(),
};

function reference(otherwise = "") {
  return z
    .string()
    .describe(["A run: its number, its id, or a prefix of its id", otherwise].filter(Boolean).join("; "));
}

function reply(document: unknown) {
  return { accepted: true, text: JSON.stringify(document, null, 2) };
}

interface RunInput {
  readonly workflow: string;
  readonly task: string;
  readonly repo?: string | undefined;
  readonly context?: Readonly<Record<string, string>> | undefined;
  readonly executor?: string | undefined;
}

/** Like `pawl run`, but only with workflows and executors that a person has installed or configured: a model is not a shell. */
async function startRun(app: Application, { repo = ".", ...input }: RunInput): Promise<object> {
  assertListed(app, input.workflow);
  if (input.executor !== undefined) await assertConfigured(app, repo, input.executor);
  const { run, number, notes } = await start(app, { ...input, repo });
  const log = await driveInBackground(app, run);
  return { run: { id: run, number, workflow: input.workflow }, notes, log, look: `pawl status ${number}` };
}

interface GivenAnswer {
  readonly option: string;
  readonly reason?: string | undefined;
  readonly note?: string | undefined;
}

async function answerGate(app: Application, gate: string, given: GivenAnswer): Promise<object> {
  return await continued(app, (await answer(app, gate, given)).document);
}

/** Questions that the new level does not ask are void, so that the run may move. */
async function changeWaits(app: Application, reference: string, level: WaitsLevel): Promise<object> {
  const { id, status } = await setWaits(app, reference, level);
  const log = status === "running" ? await ensureDriven(app, runId(id)) : null;
  return { run: id, waits: level, ...(log === null ? {} : { log }) };
}

interface GivenSignal {
  readonly name: string;
  readonly payload?: Readonly<Record<string, unknown>> | undefined;
  readonly story?: string | undefined;
}

async function signalRun(app: Application, run: string, { name, payload = {}, story }: GivenSignal): Promise<object> {
  return await continued(app, await sendSignal(app, run, { signal: name, json: JSON.stringify(payload), story }));
}

/** The document of a change that may let its run move. */
async function continued(
  app: Application,
  document: { readonly run: string; readonly status: RunStatus | null },
): Promise<object> {
  const log = document.status === "running" ? await ensureDriven(app, runId(document.run)) : null;
  return log === null ? document : { ...document, log };
}
