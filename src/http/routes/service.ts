// Routes about the service itself, and the one that antfarm's programs call.

import { healthDetails } from "../../application/health.ts";
import { loopStories } from "../../application/loop-stories.ts";
import { healthContract, healthDetailsContract, loopStoriesContract } from "../../contracts/http-documents.ts";
import { type ApiRoute, apiRoute } from "../route.ts";

export const serviceRoutes: readonly ApiRoute[] = [
  apiRoute("GET /health", null, "whether the service answers", healthContract, async () => ({ ok: true as const })),
  apiRoute(
    "GET /health/details",
    "read",
    "the service, its store, what is installed, who drives runs, accounts and schedules",
    healthDetailsContract,
    async ({ app, live }) => await healthDetails(app, live.size),
  ),
  apiRoute(
    "GET /api/runs/{run}/stories",
    "read",
    "the stories of a run, as antfarm's API has them",
    loopStoriesContract,
    async ({ app, path }) => await loopStories(app, path("run")),
  ),
];
