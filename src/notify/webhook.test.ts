import type { LookupAddress } from "node:dns";
import { createServer } from "node:net";
import { expect, onTestFinished, test } from "vitest";
import { startReceiver } from "../../test/support/receiver.ts";
import { checkedLookup } from "./request.ts";
import type { DeliveryCall, Notice } from "./target.ts";
import { post, signatureOf } from "./webhook.ts";

const notice: Notice = {
  id: "k3x.41",
  event: "run_failed",
  run: { id: "k3x", number: 3, workflow: "feature-dev", task: "Ä “dark” mode", status: "failed" },
  story: null,
  step: "code",
  text: "The run failed: 🙂",
  gate: null,
  at: "2026-01-31T12:00:00.000Z",
};
const call = (more: Partial<DeliveryCall> = {}): DeliveryCall => ({
  at: 1_769_860_800_999,
  signal: new AbortController().signal,
  ...more,
});
const open = { secret: null, allowPrivate: true };

test("[NO11] the signature is the HMAC-SHA256 of timestamp, dot and body", () => {
  // Computed with: printf '1769860800.{"a":"ä"}' | openssl dgst -sha256 -hmac secret
  expect(signatureOf("secret", "1769860800", '{"a":"ä"}')).toBe(
    "sha256=339bd5347ad2e3191357f29180f03ec38e29e47d34b6a959ff18eee8532f6f75",
  );
});

test("[NO10 NO11 B76] a message is a signed POST of one document", async () => {
  const receiver = await startReceiver();
  const delivery = await post({ url: `${receiver.url}?key=1`, secret: "s3cret", allowPrivate: true }, notice, call());
  expect(delivery).toEqual({ outcome: "delivered" });
  const [received] = receiver.received;
  expect(received).toMatchObject({ method: "POST", path: "/hook?key=1", notice });
  expect(received?.headers).toMatchObject({
    "content-type": "application/json",
    "x-pawl-id": "k3x.41",
    "x-pawl-timestamp": "1769860800",
    "x-pawl-signature": signatureOf("s3cret", "1769860800", received?.body ?? ""),
  });
});

test("[NO11] without a secret there is no signature", async () => {
  const receiver = await startReceiver();
  await post({ url: receiver.url, ...open }, notice, call());
  expect(receiver.received[0]?.headers).not.toHaveProperty("x-pawl-signature");
});

test.each([
  [200, "delivered"],
  [204, "delivered"],
  [299, "delivered"],
  [400, "failed"],
  [401, "failed"],
  [404, "failed"],
  [408, "failed"],
  [410, "dropped"],
  [429, "failed"],
  [500, "failed"],
  [503, "failed"],
])("[NO12] %i: %s", async (status, outcome) => {
  const receiver = await startReceiver();
  receiver.answer = () => ({ status });
  expect(await post({ url: receiver.url, ...open }, notice, call())).toMatchObject({ outcome });
});

test("[NO13] redirects are not followed", async () => {
  const receiver = await startReceiver();
  const elsewhere = await startReceiver();
  receiver.answer = () => ({ status: 307, headers: { Location: elsewhere.url } });
  const delivery = await post({ url: receiver.url, ...open }, notice, call());
  expect(delivery).toEqual({ outcome: "failed", why: "it answered 307; redirects are not followed" });
  expect(elsewhere.received).toEqual([]);
});

test("[NO12] only the status counts: an answer that never ends is an answer", async () => {
  const server = createServer((socket) => {
    socket.on("error", () => undefined);
    socket.once("data", () => socket.write("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nhello\r\n"));
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  onTestFinished(() => void server.close());
  const { port } = server.address() as { port: number };
  expect(await post({ url: `http://127.0.0.1:${port}/`, ...open }, notice, call())).toEqual({ outcome: "delivered" });
});

test("[NO12] no answer, no connection or no HTTP is a failure with a reason", async () => {
  const receiver = await startReceiver();
  receiver.answer = () => null;
  const limit = new AbortController();
  setTimeout(() => limit.abort(new Error("no answer within 10 s")), 100);
  expect(await post({ url: receiver.url, ...open }, notice, call({ signal: limit.signal }))).toEqual({
    outcome: "failed",
    why: "no answer within 10 s",
  });
  await receiver.down();
  expect(await post({ url: receiver.url, ...open }, notice, call())).toMatchObject({
    outcome: "failed",
    why: expect.stringContaining("ECONNREFUSED"),
  });
  expect(await post({ url: "http://nowhere.invalid/", ...open }, notice, call())).toMatchObject({ outcome: "failed" });
});

test("[NO14 NO15] what is not public is refused, by address and by name; nothing is sent", async () => {
  const receiver = await startReceiver();
  const { port } = new URL(receiver.url);
  for (const host of ["127.0.0.1", "127.1", "localhost", "[::1]", "[::ffff:127.0.0.1]", "0.0.0.0"]) {
    const delivery = await post({ url: `http://${host}:${port}/`, secret: null, allowPrivate: false }, notice, call());
    expect(delivery).toMatchObject({ outcome: "failed", why: expect.stringContaining("not a public address") });
  }
  expect(receiver.received).toEqual([]);
});

test("[NO15] of a name's addresses the connection gets only those that were checked, each time anew", async () => {
  const answers: LookupAddress[][] = [
    [{ address: "93.184.215.14", family: 4 }],
    [{ address: "127.0.0.1", family: 4 }],
    [
      { address: "10.0.0.1", family: 4 },
      { address: "2606:4700::1111", family: 6 },
    ],
  ];
  const lookup = checkedLookup(false, (_name, _options, callback) => callback(null, answers.shift() ?? []));
  const ask = (options: { all?: boolean }) =>
    new Promise((resolve) => {
      lookup("rebinding.example", options, (error, address) => resolve(error ? error.message : address));
    });
  expect(await ask({})).toBe("93.184.215.14");
  expect(await ask({ all: true })).toBe(
    "rebinding.example (127.0.0.1) is not a public address, and allow_private is not set",
  );
  expect(await ask({ all: true })).toEqual([{ address: "2606:4700::1111", family: 6 }]);
});
