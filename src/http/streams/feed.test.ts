// Feeds over a log that grows: what each reader gets, and how often the log is read for it.

import { expect, test } from "vitest";
import { chooser } from "../../../test/support/random-run.ts";
import { until } from "../../../test/support/until.ts";
import { Feed, type StreamMessage } from "./feed.ts";

const times = { batchMs: 5, retryMs: 5 };

class GrowingLog {
  readonly messages: StreamMessage[] = [];
  reads = 0;
  fails = 0;
  grow(count: number, size = 5): void {
    for (let added = 0; added < count; added += 1) {
      const id = this.messages.length + 1;
      this.messages.push({ id, data: JSON.stringify({ id, text: "x".repeat(size) }) });
    }
  }
  async last(): Promise<number> {
    return this.messages.length;
  }
  async read(after: number, limit: number): Promise<readonly StreamMessage[]> {
    this.reads += 1;
    await new Promise((resolve) => setImmediate(resolve));
    if (this.fails-- > 0) throw new Error("the disk is busy");
    return this.messages.slice(after, after + limit);
  }
}

/** Follows the feed from a place until the log has this many messages, and returns the ids that it got. */
async function follow(feed: Feed, after: number, last: number): Promise<number[]> {
  const got: number[] = [];
  for (let at = after; at < last; ) {
    const changed = feed.changed();
    const chunk = await feed.next(at);
    if (chunk === null) {
      await changed;
      continue;
    }
    at = chunk.last;
    got.push(
      ...[
        ...Buffer.from(chunk.bytes)
          .toString()
          .matchAll(/^id: (\d+)$/gm),
      ].map(([, id]) => Number(id)),
    );
  }
  return got;
}

test("[SM4] readers that start anywhere while the log grows get every message once", async () => {
  const choose = chooser(3);
  const log = new GrowingLog();
  const feed = new Feed(log, () => undefined, times);
  const total = 3_000;
  const readers: Promise<{ after: number; got: number[] }>[] = [];
  while (log.messages.length < total) {
    log.grow(Math.min(1 + choose(120), total - log.messages.length), choose(4) === 0 ? 9_000 : 5);
    feed.poke();
    if (readers.length < 40) {
      const after = choose(log.messages.length + 1);
      readers.push(follow(feed, after, total).then((got) => ({ after, got })));
    }
    await new Promise((resolve) => setTimeout(resolve, choose(4)));
  }
  for (const { after, got } of await Promise.all(readers))
    expect(got).toEqual(Array.from({ length: total - after }, (_, index) => after + 1 + index));
  feed.close();
});

test("[SM11] the log is read once for all streams at one place", async () => {
  const log = new GrowingLog();
  log.grow(40);
  const feed = new Feed(log, () => undefined, times);
  const caughtUp = await Promise.all(Array.from({ length: 200 }, () => follow(feed, 0, 40)));
  expect([new Set(caughtUp.map(String)).size, log.reads]).toEqual([1, 1]);
  const live = Array.from({ length: 200 }, () => follow(feed, 40, 60));
  log.grow(20);
  feed.poke();
  await Promise.all(live);
  expect(log.reads).toBe(2);
  // The same bytes, not equal ones.
  expect((await feed.next(40))?.bytes).toBe((await feed.next(40))?.bytes);
  feed.close();
});

test("[SM11] a log that cannot be read for a moment is read again", async () => {
  const log = new GrowingLog();
  const errors: unknown[] = [];
  const feed = new Feed(log, (error) => errors.push(error), times);
  expect(await feed.next(0)).toBeNull();
  log.fails = 2;
  log.grow(3);
  feed.poke();
  expect(await follow(feed, 0, 3)).toEqual([1, 2, 3]);
  await until(() => errors.length === 2);
  feed.close();
});
