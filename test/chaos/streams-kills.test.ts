// A hundred streams over kills of the process that serves them, while another process commits: each client ends with every event,
// once.

import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { setTimeout as sleep } from "node:timers/promises";
import { expect, onTestFinished, test } from "vitest";
import { createToken } from "../../src/application/access/tokens.ts";
import { replay } from "../../src/engine/evolve.ts";
import { openSqliteStore } from "../../src/store/sqlite/open.ts";
import { systemClock } from "../../src/system/clock.ts";
import { applicationIn } from "../support/http-service.ts";
import { wholeLog } from "../support/logs.ts";
import { patienceMs, testMs } from "../support/patience.ts";
import { chooser } from "../support/random-run.ts";
import { tempDir } from "../support/repository.ts";
import { chainOf } from "../support/sample-runs.ts";
import { Transitions } from "../support/transitions.ts";
import { until } from "../support/until.ts";

const clients = 100;
const kills = 3;
/** The streams that are open now. */
const connected = new Set<object>();
const steps = 24;

test("[SM4] a hundred streams over kills of the serving process end with every event, once", {
  timeout: testMs,
}, async () => {
  const app = applicationIn(tempDir());
  const { token } = await createToken(app, { role: "read" });
  const store = await openSqliteStore(app.home.storeFile, systemClock);
  onTestFinished(async () => await store.close());
  const others = new Transitions(store);
  const run = await others.start(chainOf(steps));
  const choose = chooser(11);
  let server = await serving(app.home.dir, "0");
  const { port } = new URL(server.url);
  const following = Array.from({ length: clients }, (_, index) =>
    follow(`http://127.0.0.1:${port}/api/v1/${index % 4 === 3 ? "events" : `runs/${run}/events`}`, token, (message) =>
      index % 4 === 3 ? message.includes('"status":"done"') : message.includes('"type":"run_ended"'),
    ),
  );
  for (let step = 1; step <= steps; step += 1) {
    await others.perform(run, `step-${step}`);
    await sleep(choose(20));
    if (step % Math.ceil(steps / (kills + 1)) !== 0 || step === steps) continue;
    // Every kill hits every stream.
    await until(() => connected.size === clients);
    server.child.kill("SIGKILL");
    await once(server.child, "exit");
    server = await serving(app.home.dir, port);
  }
  const last = await store.lastSeq(run);
  const all = Array.from({ length: last }, (_, index) => index + 1);
  const final = replay(await wholeLog(store, run))?.header.end?.status;
  let connects = 0;
  const digests: unknown[] = [];
  for (const [index, client] of (await Promise.all(following)).entries()) {
    connects += client.connects;
    const hasDigests = index % 4 === 3;
    // A digest stands for several changes in a row, so that some numbers are left out.
    const wanted = hasDigests ? [...new Set(client.ids)].toSorted((a, b) => a - b) : all;
    expect(client.ids).toEqual(wanted);
    if (hasDigests) digests.push(JSON.parse(client.last));
  }
  expect(digests).toHaveLength(clients / 4);
  for (const digest of digests) expect(digest).toMatchObject({ run, seq: last, status: final });
  expect(connects).toBeGreaterThanOrEqual((kills + 1) * clients);
});

async function serving(home: string, port: string): Promise<{ child: ChildProcess; url: string }> {
  const program = new URL("../support/serving-program.ts", import.meta.url).pathname;
  const child = spawn(process.execPath, [program, home, port], { stdio: ["ignore", "pipe", "inherit"] });
  onTestFinished(() => void child.kill("SIGKILL"));
  const [url] = (await once(child.stdout.setEncoding("utf8"), "data")) as [string];
  return { child, url: url.trim() };
}

interface Followed {
  readonly ids: readonly number[];
  readonly last: string;
  readonly connects: number;
}

/** As a browser does it: comes back with the id of the last whole message. */
async function follow(url: string, token: string, isLast: (message: string) => boolean): Promise<Followed> {
  const ids: number[] = [];
  let last = "";
  let connects = 0;
  const own = {};
  for (const end = Date.now() + patienceMs * 2; Date.now() < end; await sleep(30)) {
    try {
      const headers = { authorization: `Bearer ${token}`, accept: "text/event-stream" };
      const place = ids.at(-1);
      const answer = await fetch(url, {
        headers: place === undefined ? headers : { ...headers, "last-event-id": String(place) },
      });
      connects += 1;
      connected.add(own);
      let rest = "";
      const decoder = new TextDecoder();
      for await (const bytes of answer.body ?? []) {
        const blocks = (rest + decoder.decode(bytes as Uint8Array, { stream: true })).split("\n\n");
        rest = blocks.pop() ?? "";
        for (const block of blocks) {
          const [, id, data] = /^id: (\d+)\ndata: (.*)$/s.exec(block) ?? [];
          if (id === undefined || data === undefined) continue;
          ids.push(Number(id));
          last = data;
          if (isLast(data)) return { ids, last, connects };
        }
      }
    } catch {
      // The server was killed.
    } finally {
      connected.delete(own);
    }
  }
  throw new Error(`${url} did not come to its end: ${ids.length} messages, ${connects} connections`);
}
