// Web push over a real service: subscribing, whose a subscription is, and what is refused.

import { expect, test } from "vitest";
import { subscriptionsIn } from "../../src/app.ts";
import { createToken, revokeToken, tokens } from "../../src/application/access/tokens.ts";
import type { ProblemDocument } from "../../src/contracts/http-documents.ts";
import { systemClock } from "../../src/system/clock.ts";
import { clientOf } from "../support/api-client.ts";
import { pushBrowser } from "../support/browser-keys.ts";
import { type Service, serve } from "../support/http-service.ts";

const root = "/api/v1/push";

function subscription(name: string) {
  const { p256dh, auth } = pushBrowser();
  return { endpoint: `https://push.example.com/send/${name}`, expirationTime: null, keys: { p256dh, auth } };
}

async function listed({ app }: Service, clock = systemClock): Promise<readonly string[]> {
  const { store } = (await app.read()).parts;
  return (await subscriptionsIn({ store, clock }).list()).map(({ endpoint }) => endpoint.split("/").at(-1) ?? "");
}

test("[PU23] a browser subscribes as its own API gives it, again without a second one, and leaves", async () => {
  const service = await serve();
  const [reader, phone, other] = [clientOf(service, "read"), clientOf(service, "answer"), clientOf(service, "operate")];
  const { publicKey } = (await reader.get(root)).body;
  expect(Buffer.from(publicKey, "base64url")).toHaveLength(65);
  const given = subscription("a");
  const first = await phone.post(`${root}/subscriptions`, given);
  expect(first).toMatchObject({ status: 201, body: { service: "push.example.com" } });
  const again = await phone.post(`${root}/subscriptions`, { ...given, keys: subscription("a").keys });
  expect(again.body.id).toBe(first.body.id);
  expect((await phone.get(root)).body).toEqual({ publicKey, subscriptions: [again.body] });
  expect(JSON.stringify((await phone.get(root)).body)).not.toContain("/send/a");
  // It is nobody else's: others neither see nor remove it, unless they operate.
  expect((await reader.get(root)).body.subscriptions).toEqual([]);
  expect((await reader.post(`${root}/subscriptions`, given)).status).toBe(403);
  const mine = await other.post(`${root}/subscriptions`, subscription("b"));
  expect((await phone.post(`${root}/subscriptions/${mine.body.id}/remove`)).status).toBe(404);
  expect((await phone.post(`${root}/subscriptions/${first.body.id}/remove`)).body).toEqual(again.body);
  expect((await other.post(`${root}/subscriptions/${first.body.id}/remove`)).status).toBe(404);
  expect(await listed(service)).toEqual(["b"]);
});

test("[PU23] what is not a subscription of a browser is refused", async () => {
  const service = await serve();
  const phone = clientOf(service, "answer");
  const good = subscription("a");
  for (const wrong of [
    { ...good, endpoint: "http://push.example.com/a" },
    { ...good, endpoint: "https://127.0.0.1/a" },
    { ...good, endpoint: "https://localhost:9/a" },
    { ...good, endpoint: `https://push.example.com/${"a".repeat(2_000)}` },
    { ...good, keys: { ...good.keys, auth: "AAAA" } },
    { ...good, keys: { ...good.keys, p256dh: Buffer.alloc(65, 4).toString("base64url") } },
    { endpoint: good.endpoint },
    {},
  ])
    expect((await phone.post(`${root}/subscriptions`, wrong)).status).toBe(400);
  expect(await listed(service)).toEqual([]);
});

test("[PU23] there are at most twenty, and five of one token; who operates sees and removes those of all", async () => {
  const service = await serve();
  const [phone, operator] = [clientOf(service, "answer"), clientOf(service, "operate")];
  const subscribe = async (secret: string, name: string) =>
    await fetch(`${service.url}${root}/subscriptions`, {
      method: "POST",
      headers: { authorization: `Bearer ${secret}`, "content-type": "application/json" },
      body: JSON.stringify(subscription(name)),
    });
  const secrets: string[] = [];
  for (const name of ["t0", "t1", "t2", "t3", "t4"])
    secrets.push((await createToken(service.app, { role: "answer", name })).token);
  for (let count = 0; count < 20; count += 1)
    expect((await subscribe(secrets[Math.floor(count / 5)] ?? "", `${count}`)).status).toBe(201);
  const sixth = await subscribe(secrets[0] ?? "", "more");
  expect([sixth.status, ((await sixth.json()) as ProblemDocument).detail]).toEqual([
    409,
    expect.stringContaining("with this token"),
  ]);
  const full = await subscribe(secrets[4] ?? "", "more");
  expect([full.status, ((await full.json()) as ProblemDocument).detail]).toEqual([
    409,
    "20 browsers have subscribed already",
  ]);
  // One that is there may still give new keys.
  expect((await subscribe(secrets[1] ?? "", "7")).status).toBe(201);
  expect(await listed(service)).toHaveLength(20);

  expect((await phone.get(`${root}/subscriptions`)).status).toBe(403);
  const { subscriptions } = (await operator.get(`${root}/subscriptions`)).body;
  expect(subscriptions).toHaveLength(20);
  expect(subscriptions[0]).toMatchObject({ token: "t0", service: "push.example.com" });
  expect(JSON.stringify(subscriptions)).not.toContain("/send/");
  expect((await operator.post(`${root}/subscriptions/${subscriptions[0].id}/remove`)).status).toBe(200);
  expect((await subscribe(secrets[0] ?? "", "more")).status).toBe(201);
});

test("[PU25] the browser of a token that was revoked or has expired gets nothing, and leaves its place to others", async () => {
  const service = await serve();
  const { app } = service;
  const { token: secret } = await createToken(app, { role: "answer", name: "phone", validMs: 3_600_000 });
  const send = async () =>
    await fetch(`${service.url}${root}/subscriptions`, {
      method: "POST",
      headers: { authorization: `Bearer ${secret}`, "content-type": "application/json" },
      body: JSON.stringify(subscription("phone")),
    });
  expect((await send()).status).toBe(201);
  expect(await listed(service)).toEqual(["phone"]);
  expect(await listed(service, { ...systemClock, now: () => Date.now() + 3_600_001 })).toEqual([]);
  await revokeToken(app, "phone");
  expect(await listed(service)).toEqual([]);
  // Another token of that name is another token.
  const { store, clock } = (await app.read()).parts;
  const later = { name: "phone", role: "answer", hash: "h", createdAt: clock.now() + 10, expiresAt: null } as const;
  await store.addToken(later);
  expect((await tokens(app)).tokens.map(({ name }) => name)).toEqual(["phone"]);
  expect(await listed(service)).toEqual([]);
  await clientOf(service, "answer").post(`${root}/subscriptions`, subscription("laptop"));
  expect((await store.subscriptions()).map(({ endpoint }) => endpoint.split("/").at(-1))).toEqual(["laptop"]);
});
