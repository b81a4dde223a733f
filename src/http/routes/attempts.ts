// Routes about attempts: what is known of one, what its agent printed, what it was told.

import { z } from "zod";
import { attemptDiff } from "../../application/diffs/attempt-diff.ts";
import { attempt, attemptLog, attemptPrompt, openAttemptLog } from "../../application/looking/attempts.ts";
import { attemptTranscript } from "../../application/transcripts/transcript-pages.ts";
import { attemptDiffContract } from "../../contracts/diff-document.ts";
import {
  attemptContract,
  logPageContract,
  promptContract,
  transcriptPageContract,
} from "../../contracts/http-documents.ts";
import { digitsInput } from "../number-input.ts";
import { type ApiRoute, apiRoute } from "../route.ts";
import { askedPlace, headersOfStreams, wantsStream } from "../streams/asked.ts";
import { logFeed } from "../streams/log-feed.ts";

const byte = digitsInput(0);

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
      query: z.strictObject({ from: byte.default(0).describe("A byte of the log.") }),
    },
  ),
  apiRoute(
    "GET /attempts/{attempt}/transcript",
    "read",
    "what its agent did, as lines for people, a page of its log at a time",
    transcriptPageContract,
    async ({ app, path, query }) => await attemptTranscript(app, path("attempt"), query),
    {
      query: z.strictObject({
        from: byte.default(0).describe("A byte of the log. The page begins with the first line there or behind it."),
        before: byte.exactOptional().describe("The page ends before this byte, or at the end of the log."),
      }),
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
    { isSlow: true },
  ),
];
