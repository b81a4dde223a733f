// Streams of events over real sockets: no gap, no duplicate, no token, bounded for clients that do not read.

import { appendFileSync, mkdirSync, symlinkSync, writeFileSync } from "node:fs";
import { connect } from "node:net";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { createToken, revokeToken } from "../../src/application/access/tokens.ts";
import type { Event } from "../../src/domain/event.ts";
import type { RunId } from "../../src/domain/ids.ts";
import { replay } from "../../src/engine/evolve.ts";
import { fullProtection } from "../../src/http/protection.ts";
import { openSqliteStore } from "../../src/store/sqlite/open.ts";
import type { Store } from "../../src/store/store.ts";
import { systemClock } from "../../src/system/clock.ts";
import { queryFile } from "../support/database.ts";
import { openStream } from "../support/event-source.ts";
import { type Service, serve } from "../support/http-service.ts";
import { wholeLog } from "../support/logs.ts";
import { chooser, nextCommand } from "../support/random-run.ts";
import { chainOf, completed, everything, finishOf } from "../support/sample-runs.ts";
import { Transitions } from "../support/transitions.ts";
import { until } from "../support/until.ts";

interface World extends Service {
  readonly store: Store;
  /** Commits as another process would: by a connection of its own. */
  readonly others: Transitions;
  readonly secret: string;
}

async function world(live: Partial<typeof fullProtection.live> = {}): Promise<World> {
  const service = await serve({}, { live: { ...fullProtection.live, ...live } });
  const secret = await service.token("read");
  const store = await openSqliteStore(service.app.home.storeFile, systemClock);
  onTestFinished(async () => await store.close());
  return { ...service, store, others: new Transitions(store), secret };
}

const ids = (messages: readonly { readonly id: string }[]) => messages.map(({ id }) => Number(id));
const upTo = (last: number, from = 1) => Array.from({ length: last - from + 1 }, (_, index) => from + index);

test("[SM3] a stream begins at the first event and continues with what others commit, one message per event", async () => {
  const { url, secret: token, others, store } = await world();
  const run = await others.start(chainOf(3));
  const stream = await openStream(`${url}/api/v1/runs/${run}/events`, { token });
  expect([stream.status, stream.headers.get("content-type")]).toEqual([200, "text/event-stream; charset=utf-8"]);
  const before = await store.lastSeq(run);
  await stream.count(before);
  await others.perform(run, "step-1");
  await others.perform(run, "step-2");
  const last = await store.lastSeq(run);
  expect(ids(await stream.count(last))).toEqual(upTo(last));
  const shown = stream.messages.map(({ data }) => JSON.parse(data) as { seq: number; type: string });
  expect(shown.map(({ seq, type }) => [seq, type])).toEqual(
    (await wholeLog(store, run)).map(({ type }, index) => [index + 1, type]),
  );
});

test("[SM4] a client that comes back gets everything behind its last message, once, wherever it broke off", async () => {
  const { url, secret: token, others, store } = await world();
  const run = await others.start(chainOf(2));
  await others.perform(run, "step-1");
  const last = await store.lastSeq(run);
  for (const lastId of [...upTo(last), 0]) {
    const stream = await openStream(`${url}/api/v1/runs/1/events?after=1`, { token, lastId });
    expect(ids(await stream.count(last - lastId))).toEqual(upTo(last, lastId + 1));
    stream.close();
  }
  const page = await fetch(`${url}/api/v1/runs/1/events?after=2&limit=3`, {
    headers: { authorization: `Bearer ${token}` },
  });
  expect(await page.json()).toMatchObject({ events: [{ seq: 3 }, { seq: 4 }, { seq: 5 }], next: 5 });
  const wrong = await openStream(`${url}/api/v1/runs/1/events`, { token, lastId: "x1" });
  expect(wrong.status).toBe(400);
});

test("[SM5] messages have no token, and with the definition they are enough to fold the run", async () => {
  const { url, secret: token, others, store } = await world();
  const run = await others.start(everything);
  const choose = chooser(7);
  for (let steps = 0; steps < 60; steps += 1) {
    const whole = await store.wholeRun(run);
    if (whole) await others.apply(run, nextCommand(whole, 2_000 + steps * 10, choose));
  }
  const events = await wholeLog(store, run);
  const stream = await openStream(`${url}/api/v1/runs/1/events`, { token });
  await stream.count(events.length);
  const tokens = events.flatMap((event) => ("token" in event ? [event.token] : []));
  expect(tokens.length).toBeGreaterThan(0);
  for (const secret of tokens) expect(stream.text()).not.toContain(secret);
  const definition = (await store.wholeRun(run))?.header.definition;
  const read = stream.messages.map(({ data }) => eventOf(JSON.parse(data), definition));
  expect(withoutTokens(replay(read))).toEqual(withoutTokens(replay(events)));
});

/** As the page does it: the definition comes once from its own route, and a token is not needed to fold. */
function eventOf(document: Record<string, unknown>, definition: unknown): Event {
  const { seq: _, at, ...rest } = document;
  const more = rest["type"] === "run_started" ? { definition } : {};
  return { ...rest, ...more, at: Date.parse(String(at)) } as unknown as Event;
}

const withoutTokens = (run: unknown): unknown =>
  JSON.parse(JSON.stringify(run, (key, value: unknown) => (key === "token" ? undefined : value)));

test("[SM6] a quiet stream says when to come back, and sends comments", async () => {
  const { url, secret: token, others } = await world({ beatMs: 60 });
  await others.start(chainOf(1));
  const stream = await openStream(`${url}/api/v1/runs/1/events`, { token });
  await until(() => stream.text().split("\n: \n\n").length > 3);
  expect(stream.text().startsWith("retry: 1000\n\n")).toBe(true);
  expect(new Set(ids(stream.messages)).size).toBe(stream.messages.length);
});

test("[SM7] a client that reads nothing costs little memory, holds up no other, and is cut off", async () => {
  const { port, url, secret: token, others, store, app } = await world({ stalledMs: 3_000, mostStreams: 2 });
  const run = await others.start(chainOf(1));
  // 40 MB, far more than the buffers of a connection hold.
  const before = await store.lastSeq(run);
  const note = JSON.stringify({ note: { id: "n", story: null, text: "x".repeat(100_000), by: "me", at: 1 } });
  for (let seq = before + 1; seq <= before + 400; seq += 1) addEvent(app.home.storeFile, run, seq, note);
  const last = before + 400;
  queryFile(app.home.storeFile, "update totals set events = ? where run_id = ?", last, run);
  const socket = connect(port, "127.0.0.1");
  onTestFinished(() => void socket.destroy());
  socket.on("error", () => undefined).pause();
  const head = `GET /api/v1/runs/1/events HTTP/1.1\r\nHost: 127.0.0.1:${port}\r\nAuthorization: Bearer ${token}`;
  socket.write(`${head}\r\nAccept: text/event-stream\r\n\r\n`);
  const reader = await openStream(`${url}/api/v1/runs/1/events`, { token });
  expect(ids(await reader.count(last))).toEqual(upTo(last));
  // Its place is free although it never read and never closed.
  const again = async () => {
    const stream = await openStream(`${url}/api/v1/events`, { token });
    return stream.status === 200;
  };
  await until(again);
  const closed = new Promise<void>((resolve) => socket.once("close", () => resolve()));
  socket.resume();
  await closed;
  expect(socket.bytesRead).toBeLessThan(20_000_000);
});

function addEvent(file: string, run: RunId, seq: number, body: string): void {
  const sql = "insert into events values (?, ?, 1, 'user', 'note_added', '', 1, ?)";
  queryFile(file, sql, run, seq, body);
}

test("[SM8] more streams than the service holds are refused with what to do, and places become free again", async () => {
  const { url, secret: token, others } = await world({ mostStreams: 2 });
  await others.start(chainOf(1));
  const [first] = [
    await openStream(`${url}/api/v1/runs/1/events`, { token }),
    await openStream(`${url}/api/v1/events`, { token }),
  ];
  const refused = await fetch(`${url}/api/v1/events`, {
    headers: { authorization: `Bearer ${token}`, accept: "text/event-stream" },
  });
  expect([refused.status, refused.headers.get("retry-after")]).toEqual([503, "5"]);
  expect(await refused.json()).toMatchObject({ code: "TOO_MANY", hint: expect.stringContaining("close some") });
  first.close();
  await until(async () => {
    const again = await openStream(`${url}/api/v1/events`, { token });
    if (again.status !== 200) again.close();
    return again.status === 200;
  });
});

test("[SM13] a stream ends when its token is revoked or expires, and those of other tokens go on", async () => {
  const { url, secret: token, app, others } = await world({ beatMs: 150 });
  await others.start(chainOf(1));
  const kept = await openStream(`${url}/api/v1/events`, { token });
  const revoked = await createToken(app, { name: "guest" });
  const expiring = await createToken(app, { validMs: 500 });
  const open = async (secret: string) =>
    await Promise.all(
      ["runs/1/events", "events"].map((path) => openStream(`${url}/api/v1/${path}`, { token: secret })),
    );
  const ending = [...(await open(revoked.token)), ...(await open(expiring.token))];
  expect(ending.map(({ status }) => status)).toEqual([200, 200, 200, 200]);
  await revokeToken(app, "guest");
  // The same name is not the same token.
  await createToken(app, { name: "guest" });
  await until(() => ending.every((each) => each.hasEnded()));
  expect(kept.hasEnded()).toBe(false);
});

test("[SM8] asking only for the headers of a stream takes no place", async () => {
  const { url, secret: token } = await world({ mostStreams: 1 });
  const headers = { authorization: `Bearer ${token}`, accept: "text/event-stream" };
  for (let asked = 0; asked < 3; asked += 1) {
    const head = await fetch(`${url}/api/v1/events`, { method: "HEAD", headers });
    expect([head.status, head.headers.get("content-type")]).toEqual([200, "text/event-stream; charset=utf-8"]);
  }
  expect((await openStream(`${url}/api/v1/events`, { token })).status).toBe(200);
});

test("[SM3] a client of HTTP/1.0, as some proxies are, gets messages without the chunks of 1.1", async () => {
  const { port, secret: token, others } = await world();
  await others.start(chainOf(1));
  const socket = connect(port, "127.0.0.1");
  onTestFinished(() => void socket.destroy());
  let text = "";
  socket.setEncoding("utf8").on("data", (piece: string) => (text += piece));
  const head = `GET /api/v1/runs/1/events HTTP/1.0\r\nHost: 127.0.0.1:${port}\r\nAuthorization: Bearer ${token}`;
  socket.write(`${head}\r\nAccept: text/event-stream\r\n\r\n`);
  await until(() => text.includes("\nid: 1\n"));
  expect(text).not.toMatch(/transfer-encoding/i);
  expect(text.slice(text.indexOf("\r\n\r\n") + 4)).toMatch(/^retry: 1000\n\nid: 1\n/);
});

test("[SM9] the stream of all runs has each changed run as it is now, in order, without a gap or a duplicate", async () => {
  const { url, secret: token, others, store } = await world();
  const [a, b] = [await others.start(chainOf(2)), await others.start(chainOf(1))];
  const first = await openStream(`${url}/api/v1/events`, { token });
  await first.count(2);
  await others.perform(a, "step-1");
  await others.perform(b, "step-1");
  await until(() => first.messages.some(({ data }) => (JSON.parse(data) as { status: string }).status === "done"));
  const seen = first.messages.map(({ id, data }) => ({ id: Number(id), ...(JSON.parse(data) as Digest) }));
  expect(seen.map(({ id, position }) => id - position).every((difference) => difference === 0)).toBe(true);
  expect(ids(first.messages)).toEqual(ids(first.messages).toSorted((x, y) => x - y));
  expect(new Set(seen.map(({ run, seq }) => `${run} ${seq}`)).size).toBe(seen.length);
  for (const run of [a, b]) expect(seen.findLast((each) => each.run === run)?.seq).toBe(await store.lastSeq(run));
  first.close();
  const place = seen.at(-1)?.id ?? 0;
  await others.perform(a, "step-2");
  const second = await openStream(`${url}/api/v1/events`, { token, lastId: place });
  const [only] = await second.count(1);
  expect(JSON.parse(only?.data ?? "")).toMatchObject({
    run: a,
    number: 1,
    status: "done",
    seq: await store.lastSeq(a),
  });
  const page = await fetch(`${url}/api/v1/events`, { headers: { authorization: `Bearer ${token}` } });
  const { events, next } = (await page.json()) as { events: Digest[]; next: number };
  expect(events.map(({ run }) => run)).toEqual([b, a]);
  expect(next).toBe(await store.lastPosition());
});

interface Digest {
  readonly run: RunId;
  readonly seq: number;
  readonly position: number;
  readonly status: string;
}

test("[SM10] a service that closes ends its streams", async () => {
  const { url, secret: token, others, close } = await world();
  await others.start(chainOf(1));
  const stream = await openStream(`${url}/api/v1/runs/1/events`, { token });
  await stream.count(1);
  await close();
  await until(() => stream.hasEnded());
});

test("[SM12] the log of an attempt is followed from a byte until the attempt is over, no character cut", async () => {
  const { url, secret: token, others, app } = await world();
  const run = await others.start(chainOf(1));
  const attempt = await others.startAttempt(run, "step-1");
  const dir = join(app.home.logs, run);
  const file = join(dir, "run-step-1-1.log");
  const stream = await openStream(`${url}/api/v1/attempts/${attempt}/log`, { token });
  mkdirSync(dir, { recursive: true });
  const parrot = Buffer.from("a 🦜 says\n");
  writeFileSync(file, parrot.subarray(0, 4));
  await stream.count(1);
  expect(pieces(stream.messages)).toBe("a ");
  appendFileSync(file, parrot.subarray(4));
  await until(() => pieces(stream.messages) === parrot.toString());
  await others.apply(run, finishOf(attempt, completed()));
  await until(() => stream.messages.at(-1)?.event === "end" && stream.hasEnded());
  expect(ids(stream.messages).at(-1)).toBe(parrot.length);
  const later = await openStream(`${url}/api/v1/attempts/${attempt}/log?from=2`, { token });
  await until(() => later.hasEnded());
  expect(pieces(later.messages)).toBe("🦜 says\n");
});

test("[SM12] a log that an agent replaced by a link is not read", async () => {
  const { url, secret: token, others, app } = await world();
  const run = await others.start(chainOf(1));
  const attempt = await others.startAttempt(run, "step-1");
  const dir = join(app.home.logs, run);
  mkdirSync(dir, { recursive: true });
  symlinkSync(app.home.storeFile, join(dir, "run-step-1-1.log"));
  const stream = await openStream(`${url}/api/v1/attempts/${attempt}/log`, { token });
  await until(() => stream.hasEnded());
  expect(stream.messages).toEqual([]);
});

const pieces = (messages: readonly { readonly data: string }[]) =>
  messages.map(({ data }) => (JSON.parse(data) as { text: string }).text).join("");
