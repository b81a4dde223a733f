// Messages on their way: from the commit to a real receiver.

import { createHmac } from "node:crypto";
import { mkdirSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { expect, test, vi } from "vitest";
import { queryFile } from "../../../test/support/database.ts";
import { type Receiver, startReceiver } from "../../../test/support/receiver.ts";
import { tempDir } from "../../../test/support/repository.ts";
import { until } from "../../../test/support/until.ts";
import { makeWorld, type World } from "../../../test/support/world.ts";
import { type Message, type MessageKind, messageKinds } from "../../domain/effect.ts";
import type { RunId } from "../../domain/ids.ts";
import { openTargets } from "../../notify/targets.ts";
import { systemClock } from "../../system/clock.ts";
import type { Log, Parts } from "../parts.ts";
import { transition } from "../transition/transition.ts";
import { Deliveries, deliverDue, retryAfterMs } from "./deliveries.ts";
import { noAttempts, performEffects } from "./effects.ts";

const secret = "a secret of the test";
process.env["PAWL_TEST_SECRET"] = secret;

const quick = { restMs: 20, firstRetryMs: 20, longestRetryMs: 200 };
const passing = '\n  - { id: s1, command: "true" }\n';
const failing = '\n  - { id: s1, command: "false", on_error: { fail: "it does not work" } }\n';

const hookTo = (receiver: Receiver, name = "hook", on: readonly MessageKind[] = messageKinds) =>
  `  - { kind: webhook, name: ${name}, url: "${receiver.url}", secret_env: PAWL_TEST_SECRET, allow_private: true, on: [${on.join(", ")}] }\n`;

test("[NO1 NO3 NO4 B76] a receiver that was down gets every message once it is up, in order per run, validly signed", async () => {
  const receiver = await startReceiver();
  const world = await makeWorld({ steps: failing, config: `notify:\n${hookTo(receiver)}` });
  await receiver.down();
  const runs = [await world.begin("one"), await world.begin("two")];
  for (const run of runs) await failThrice(world, run);
  const waiting = await messagesOf(world);
  expect(waiting.length).toBeGreaterThanOrEqual(6);
  expect(receiver.received).toEqual([]);

  const deliveries = new Deliveries(world.parts, quick);
  await sleep(300);
  // It comes back, and has trouble with every third message at first.
  let count = 0;
  receiver.answer = () => ({ status: (count += 1) % 3 === 0 ? 503 : 200 });
  await receiver.up();
  await untilEmpty(world);
  await deliveries.close(0);

  const accepted = receiver.received.filter((_, index) => (index + 1) % 3 !== 0);
  for (const run of runs) {
    const sent = waiting.filter((effect) => effect.run === run).map(({ id, message }) => [id, message.text]);
    const got = accepted.filter(({ notice }) => notice.run.id === run).map(({ notice }) => [notice.id, notice.text]);
    expect(got).toEqual(sent);
    expect(new Set(got.map(([id]) => id)).size).toBe(got.length);
  }
  expect(accepted).toHaveLength(waiting.length);
  for (const { headers, body } of receiver.received) {
    const signed = createHmac("sha256", secret)
      .update(`${String(headers["x-pawl-timestamp"])}.${body}`)
      .digest("hex");
    expect(headers["x-pawl-signature"]).toBe(`sha256=${signed}`);
    expect(headers["x-pawl-id"]).toBe((JSON.parse(body) as { id: string }).id);
  }
});

test("[NO6 NO7 B75] a receiver that hangs does not slow a run down, nor another target", async () => {
  const hanging = await startReceiver();
  const other = await startReceiver();
  hanging.answer = () => null;
  const config = `notify:\n${hookTo(hanging, "hanging")}${hookTo(other, "other")}`;
  const go = join(tempDir(), "go");
  const steps = `\n  - { id: s1, command: "true" }\n  - { id: s2, command: "until [ -e ${go} ]; do sleep 0.05; done" }\n`;
  const world = await makeWorld({ steps, config });
  const run = await world.begin();
  for (let n = 0; n < 30; n += 1) await tell(world, run, { text: `message ${n}` });
  const driving = world.drive(run);
  await until(() => hanging.unanswered > 0);
  await until(() => other.texts.length === 30);
  writeFileSync(go, "");
  await until(async () => (await world.status(run)) === "done");
  // The run is done, and the first message is still on its way, or on its way again.
  expect(new Set(hanging.texts)).toEqual(new Set(["message 0"]));
  expect(await driving).toBe("done");
  await until(() => hanging.unanswered === 0);
  expect(other.texts).toHaveLength(31);
  expect(other.texts.at(-1)).toBe("The run is done.");
  expect(await messagesOf(world)).toHaveLength(31);

  // What remained is for the next process.
  hanging.answer = () => ({ status: 200 });
  const later = await world.open(clockAt(60_000));
  const tries = hanging.texts.length;
  await deliverDue(later, 20_000);
  expect(hanging.texts.slice(tries)).toEqual(other.texts);
});

test("[NO1] a driver that is killed between the commit and the delivery loses no message", async () => {
  const receiver = await startReceiver();
  receiver.answer = () => null;
  const config = `notify:\n${hookTo(receiver)}`;
  const world = await makeWorld({ steps: passing, config });
  mkdirSync(dirname(world.home.configFile), { recursive: true });
  writeFileSync(world.home.configFile, config);
  const run = await world.begin();
  await tell(world, run, { text: "before" });
  const driver = world.startDriver(run);
  await until(() => receiver.received.length > 0);
  await until(async () => (await world.status(run)) === "done");
  await driver.kill();

  receiver.answer = () => ({ status: 200 });
  const survivor = await world.open(clockAt(60_000));
  expect(await world.drive(run, { parts: survivor })).toBe("done");
  // The first was on its way when the driver died: it comes again, with the same id.
  expect(receiver.texts).toEqual(["before", "before", "The run is done."]);
  expect(new Set(receiver.received.map(({ notice }) => notice.id)).size).toBe(2);
  expect(await messagesOf(world)).toEqual([]);
});

test("[NO1] what was only committed is delivered by the next process that opens the store", async () => {
  const receiver = await startReceiver();
  const world = await makeWorld({ config: `notify:\n${hookTo(receiver)}` });
  const run = await world.begin();
  await tell(world, run, { text: "one" });
  await tell(world, run, { text: "two" });
  await world.parts.store.close();
  const next = await world.open();
  await Promise.all([performEffects(next, noAttempts), performEffects(await world.open(), noAttempts)]);
  await deliverDue(next, 10_000);
  expect(receiver.texts).toEqual(["one", "two"]);
});

test("[NO2 NO9] a target gets the events it asked for, with words of a bearable length", async () => {
  const receiver = await startReceiver();
  const world = await makeWorld({ config: `notify:\n${hookTo(receiver, "hook", ["needs_you", "budget"])}` });
  const run = await world.begin("t".repeat(5_000));
  for (const kind of messageKinds) await tell(world, run, { kind, text: `${kind} ${"é".repeat(9_000)}` });
  await performEffects(world.parts, noAttempts);
  await deliverDue(world.parts, 10_000);
  expect(receiver.received.map(({ notice }) => notice.event)).toEqual(["needs_you", "budget"]);
  const [first] = receiver.received;
  expect(first?.notice).toMatchObject({
    story: null,
    step: "s1",
    run: { number: 1, workflow: "small", status: "running" },
  });
  expect([first?.notice.text.length, first?.notice.run.task.length]).toEqual([4_000, 1_000]);
});

test("[NO5] the time between two tries doubles up to ten minutes, a quarter more or less", () => {
  const times = { firstRetryMs: 1_000, longestRetryMs: 600_000 };
  const middle = (tries: number) => retryAfterMs(tries, times, 0.5);
  expect([1, 2, 3, 10, 11, 500].map(middle)).toEqual([1_000, 2_000, 4_000, 512_000, 600_000, 600_000]);
  expect([retryAfterMs(2, times, 0), retryAfterMs(2, times, 1)]).toEqual([1_500, 2_500]);
});

test("[NO5] a message that is too old is given up after its fifth failure, and lets the next one come", async () => {
  const receiver = await startReceiver();
  receiver.answer = ({ notice }) => ({ status: notice.text === "poison" ? 400 : 200 });
  const world = await makeWorld({ config: `notify:\n${hookTo(receiver)}` });
  const run = await world.begin();
  await tell(world, run, { text: "poison", at: Date.now() - 4 * 24 * 3_600_000 });
  await tell(world, run, { text: "next" });
  await performEffects(world.parts, noAttempts);
  const { parts, lines } = logging(world.parts);
  const deliveries = new Deliveries(parts, quick);
  await untilEmpty(world);
  await deliveries.close(0);
  expect(receiver.texts).toEqual([...Array.from({ length: 5 }, () => "poison"), "next"]);
  expect(lines.filter(({ event }) => event === "message.dropped")).toEqual([
    expect.objectContaining({ target: "hook", run, tries: 5, why: "given up: it answered 400" }),
  ]);
  expect(JSON.stringify(lines)).not.toContain("/hook");
  expect(JSON.stringify(lines)).not.toContain(secret);
});

test("[NO5] a message that is young is not given up, however often it fails", async () => {
  const receiver = await startReceiver();
  receiver.answer = () => ({ status: 404 });
  const world = await makeWorld({ config: `notify:\n${hookTo(receiver)}` });
  const run = await world.begin();
  await tell(world, run, { text: "young" });
  await performEffects(world.parts, noAttempts);
  const deliveries = new Deliveries(world.parts, { ...quick, longestRetryMs: 20 });
  await until(() => receiver.received.length > 8);
  await deliveries.close(0);
  expect(await messagesOf(world)).toHaveLength(1);
});

test("[NO6] many runs with messages for a target that hangs keep no other target waiting", async () => {
  const hanging = await startReceiver();
  const other = await startReceiver();
  hanging.answer = () => null;
  const world = await makeWorld({
    config: `notify:\n${hookTo(hanging, "hanging")}${hookTo(other, "other", ["run_done"])}`,
  });
  for (let n = 0; n < 25; n += 1) await tell(world, await world.begin(`run ${n}`), { kind: "stuck", text: "stuck" });
  await tell(world, await world.begin("last"), { kind: "run_done", text: "done" });
  await performEffects(world.parts, noAttempts);
  await performEffects(world.parts, noAttempts);
  const deliveries = new Deliveries(world.parts, quick);
  await until(() => other.received.length === 1);
  expect(hanging.received.length).toBeLessThanOrEqual(4);
  await deliveries.close(0);
});

test("[NO8] a target that is no longer configured gets nothing more", async () => {
  const receiver = await startReceiver();
  const world = await makeWorld({ config: `notify:\n${hookTo(receiver)}` });
  const run = await world.begin();
  await tell(world, run, { text: "for nobody" });
  await performEffects(world.parts, noAttempts);
  const { parts, lines } = logging({ ...world.parts, targets: [] });
  await deliverDue(parts, 10_000);
  expect(await messagesOf(world)).toEqual([]);
  expect(receiver.received).toEqual([]);
  expect(lines).toEqual([expect.objectContaining({ event: "message.dropped", target: "hook", run })]);
});

test("[NO14] a name that leads to this machine is refused, and a run does not wait for it", async () => {
  const receiver = await startReceiver();
  const world = await makeWorld({ steps: passing, config: `notify:\n${hookTo(receiver)}` });
  const { parts, lines } = logging(world.parts);
  const url = receiver.url.replace("127.0.0.1", "localhost");
  const config = {
    kind: "webhook",
    name: "hook",
    on: messageKinds,
    url,
    secretEnv: null,
    allowPrivate: false,
  } as const;
  const run = await world.begin();
  const strict = { ...parts, targets: openTargets([config], {}, world.dir) };
  expect(await world.drive(run, { parts: strict })).toBe("done");
  expect(receiver.received).toEqual([]);
  expect(lines).toContainEqual(
    expect.objectContaining({ event: "message.failed", why: expect.stringContaining("not a public address") }),
  );
});

test("[NO16 X26] a command is told like a webhook, and nothing but its exit code counts", async () => {
  const config = `notify: [{ kind: command, on: [run_done], command: [sh, -c, 'test -e refuse && exit 1; cat >> told'] }]`;
  const world = await makeWorld({ steps: passing, config });
  writeFileSync(`${world.home.dir}/refuse`, "");
  const run = await world.begin();
  expect(await world.drive(run)).toBe("done");
  expect(world.read("told")).toBe("");
  rmSync(`${world.home.dir}/refuse`);
  await deliverDue(await world.open(clockAt(60_000)), 20_000);
  expect(JSON.parse(world.read("told"))).toMatchObject({ event: "run_done", run: { id: run, status: "done" } });
});

test("[NO19] without the secret no run starts, nothing is recorded, and what waits is left to others", async () => {
  const receiver = await startReceiver();
  const world = await makeWorld({ steps: passing, config: `notify:\n${hookTo(receiver)}` });
  const run = await world.begin();
  await tell(world, run, { text: "signed" });
  await performEffects(world.parts, noAttempts);
  vi.stubEnv("PAWL_TEST_SECRET", "");
  const warnings: string[] = [];
  const poor = { ...(await world.open()), warn: (text: string) => void warnings.push(text) };
  await expect(world.begin("another", poor)).rejects.toMatchObject({
    code: "CONFIG_INVALID",
    message: expect.stringContaining("PAWL_TEST_SECRET is not set"),
    hint: expect.stringContaining("set PAWL_TEST_SECRET"),
  });
  expect(await world.parts.store.listRuns({ statuses: null, limit: 10 })).toHaveLength(1);
  expect(await world.drive(run, { parts: poor })).toBe("done");
  expect(warnings).toEqual([expect.stringContaining("its messages wait")]);
  expect(receiver.received).toEqual([]);
  await deliverDue(world.parts, 10_000);
  expect(receiver.texts).toEqual(["signed", "The run is done."]);
});

async function failThrice(world: World, run: RunId): Promise<void> {
  for (let n = 0; n < 3; n += 1) {
    if (n > 0)
      await transition(world.parts, run, {
        type: "retry_run",
        at: Date.now(),
        author: "user",
        story: null,
        step: null,
      });
    expect(await world.drive(run)).toBe("failed");
  }
}

/** As the engine asks for it, in the run's own order. */
async function tell(world: World, run: RunId, message: Partial<Message>): Promise<void> {
  const effect = {
    type: "notify",
    run,
    message: { kind: "stuck", story: null, step: "s1", text: "", at: Date.now(), ...message },
  } as const;
  await world.parts.store.transaction(async (tx) => {
    const loaded = await tx.load(run, () => []);
    if (!loaded) throw new Error(`there is no run ${run}`);
    await tx.save(loaded, { accepted: true, events: [], effects: [effect], run: loaded.run });
  });
}

async function messagesOf(world: World) {
  const rows = queryFile(world.home.storeFile, "select effect from outbox order by id");
  const effects = rows.map(
    ({ effect }) => JSON.parse(effect as string) as { type: string; run: string; id: string; message: Message },
  );
  return effects.filter(({ type }) => type === "deliver" || type === "notify");
}

async function untilEmpty(world: World): Promise<void> {
  await until(async () => (await messagesOf(world)).length === 0);
}

function logging(parts: Parts): { parts: Parts; lines: Record<string, unknown>[] } {
  const lines: Record<string, unknown>[] = [];
  const log: Log = (event, fields) => void lines.push({ event, ...fields });
  return { parts: { ...parts, log }, lines };
}

/** So much later: what a dead process had taken is free again. */
const clockAt = (laterMs: number) => ({ ...systemClock, now: () => Date.now() + laterMs });
