// Routes about questions to people. An answer lets the run move, and the service drives it on.

import { z } from "zod";
import { gateDiff, gateView } from "../../application/gates/gate-view.ts";
import { answer, gatesDocument, openGates } from "../../application/gates/gates.ts";
import { gateDiffContract } from "../../contracts/diff-document.ts";
import { answerContract, gatesContract, gateViewContract } from "../../contracts/run-documents.ts";
import { type ApiRoute, apiRoute } from "../route.ts";

const answerBody = z.strictObject({
  option: z.string().min(1).max(200),
  note: z.string().optional().describe("Goes into the next prompt."),
  reason: z.string().max(200).optional().describe("Why, in one word, where the gate has routes for reasons."),
  comments: z
    .array(
      z.strictObject({
        path: z
          .string()
          .min(1)
          .max(4_096)
          .regex(/^[^\p{Cc}]+$/u),
        line: z.int().min(0),
        text: z.string().min(1),
      }),
    )
    .max(1_000)
    .optional()
    .describe("They follow the note, as `path:line: text`."),
  tree: z
    .string()
    .nullable()
    .optional()
    .describe("The tree that you have looked at. Another one than the gate's is refused; absent: the gate's own."),
});

export const gateRoutes: readonly ApiRoute[] = [
  apiRoute(
    "GET /gates",
    "read",
    "open questions of all runs, the oldest first",
    gatesContract,
    async ({ app }) => gatesDocument(await openGates(app)),
    {
      query: z.strictObject({ status: z.literal("open").default("open") }),
    },
  ),
  apiRoute(
    "GET /gates/{gate}",
    "read",
    "one question, open or answered",
    gateViewContract,
    async ({ app, path }) => await gateView(app, path("gate")),
  ),
  apiRoute(
    "GET /gates/{gate}/diff",
    "read",
    "what an answer is about: the changes since the base, or since what was shown at this step before",
    gateDiffContract,
    async ({ app, path, query }) => await gateDiff(app, path("gate"), query.since),
    { query: z.strictObject({ since: z.enum(["base", "shown"]).default("base") }), isSlow: true },
  ),
  apiRoute(
    "POST /gates/{gate}/answer",
    "answer",
    "answer an open question, once",
    answerContract,
    async ({ app, path, body, author }) => (await answer(app, path("gate"), { ...body, author })).document,
    { body: answerBody },
  ),
];
