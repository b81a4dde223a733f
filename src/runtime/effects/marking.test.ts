// One message per question, marked when it is over: from the commit to a server that plays the service.

import { mkdirSync, writeFileSync } from "node:fs";
import { dirname } from "node:path";
import { expect, test } from "vitest";
import { queryFile } from "../../../test/support/database.ts";
import { type PlayedService, playService } from "../../../test/support/played-service.ts";
import { until } from "../../../test/support/until.ts";
import { makeWorld, type World } from "../../../test/support/world.ts";
import type { RunId } from "../../domain/ids.ts";
import { systemClock } from "../../system/clock.ts";
import type { Log } from "../parts.ts";
import { transition } from "../transition/transition.ts";
import { Deliveries, deliverDue } from "./deliveries.ts";
import { noAttempts, performEffects } from "./effects.ts";

process.env["PAWL_TEST_BOT"] = "123:the-token-of-the-test";
const quick = { restMs: 20, firstRetryMs: 20, longestRetryMs: 200 };
const asking = '\n  - { id: ask, gate: "Is it good?" }\n  - { id: s2, command: "true" }\n';

const telegram = (service: PlayedService) =>
  `notify:\n  - { kind: telegram, name: phone, token_env: PAWL_TEST_BOT, chat: 5, api_url: "${service.url}", allow_private: true }\n`;

const taken = () => ({ status: 200, json: { ok: true, result: { message_id: 77 } } });

async function asked(): Promise<{ service: PlayedService; world: World; run: RunId }> {
  const service = await playService();
  service.answer = taken;
  const world = await makeWorld({ steps: asking, config: telegram(service) });
  return { service, world, run: await world.begin() };
}

async function answer(world: World, run: RunId, option = "approve"): Promise<void> {
  const [gate] = await world.parts.store.openGates(run);
  if (!gate) throw new Error("nothing is asked");
  await transition(world.parts, run, {
    type: "answer_gate",
    at: Date.now(),
    author: "user:ada",
    story: null,
    gate: gate.gate.id,
    option,
    note: "",
    tree: gate.gate.tree,
  });
}

async function deliver(world: World): Promise<void> {
  await performEffects(world.parts, noAttempts);
  await deliverDue(world.parts, 10_000);
}

const methods = (service: PlayedService) => service.requests.map(({ path }) => path.split("/").at(-1));
const sent = (world: World) => queryFile(world.home.storeFile, "select * from sent_messages");
const waiting = (world: World) => queryFile(world.home.storeFile, "select * from outbox where lane like 'deliver:%'");
const later = { ...systemClock, now: () => Date.now() + 60_000 };

test("[PU9 PU10] a question is one message, which is edited when somebody answers elsewhere", async () => {
  const { service, world, run } = await asked();
  expect(await world.drive(run)).toBe("held");
  await deliver(world);
  expect(methods(service)).toEqual(["sendMessage"]);
  await answer(world, run);
  expect(sent(world)).toEqual([]);
  expect(waiting(world)).toHaveLength(1);
  await deliver(world);
  expect(methods(service)).toEqual(["sendMessage", "editMessageText"]);
  expect(service.requests[1]?.json).toMatchObject({ message_id: 77, reply_markup: { inline_keyboard: [] } });
  expect(service.requests[1]?.json.text).toContain("It was answered with “approve” by user:ada.");
  await deliver(world);
  expect([methods(service).length, sent(world), waiting(world)]).toEqual([2, [], []]);
});

test("[PU10] a question that is no longer asked is marked, too", async () => {
  const { service, world, run } = await asked();
  await world.drive(run);
  await transition(world.parts, run, { type: "cancel_run", at: Date.now(), author: "user:ada", reason: "enough" });
  await deliver(world);
  expect(methods(service)).toEqual(["sendMessage", "editMessageText"]);
  expect(service.requests[1]?.json.text).toContain("It is no longer asked");
});

test("[PU11] a question that is answered while its message is on its way is marked as soon as it has arrived", async () => {
  const { service, world, run } = await asked();
  let release = () => undefined as void;
  const after = new Promise<void>((resolve) => (release = resolve));
  service.answer = () => ({ ...taken(), after });
  const deliveries = new Deliveries(world.parts, quick);
  const driving = world.drive(run);
  await until(() => service.unanswered === 1);
  await until(async () => (await world.parts.store.openGates(run)).length === 1);
  await answer(world, run);
  release();
  await until(() => methods(service).includes("editMessageText"));
  await driving;
  await deliveries.close(5_000);
  expect(methods(service)).toEqual(["sendMessage", "editMessageText"]);
  expect(sent(world)).toEqual([]);
});

test("[PU11] a question that was answered before its message could be sent is not sent", async () => {
  const { service, world, run } = await asked();
  await service.down();
  await world.drive(run);
  await answer(world, run);
  await service.up();
  const lines: Record<string, unknown>[] = [];
  const log: Log = (event, fields) => void lines.push({ event, ...fields });
  await deliverDue({ ...(await world.open(later)), log }, 10_000);
  expect(service.requests).toEqual([]);
  expect(lines).toContainEqual(expect.objectContaining({ event: "message.dropped", target: "phone" }));
});

test("[PU9 PU12] a driver that is killed after the message was taken sends it no second time, and what it left is marked", async () => {
  const service = await playService();
  service.answer = taken;
  const config = telegram(service);
  const world = await makeWorld({ steps: asking, config });
  mkdirSync(dirname(world.home.configFile), { recursive: true });
  writeFileSync(world.home.configFile, config);
  const run = await world.begin();
  const driver = world.startDriver(run);
  await until(() => sent(world).length === 1);
  await driver.kill();
  const survivor = await world.open(later);
  expect(await world.drive(run, { parts: survivor })).toBe("held");
  expect(methods(service)).toEqual(["sendMessage"]);

  // The answer is committed while the service is down, and the process that gave it is gone.
  await service.down();
  await answer(world, run);
  await deliverDue(world.parts, 50);
  await service.up();
  await deliverDue(await world.open({ ...systemClock, now: () => Date.now() + 600_000 }), 10_000);
  expect(methods(service)).toEqual(["sendMessage", "editMessageText"]);
  expect(waiting(world)).toEqual([]);
});

test("[PU9] a message whose answer was lost comes again: Telegram has no key for it", async () => {
  const { service, world, run } = await asked();
  service.answer = () => null;
  await world.drive(run);
  expect(service.requests.length).toBeGreaterThan(0);
  service.answer = taken;
  await performEffects(world.parts, noAttempts);
  await deliverDue(await world.open(later), 10_000);
  expect(new Set(methods(service))).toEqual(new Set(["sendMessage"]));
  expect(sent(world)).toHaveLength(1);
});

test("[PU8] a service that asks for patience gets it, and at most an hour of it", async () => {
  const { service, world, run } = await asked();
  service.answer = () => ({ status: 429, json: { ok: false, parameters: { retry_after: 900 } } });
  await world.drive(run);
  await deliver(world);
  const dueIn = () => Number(waiting(world)[0]?.["not_before"]) - Date.now();
  expect(dueIn()).toBeGreaterThan(880_000);
  expect(dueIn()).toBeLessThanOrEqual(900_000);
  service.answer = () => ({ status: 429, json: { ok: false, parameters: { retry_after: 900_000 } } });
  await deliverDue(await world.open({ ...systemClock, now: () => Date.now() + 1_000_000 }), 5_000);
  expect(dueIn()).toBeLessThanOrEqual(1_000_000 + 3_600_000);
});

test("[PU12] a message that people deleted is left alone", async () => {
  const { service, world, run } = await asked();
  await world.drive(run);
  await deliver(world);
  service.answer = () => ({ status: 400, json: { ok: false, description: "Bad Request: message to edit not found" } });
  await answer(world, run);
  await deliver(world);
  expect(methods(service)).toEqual(["sendMessage", "editMessageText"]);
  expect(waiting(world)).toEqual([]);
});

test("[PU13] the log has neither the token nor the address", async () => {
  const { service, world, run } = await asked();
  await world.drive(run);
  service.answer = () => ({ status: 500, json: {} });
  await answer(world, run);
  const lines: string[] = [];
  const log: Log = (event, fields) => void lines.push(JSON.stringify({ event, ...fields }));
  const parts = { ...world.parts, log };
  await performEffects(parts, noAttempts);
  await deliverDue(parts, 2_000);
  expect(lines.join("\n")).toContain("it answered 500");
  expect(lines.join("\n")).not.toMatch(/the-token-of-the-test|bot123|editMessageText/);
});
