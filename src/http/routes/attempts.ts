// Routes about attempts: what is known of one, what its agent printed, what it was told.

import { z } from "zod";
import { attemptDiff } from "../../application/attempt-diff.ts";
import { attempt, attemptLog, attemptPrompt, openAttemptLog } from "../../application/attempts.ts";
import { attemptDiffContract } from "../../contracts/diff-document.ts";
import { attemptContract, logPageContract, promptContract } from "../../contracts/http-documents.ts";
import { type ApiRoute, apiRoute } from "../route.ts";
import { askedPlace, headersOfStreams, wantsStream } from "../streams/asked.ts";
import { logFeed } from "../streams/log-feed.ts";

export const attemptRoutes: readonly ApiRoute[] = [
  apiRoute(
    "GET /attempts/{attempt}",
    "read",
    "what is known of an attempt",
    attemptContract,
    async ({ app, path }) => await attempt(app, path("attempt")),
  ),
  apiRoute(
    "GET /attempts/{attempt}/log",
    "read",
    "what its agent printed, a page at a time or as a stream",
    logPageContract,
    async (asked) => {
      const { app, path, query, live } = asked;
      if (!wantsStream(asked)) return await attemptLog(app, path("attempt"), query.from);
      const feed = logFeed(await openAttemptLog(app, path("attempt")));
      return await live.open(asked, askedPlace(asked, query.from), feed, () => undefined);
    },
    {
      headers: headersOfStreams,
      streams: true,
      query: z.strictObject({ from: z.coerce.number<string>().int().min(0).default(0).describe("A byte of the log.") }),
    },
  ),
  apiRoute(
    "GET /attempts/{attempt}/prompt",
    "read",
    "what its agent was told",
    promptContract,
    async ({ app, path }) => await attemptPrompt(app, path("attempt")),
  ),
  apiRoute(
    "GET /attempts/{attempt}/diff",
    "read",
    "what it changed, from its start to its end or until now",
    attemptDiffContract,
    async ({ app, path }) => await attemptDiff(app, path("attempt")),
  ),
];
