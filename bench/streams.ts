// Measures streams of events: the processor time of the service for 200 streams, against a bare server that sends the same bytes, and
// how much later than a bare message an event that another process commits is at its client.

import { type ChildProcess, fork } from "node:child_process";
import { once } from "node:events";
import { mkdirSync } from "node:fs";
import { get, type IncomingMessage } from "node:http";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { createToken } from "../src/application/access/tokens.ts";
import { Application } from "../src/application/application.ts";
import type { RunId } from "../src/domain/ids.ts";
import type { Parts } from "../src/runtime/parts.ts";
import { applyIn } from "../src/runtime/transition/transition.ts";
import { type Measurement, median, ms } from "./measure.ts";
import { begin, openWorld, sixSteps } from "./world.ts";

const streamsOfAToken = 50;
const eventsInASecond = 500;
/** An even number, so that the run moves at the end. The disk, not the service, limits how many commits there are in a second. */
const eventsInACommit = 20;
const patienceMs = 120_000;
const message = `id: 1\ndata: {"type":"run_paused"}\n\n`;

export const streams: Measurement = {
  name: "streams",
  async measure({ quick, scratch }) {
    const home = join(scratch, "home");
    mkdirSync(home, { recursive: true, mode: 0o700 });
    const parts = await openWorld(home);
    const app = new Application({ cwd: scratch, env: { PAWL_HOME: home } });
    const servers: Server[] = [];
    try {
      const ours = await startServer("pawl", home, servers);
      const bare = await startServer("bare", home, servers);
      const run = await begin(parts, sixSteps);
      const from = await parts.store.lastSeq(run);
      const tokens: string[] = [];
      for (let count = 0; count < 4; count += 1) tokens.push((await createToken(app, { role: "read" })).token);
      const path = `/api/v1/runs/${run}/events?after=${from}`;
      const open = async (server: Server) =>
        await Promise.all(
          tokens.flatMap((token) =>
            Array.from({ length: streamsOfAToken }, () => Client.open(server.url + path, token)),
          ),
        );
      const [ourClients, bareClients] = [await open(ours), await open(bare)];
      const [first, other] = [ourClients[0], bareClients[0]];
      if (first === undefined || other === undefined) throw new Error("there are no streams");

      const late: number[] = [];
      const bareLate: number[] = [];
      let committed = 0;
      for (let index = 0; index < (quick ? 10 : 100); index += 1) {
        committed += await commit(parts, run, index, 1);
        const committedAt = performance.now();
        await first.received(committed);
        late.push(performance.now() - committedAt);
        const sentAt = performance.now();
        bare.child.send({ send: message });
        await other.received(index + 1);
        bareLate.push(performance.now() - sentAt);
      }

      const wanted = eventsInASecond * (quick ? 0.5 : 10);
      let events = 0;
      const before = committed;
      for (const client of ourClients) await client.received(before);
      const begunAt = performance.now();
      const cpuBefore = await cpuMsOf(ours);
      while (events < wanted) {
        events += await commit(parts, run, 0, eventsInACommit);
        const aheadMs = (events / eventsInASecond) * 1_000 - (performance.now() - begunAt);
        if (aheadMs > 1) await sleep(aheadMs);
      }
      for (const client of ourClients) await client.received(before + events);
      const tookMs = performance.now() - begunAt;
      const ourCpu = (await cpuMsOf(ours)) - cpuBefore;

      // The same messages, in chunks of the same number, in the same time.
      for (const client of bareClients) await client.received(other.count);
      const bareBefore = other.count;
      const bareCpuBefore = await cpuMsOf(bare);
      const chunks = first.chunksSince(before);
      const sendFrom = performance.now();
      for (const [index, chunk] of chunks.entries()) {
        bare.child.send({ send: chunk });
        const aheadMs = (index / chunks.length) * tookMs - (performance.now() - sendFrom);
        if (aheadMs > 1) await sleep(aheadMs);
      }
      for (const client of bareClients) await client.received(bareBefore + events);
      const bareCpu = (await cpuMsOf(bare)) - bareCpuBefore;
      const rate = Math.round(events / (tookMs / 1_000));
      return [
        {
          what: `CPU of 200 streams with ${rate} events a second, against a bare server with the same bytes`,
          measured: `${ms(ourCpu)} against ${ms(bareCpu)}`,
          value: ourCpu / bareCpu,
          unit: "times",
          target: { atMost: 2 },
        },
        {
          what: "from a commit to a client, beyond a bare message",
          measured: `${ms(median(late))} against ${ms(median(bareLate))}`,
          value: median(late) - median(bareLate),
          unit: "ms",
          target: { atMost: 100 },
        },
      ];
    } finally {
      for (const { child } of servers) child.kill("SIGKILL");
      await parts.store.close();
      await app.close();
    }
  },
};

interface Server {
  readonly child: ChildProcess;
  readonly url: string;
}

async function startServer(kind: "pawl" | "bare", home: string, servers: Server[]): Promise<Server> {
  const child = fork(join(import.meta.dirname, "streams-server.ts"), [kind, home]);
  const [{ url }] = (await once(child, "message", { signal: AbortSignal.timeout(patienceMs) })) as [{ url: string }];
  const server = { child, url };
  servers.push(server);
  return server;
}

async function cpuMsOf({ child }: Server): Promise<number> {
  const told = once(child, "message", { signal: AbortSignal.timeout(patienceMs) });
  child.send({});
  const [{ cpu }] = (await told) as [{ cpu: NodeJS.CpuUsage }];
  return (cpu.user + cpu.system) / 1_000;
}

/** Pauses the run and lets it move in turn, in one commit of this process. Returns how many events that is. */
async function commit(parts: Parts, run: RunId, first: number, times: number): Promise<number> {
  return await parts.store.transaction(async (tx) => {
    let events = 0;
    for (let index = first; index < first + times; index += 1) {
      const type = index % 2 === 0 ? "pause_run" : "resume_run";
      const decision = await applyIn(parts, tx, run, { type, at: parts.clock.now(), author: "bench" });
      if (!decision.accepted) throw new Error(`it was refused: ${decision.why}`);
      events += decision.events.length;
    }
    return events;
  });
}

/** A stream that counts its messages. */
class Client {
  readonly #chunks: { readonly upTo: number; readonly text: string }[] = [];
  #count = 0;
  #told: () => void = () => undefined;

  static async open(url: string, token: string): Promise<Client> {
    const headers = { authorization: `Bearer ${token}`, accept: "text/event-stream" };
    const response = await new Promise<IncomingMessage>((resolve, reject) =>
      get(url, { headers, agent: false }, resolve).once("error", reject),
    );
    if (response.statusCode !== 200) throw new Error(`the stream was answered with ${response.statusCode}`);
    return new Client(response);
  }

  private constructor(response: IncomingMessage) {
    response.on("error", () => undefined);
    response.setEncoding("utf8").on("data", (text: string) => {
      this.#count += text.match(/^data:/gm)?.length ?? 0;
      this.#chunks.push({ upTo: this.#count, text });
      this.#told();
    });
  }

  get count(): number {
    return this.#count;
  }

  chunksSince(count: number): readonly string[] {
    return this.#chunks.filter(({ upTo }) => upTo > count).map(({ text }) => text);
  }

  async received(count: number): Promise<void> {
    const deadline = performance.now() + patienceMs;
    while (this.#count < count) {
      if (performance.now() > deadline) throw new Error(`${this.#count} of ${count} messages arrived`);
      await new Promise<void>((resolve) => {
        const timer = setTimeout(resolve, 1_000);
        this.#told = () => {
          clearTimeout(timer);
          resolve();
        };
      });
    }
  }
}
