// Routes about the service itself, the one with which a browser signs in, and the one that antfarm's programs call.

import { z } from "zod";
import { signIn } from "../../application/access/sign-in.ts";
import { bearerDocument } from "../../application/access/tokens.ts";
import { healthDetails } from "../../application/health/health.ts";
import { loopStories } from "../../application/looking/loop-stories.ts";
import {
  bearerContract,
  healthContract,
  healthDetailsContract,
  loopStoriesContract,
  notReadyContract,
  readyContract,
  signedInContract,
} from "../../contracts/http-documents.ts";
import type { ApiToken } from "../../domain/api-token.ts";
import { type ApiRoute, apiRoute } from "../route.ts";

export const serviceRoutes: readonly ApiRoute[] = [
  apiRoute("GET /health", null, "whether the service answers", healthContract, async () => ({ ok: true as const })),
  apiRoute(
    "GET /ready",
    null,
    "whether the service drives runs and reaches its store",
    readyContract,
    async ({ isReady }) => ((await isReady()) ? { ok: true as const } : Response.json({ ok: false }, { status: 503 })),
    { others: { 503: notReadyContract } },
  ),
  apiRoute(
    "GET /health/details",
    "read",
    "the service, its store, what is installed, who drives runs, accounts and schedules",
    healthDetailsContract,
    async ({ app, live }) => await healthDetails(app, live.size),
  ),
  apiRoute(
    "POST /sign-in",
    null,
    "a token for a browser, in exchange for the code of `pawl open`",
    signedInContract,
    async ({ app, body, refuseCode }) => (await signIn(app, body.code)) ?? refuseCode(),
    { body: z.strictObject({ code: z.string().min(1).max(200).describe("Valid once, for a short time.") }) },
  ),
  apiRoute(
    "GET /token",
    "read",
    "the token of this call: its name, its role and its end",
    bearerContract,
    async ({ token }) =>
      // The router lets no call without one through to this route.
      bearerDocument(token as ApiToken),
  ),
  apiRoute(
    "GET /api/runs/{run}/stories",
    "read",
    "the stories of a run, as antfarm's API has them",
    loopStoriesContract,
    async ({ app, path }) => await loopStories(app, path("run")),
  ),
];
