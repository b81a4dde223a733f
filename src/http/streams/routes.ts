// Routes that answer as pages or as streams: the events of a run, and the changes of all runs.

import { z } from "zod";
import { changeLog, eventLog, type LiveLog } from "../../application/looking/live-events.ts";
import { digestPageContract, eventPageContract } from "../../contracts/stream-documents.ts";
import { digitsInput } from "../number-input.ts";
import { type ApiRoute, type Asked, apiRoute } from "../route.ts";
import { askedPlace, headersOfStreams, wantsStream } from "./asked.ts";

const pageQuery = z.strictObject({
  after: digitsInput(0).optional().describe("Only what is behind this place. Default: everything."),
  limit: digitsInput(1, 5_000)
    .optional()
    .describe("The size of a page. Default: 500. A page of large documents is shorter: `next` says where it ends."),
});

const usualLimit = 500;
/** What is read at once, and when a page is large enough: documents can have the whole output of a step. */
const batch = 250;
const mostPageChars = 8 * 1024 * 1024;

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

async function answer<Document>(asked: Asked<PageQuery>, key: string, log: LiveLog<Document>): Promise<Response> {
  const { after: given = 0, limit = usualLimit } = asked.query;
  if (wantsStream(asked)) {
    return await asked.live.follow(asked, key, askedPlace(asked, given), {
      last: () => log.last(),
      read: async (after, most) =>
        (await log.read(after, most)).map(({ id, document }) => ({ id, data: JSON.stringify(document) })),
    });
  }
  return await pageOf(log, given, limit);
}

/** As text, so that each document is written once. It ends early where it is large, and has one document at least. */
async function pageOf<Document>(log: LiveLog<Document>, after: number, limit: number): Promise<Response> {
  const texts: string[] = [];
  let next = after;
  for (let size = 0; texts.length < limit && size < mostPageChars; ) {
    const most = Math.min(batch, limit - texts.length);
    const found = await log.read(next, most);
    for (const { id, document } of found) {
      const text = JSON.stringify(document);
      if (texts.length > 0 && size + text.length > mostPageChars) return pageResponse(texts, next);
      texts.push(text);
      size += text.length;
      next = id;
    }
    if (found.length < most) break;
  }
  return pageResponse(texts, next);
}

function pageResponse(events: readonly string[], next: number): Response {
  const headers = { "content-type": "application/json" };
  return new Response(`{"events":[${events.join(",")}],"next":${next}}`, { headers });
}
