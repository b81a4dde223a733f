// Routes that answer as pages or as streams: the events of a run, and the changes of all runs.

import { z } from "zod";
import { changeLog, eventLog, type LiveLog } from "../../application/live-events.ts";
import { digestPageContract, eventPageContract } from "../../contracts/stream-documents.ts";
import { type ApiRoute, type Asked, apiRoute } from "../route.ts";
import { askedPlace, headersOfStreams, wantsStream } from "./asked.ts";

const pageQuery = z.strictObject({
  after: z.coerce.number().int().min(0).optional().describe("Only what is behind this place. Default: everything."),
  limit: z.coerce.number().int().min(1).max(1_000).optional().describe("The size of a page. Default: 500."),
});

const usualLimit = 500;

export const streamRoutes: readonly ApiRoute[] = [
  apiRoute(
    "GET /runs/{run}/events",
    "read",
    "the events of a run, as a page or as a stream",
    eventPageContract,
    async (asked) => {
      const log = await eventLog(asked.app, asked.path("run"));
      return await answer(asked, `run:${log.run}`, log);
    },
    { query: pageQuery, headers: headersOfStreams, streams: true },
  ),
  apiRoute(
    "GET /events",
    "read",
    "what changed in any run, as a page or as a stream of digests",
    digestPageContract,
    async (asked) => await answer(asked, "changes", await changeLog(asked.app)),
    { query: pageQuery, headers: headersOfStreams, streams: true },
  ),
];

type PageQuery = z.infer<typeof pageQuery>;

async function answer<Document>(
  asked: Asked<PageQuery>,
  key: string,
  log: LiveLog<Document>,
): Promise<Response | { events: Document[]; next: number }> {
  const { after: given = 0, limit = usualLimit } = asked.query;
  if (wantsStream(asked)) {
    return await asked.live.follow(asked, key, askedPlace(asked, given), {
      last: () => log.last(),
      read: async (after, most) =>
        (await log.read(after, most)).map(({ id, document }) => ({ id, data: JSON.stringify(document) })),
    });
  }
  const found = await log.read(given, limit);
  return { events: found.map(({ document }) => document), next: found.at(-1)?.id ?? given };
}
