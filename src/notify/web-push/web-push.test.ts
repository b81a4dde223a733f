// Web push: the encryption of the standard, who sends, and one message to one browser.

import { createPublicKey, verify } from "node:crypto";
import { statSync, writeFileSync } from "node:fs";
import { expect, test } from "vitest";
import { pushBrowser } from "../../../test/support/browser-keys.ts";
import { playService } from "../../../test/support/played-service.ts";
import { tempDir } from "../../../test/support/repository.ts";
import type { BrowserSubscription } from "../../domain/push-subscription.ts";
import { pushKey, pushKeyFile } from "../../system/push-key.ts";
import type { Notice } from "../target.ts";
import { browsers } from "./browsers.ts";
import { encrypted, mostPushBytes } from "./encryption.ts";
import { problemOfEndpoint } from "./endpoint.ts";
import { areBrowserKeys } from "./keys.ts";
import { vapidHeader } from "./vapid.ts";

const at = Date.parse("2026-01-31T12:00:00.000Z");
const call = (receiver: string) => ({ at, signal: new AbortController().signal, receiver });
const bytes = (text: string) => Buffer.from(text, "base64url");
const notice: Notice = {
  id: "k3x.41",
  event: "needs_you",
  run: { id: "k3x", number: 3, workflow: "feature-dev", task: "Add a dark mode", status: "held" },
  story: null,
  step: "review",
  text: "Is it good? 🙂",
  gate: {
    id: "k3x.1",
    options: ["approve"],
    cause: "step",
    feedback: "secret words of an agent",
    tree: null,
    deadline: { at: "2026-01-31T13:00:00.000Z", option: "approve" },
    link: "https://pawl.example.com/g/LINK",
  },
  at: "2026-01-31T12:00:00.000Z",
};

test("[PU21] the encryption is that of RFC 8291, by its own example", () => {
  const keys = {
    p256dh: bytes("BCVxsr7N_eNgVRqvHtD0zTZsEc6-VV-JvLexhqUzORcxaOzi6-AYWXvTBHm4bjyPjs7Vd8pZGH6SRpkNtoIAiw4"),
    auth: bytes("BTBZMqHH6r4Tts7J_aSIgg"),
  };
  const chosen = {
    privateKey: bytes("yfWPiYE-n46HLnH0KqZOF1fJJU3MYrct3AELtAQ-oRw"),
    salt: bytes("DGv6ra1nlYgDCS1FRnbzlw"),
  };
  const body = encrypted(Buffer.from("When I grow up, I want to be a watermelon"), keys, chosen);
  expect(body.toString("base64url")).toBe(
    "DGv6ra1nlYgDCS1FRnbzlwAAEABBBP4z9KsN6nGRTbVYI_c7VJSPQTBtkgcy27mlmlMoZIIgDll6e3vCYLocInmYWAmS6TlzAC8wEqKK6PBru3jl7A_yl95bQpu6cVPTpK4Mqgkf1CXztLVBSt2Ks3oZwbuwXPXLWyouBWLVWGNWQexSgSxsj_Qulcy4a-fN",
  );
});

test("[PU21] each message has keys of its own; the longest fits into one record, and a longer one is refused", () => {
  const browser = pushBrowser();
  const keys = { p256dh: bytes(browser.p256dh), auth: bytes(browser.auth) };
  const plain = Buffer.alloc(mostPushBytes, "x");
  const [one, two] = [encrypted(plain, keys), encrypted(plain, keys)];
  expect([one.length, browser.read(one), browser.read(two)]).toEqual([4_096, plain.toString(), plain.toString()]);
  expect(one.equals(two)).toBe(false);
  expect(() => encrypted(Buffer.alloc(mostPushBytes + 1), keys)).toThrow("too long");
});

test("[PU20] the key is made once, private, and signs for the origin of the push service", () => {
  const home = tempDir();
  const key = pushKey(home);
  expect(pushKey(home)).toEqual(key);
  expect([statSync(pushKeyFile(home)).mode & 0o777, key.publicKey.length]).toEqual([0o600, 65]);
  const header = vapidHeader(key, new URL("https://push.example.com/send/abc?x=1"), "https://pawl.example.com", at);
  const [, head = "", claims = "", signature = "", k = ""] =
    /^vapid t=([\w-]+)\.([\w-]+)\.([\w-]+), k=([\w-]+)$/.exec(header) ?? [];
  expect(JSON.parse(bytes(head).toString())).toEqual({ typ: "JWT", alg: "ES256" });
  expect(JSON.parse(bytes(claims).toString())).toEqual({
    aud: "https://push.example.com",
    exp: at / 1000 + 12 * 3600,
    sub: "https://pawl.example.com",
  });
  expect(bytes(k)).toEqual(key.publicKey);
  const [x, y] = [key.publicKey.subarray(1, 33), key.publicKey.subarray(33)].map((part) => part.toString("base64url"));
  const shown = createPublicKey({ key: { kty: "EC", crv: "P-256", x: x ?? "", y: y ?? "" }, format: "jwk" });
  const signed = Buffer.from(`${head}.${claims}`);
  expect(verify("sha256", signed, { key: shown, dsaEncoding: "ieee-p1363" }, bytes(signature))).toBe(true);
  writeFileSync(pushKeyFile(home), "short");
  expect(() => pushKey(home)).toThrow("not a key that Pawl made");
});

test("[PU23] endpoints are https and public, and keys are those of a browser", () => {
  expect(problemOfEndpoint("https://fcm.googleapis.com/fcm/send/abc")).toBeNull();
  for (const wrong of [
    "",
    "push.example.com",
    "http://push.example.com/a",
    "https://localhost/a",
    "https://127.0.0.1/a",
    "https://[::1]/a",
    "https://10.0.0.1/a",
    "https://169.254.169.254/latest",
    "https://user:pass@push.example.com/a",
    "https://push.example.com/#a",
    `https://push.example.com/${"a".repeat(1_000)}`,
  ])
    expect({ wrong, problem: problemOfEndpoint(wrong) }).not.toEqual({ wrong, problem: null });
  const { p256dh, auth } = pushBrowser();
  expect(areBrowserKeys({ p256dh: bytes(p256dh), auth: bytes(auth) })).toBe(true);
  const offCurve = Buffer.from(bytes(p256dh));
  offCurve[64] = (offCurve[64] ?? 0) ^ 1;
  for (const [wrongKey, wrongAuth] of [
    [offCurve, bytes(auth)],
    [bytes(p256dh).subarray(1), bytes(auth)],
    [bytes(p256dh), bytes(auth).subarray(1)],
    [Buffer.alloc(65), bytes(auth)],
  ] as const)
    expect(areBrowserKeys({ p256dh: wrongKey, auth: wrongAuth })).toBe(false);
});

async function world(allowPrivate = true) {
  const service = await playService();
  service.answer = () => ({ status: 201 });
  const [phone, laptop] = [pushBrowser(), pushBrowser()];
  const subscribed = (id: string, { p256dh, auth }: typeof phone): BrowserSubscription => ({
    id,
    endpoint: `${service.url}/send/${id}`,
    p256dh,
    auth,
    token: "browser",
    createdAt: 0,
  });
  let kept = [subscribed("phone", phone), subscribed("laptop", laptop)];
  const home = tempDir();
  const target = browsers(
    {
      list: async () => kept,
      remove: async (id) => {
        kept = kept.filter((each) => each.id !== id);
      },
    },
    () => ({ key: pushKey(home), contact: "mailto:pawl@example.com", allowPrivate }),
  );
  return { service, phone, target, ids: () => kept.map(({ id }) => id) };
}

test("[PU22 PU26] a browser alone can read its message, which is urgent, has a time to live and a topic", async () => {
  const { service, phone, target } = await world();
  expect(await target.receivers?.()).toEqual(["phone", "laptop"]);
  expect(await target.deliver(notice, call("phone"))).toEqual({ outcome: "delivered", receipt: "push" });
  const [sent] = service.requests;
  expect(sent).toMatchObject({
    method: "POST",
    path: "/send/phone",
    headers: {
      "content-encoding": "aes128gcm",
      ttl: "3600",
      urgency: "high",
      topic: expect.stringMatching(/^[\w-]{32}$/),
    },
  });
  expect(sent?.headers.authorization).toMatch(/^vapid t=/);
  expect(sent?.bytes.toString("latin1")).not.toContain("good");
  expect(JSON.parse(phone.read(sent?.bytes ?? Buffer.alloc(0)))).toEqual({
    title: "Run #3 (feature-dev) needs you",
    body: "Add a dark mode · review\nIs it good? 🙂\nWithout an answer by Sat, 31 Jan 2026 13:00:00 GMT: approve.",
    tag: sent?.headers["topic"],
    path: "/gates/k3x.1",
    silent: false,
  });
});

test("[PU10 PU22] when the question is over, the same topic and tag take its place without a sound", async () => {
  const { service, phone, target } = await world();
  await target.deliver(notice, call("phone"));
  const over = { receipt: "push", how: "It was answered with “approve” by user:ada." };
  expect(await target.mark?.(notice, over, call("phone"))).toEqual({ outcome: "delivered" });
  const [first, second] = service.requests;
  expect(second?.headers).toMatchObject({ urgency: "low", topic: first?.headers["topic"] });
  expect(JSON.parse(phone.read(second?.bytes ?? Buffer.alloc(0)))).toMatchObject({
    title: "Run #3 (feature-dev) asked",
    body: expect.stringContaining(over.how),
    tag: first?.headers["topic"],
    silent: true,
  });
});

test("[PU22] the end of a run opens the run and is kept for three days", async () => {
  const { service, phone, target } = await world();
  await target.deliver({ ...notice, event: "run_failed", gate: null, text: "é".repeat(4_000) }, call("phone"));
  const [sent] = service.requests;
  expect(sent?.headers).toMatchObject({ ttl: "259200", urgency: "normal" });
  expect(JSON.parse(phone.read(sent?.bytes ?? Buffer.alloc(0)))).toMatchObject({ path: "/runs/3" });
});

test.each([404, 410])("[PU24] %i removes the subscription, and only that one", async (status) => {
  const { service, target, ids } = await world();
  service.answer = () => ({ status });
  expect(await target.deliver(notice, call("phone"))).toMatchObject({ outcome: "dropped" });
  expect(ids()).toEqual(["laptop"]);
  expect(await target.deliver(notice, call("phone"))).toMatchObject({
    outcome: "dropped",
    why: "the browser is not subscribed any more",
  });
  expect(service.requests).toHaveLength(1);
});

test("[PU24] any other refusal keeps the subscription and is tried again, when the service wants it", async () => {
  const { service, target, ids } = await world();
  for (const status of [307, 400, 401, 403, 413, 500]) {
    service.answer = () => ({ status });
    expect(await target.deliver(notice, call("phone"))).toMatchObject({ outcome: "failed" });
  }
  service.answer = () => ({ status: 429, headers: { "retry-after": "30" } });
  expect(await target.deliver(notice, call("phone"))).toMatchObject({ outcome: "failed", retryAfterMs: 30_000 });
  expect(ids()).toEqual(["phone", "laptop"]);
});

test("[PU23] nothing is sent to an address that is not public, also when it was subscribed", async () => {
  const { service, target, ids } = await world(false);
  expect(await target.deliver(notice, call("phone"))).toMatchObject({
    outcome: "failed",
    why: expect.stringContaining("not a public address"),
  });
  expect([service.requests, ids()]).toEqual([[], ["phone", "laptop"]]);
});
