// Routes that start and steer runs. The service drives them; each call returns as soon as its command is recorded.

import { z } from "zod";
import { startKnown } from "../../application/starting/start-known.ts";
import { cap } from "../../application/steering/caps.ts";
import { dropOneStep } from "../../application/steering/drop.ts";
import { edit, editsFromText } from "../../application/steering/edit.ts";
import { noteNow } from "../../application/steering/note-now.ts";
import { noteTo } from "../../application/steering/notes.ts";
import { cancel, letMove, pause, retry, setWaits } from "../../application/steering/steer.ts";
import { stopRunningAttempt } from "../../application/steering/stop-attempt.ts";
import { startedRunContract } from "../../contracts/http-documents.ts";
import { waitsLevel } from "../../contracts/routes.ts";
import {
  addedNoteContract,
  capsContract,
  droppedContract,
  oneRunContract,
  stoppedAttemptContract,
} from "../../contracts/run-documents.ts";
import { editContract } from "../../contracts/workflow-documents.ts";
import { type ApiRoute, apiRoute } from "../route.ts";

const name = z.string().min(1).max(200);

const caps = z
  .strictObject({
    attempts: z.int().min(1),
    steps: z.int().min(1),
    wallMs: z.int().min(1),
    costUsd: z.number().min(0),
    tokens: z.int().min(1),
  })
  .partial();

const startBody = z.strictObject({
  workflow: name.describe("The id of a bundled or installed workflow."),
  task: z.string().min(1),
  repo: z
    .string()
    .describe(
      "The absolute path of a repository that a run of this store has used, or whose commands the user trusts.",
    ),
  executor: name.optional().describe("The name of a configured executor, for every agent."),
  context: z.record(z.string(), z.string()).optional(),
  caps: caps.optional().describe("Lower caps than those of the workflow and the configuration."),
  base: name.optional().describe("The branch or commit that the work starts from."),
  waits: waitsLevel.optional(),
});

const story = name.optional().describe("Only this story.");
const reason = z.string().max(1_000).optional();

export const steeringRoutes: readonly ApiRoute[] = [
  apiRoute(
    "POST /runs",
    "operate",
    "start a run; the service drives it",
    startedRunContract,
    async ({ app, body, author, header }) => {
      const request = { ...body, caps: given(body.caps ?? {}) };
      return await startKnown(app, { request, author, key: header("idempotency-key") });
    },
    {
      body: startBody,
      status: 201,
      headers: { "Idempotency-Key": "The same key and the same body again return the same run." },
    },
  ),
  apiRoute(
    "POST /runs/{run}/pause",
    "operate",
    "let running attempts end and start nothing new",
    oneRunContract,
    async (asked) => ({
      run: await pause(asked.app, asked.path("run"), asked.author),
    }),
  ),
  apiRoute("POST /runs/{run}/resume", "operate", "let a run move again", oneRunContract, async (asked) => ({
    run: await letMove(asked.app, asked.path("run"), asked.author),
  })),
  apiRoute(
    "POST /runs/{run}/cancel",
    "operate",
    "end a run for good",
    oneRunContract,
    async ({ app, path, body, author }) => ({ run: await cancel(app, path("run"), { reason: body.reason, author }) }),
    { body: z.strictObject({ reason }) },
  ),
  apiRoute(
    "POST /runs/{run}/retry",
    "operate",
    "put what failed back to ready, with new limits",
    oneRunContract,
    async ({ app, path, body, author }) => ({ run: await retry(app, path("run"), { ...body, author }) }),
    { body: z.strictObject({ story, step: name.optional().describe("Only this step.") }) },
  ),
  apiRoute(
    "POST /runs/{run}/note",
    "operate",
    "leave a note for the next attempt, or tell the agent at work",
    addedNoteContract,
    async ({ app, path, body: { now, ...said }, author }) => {
      if (now !== true) return await noteTo(app, path("run"), { ...said, author });
      const { isTold: _, ...note } = await noteNow(app, path("run"), { ...said, author });
      return note;
    },
    {
      body: z.strictObject({
        text: z.string(),
        story,
        now: z
          .boolean()
          .optional()
          .describe("Tell the agent at work; the call waits until it is known whether it has it."),
      }),
    },
  ),
  apiRoute(
    "POST /runs/{run}/edit",
    "operate",
    "change the steps that have not started",
    editContract,
    async ({ app, path, body, author }) => {
      const text = JSON.stringify(body.operations);
      const { operations, notes } = editsFromText(text, "the operations", body.reason);
      const document = await edit(app, path("run"), { story: body.story, operations, preview: body.preview, author });
      return { ...document, notes: [...notes, ...document.notes] };
    },
    {
      body: z.strictObject({
        operations: z.array(z.looseObject({})).min(1).max(100).describe("As in an edit file."),
        story,
        reason: reason.describe("For each operation without one."),
        preview: z.boolean().optional().describe("Show the result and change nothing."),
      }),
    },
  ),
  apiRoute(
    "GET /runs/{run}/caps",
    "read",
    "the caps of a run and what is used of them",
    capsContract,
    async ({ app, path }) => await cap(app, path("run"), {}),
  ),
  apiRoute(
    "POST /runs/{run}/caps",
    "operate",
    "raise caps of a run",
    capsContract,
    async ({ app, path, body, author }) => await cap(app, path("run"), given(body), author),
    { body: caps.refine((asked) => Object.keys(given(asked)).length > 0, { message: "give a cap to raise" }) },
  ),
  apiRoute(
    "POST /runs/{run}/waits",
    "operate",
    "choose before which steps a run asks a person",
    oneRunContract,
    async ({ app, path, body, author }) => ({ run: await setWaits(app, path("run"), body.waits, author) }),
    { body: z.strictObject({ waits: waitsLevel }) },
  ),
  apiRoute(
    "POST /runs/{run}/stop",
    "operate",
    "stop a running attempt; its step then waits for a person",
    stoppedAttemptContract,
    async ({ app, path, body, author }) => await stopRunningAttempt(app, path("run"), { ...body, author }),
    { body: z.strictObject({ story, step: name.optional(), reason }) },
  ),
  apiRoute(
    "POST /runs/{run}/drop",
    "operate",
    "end one step as failed, or as done without its work",
    droppedContract,
    async ({ app, path, body: { step, story: of, ...more }, author }) =>
      await dropOneStep(app, path("run"), { step, story: of }, { ...more, author }),
    { body: z.strictObject({ step: name, story, as: z.enum(["failed", "done"]).optional(), reason }) },
  ),
];

/** Without keys that are undefined. */
function given<T extends object>(values: T): { readonly [K in keyof T]?: NonNullable<T[K]> } {
  return Object.fromEntries(Object.entries(values).filter(([, value]) => value !== undefined)) as never;
}
