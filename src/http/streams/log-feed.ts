// The log of an attempt as a stream. A log grows without commits, so each stream looks at the file, while the attempt runs and while
// its client waits.

import type { openAttemptLog } from "../../application/looking/attempts.ts";
import type { StreamFeed } from "./event-stream.ts";

const lookEveryMs = 200;

/** Messages are pages with the byte behind them as `id`. The last one is `end`, once the attempt is over and all of it is sent. */
export function logFeed(page: Awaited<ReturnType<typeof openAttemptLog>>): StreamFeed {
  return {
    changed: () => new Promise((resolve) => void setTimeout(resolve, lookEveryMs).unref()),
    async next(after) {
      const read = await page(after);
      const isEnd = read.ended && read.next >= read.size;
      if (read.next === after && !isEnd) return null;
      const { from, next, text } = read;
      const piece = next === after ? "" : `id: ${next}\ndata: ${JSON.stringify({ from, next, text })}\n\n`;
      const end = isEnd ? `id: ${next}\nevent: end\ndata: ${JSON.stringify({ from: next, next, text: "" })}\n\n` : "";
      return { last: next, bytes: Buffer.from(piece + end), isEnd };
    },
  };
}
