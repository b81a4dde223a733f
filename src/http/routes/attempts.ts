// Routes about attempts: what is known of one, what its agent printed, what it was told.

import { z } from "zod";
import { attempt, attemptLog, attemptPrompt } from "../../application/attempts.ts";
import { attemptContract, logPageContract, promptContract } from "../../contracts/http-documents.ts";
import { type Route, route } from "../route.ts";

export const attemptRoutes: readonly Route[] = [
  route(
    "GET /attempts/{attempt}",
    "read",
    "what is known of an attempt",
    attemptContract,
    async ({ app, path }) => await attempt(app, path("attempt")),
  ),
  route(
    "GET /attempts/{attempt}/log",
    "read",
    "what its agent printed, a page at a time",
    logPageContract,
    async ({ app, path, query }) => await attemptLog(app, path("attempt"), query.from),
    {
      query: z.strictObject({ from: z.coerce.number<string>().int().min(0).default(0).describe("A byte of the log.") }),
    },
  ),
  route(
    "GET /attempts/{attempt}/prompt",
    "read",
    "what its agent was told",
    promptContract,
    async ({ app, path }) => await attemptPrompt(app, path("attempt")),
  ),
];
