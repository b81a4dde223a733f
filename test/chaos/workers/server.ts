// The PostgreSQL server of a campaign, which dies in several ways and comes back. What it has told a client to be committed must be
// there again, so unlike the server of the other tests it writes its log before it answers.

import type { ChildProcess } from "node:child_process";
import { randomBytes } from "node:crypto";
import { once } from "node:events";
import { chmodSync, chownSync, cpSync, mkdirSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import pg from "pg";
import { isAlive, type ProcessIdentity } from "../../../src/system/process/identity.ts";
import { descendantsOf } from "../../../src/system/process/strays.ts";
import { findPrograms, freePort, makeCluster, type ServerPrograms, startCluster } from "../../postgres/cluster.ts";
import { until } from "../../support/until.ts";

const schema = "pawl";

interface Node {
  readonly dir: string;
  readonly data: string;
  readonly port: number;
  process: ChildProcess;
}

export class FaultyServer {
  /** Told when another process serves the store. */
  onMove: (port: number) => void = () => undefined;
  readonly #programs: ServerPrograms;
  readonly #dir: string;
  readonly #password: string;
  #node: Node;
  #nodes = 1;
  #asking: pg.Pool;

  /** `dir` must not exist; users of the machine can look into the directory that has it. */
  static async start(dir: string): Promise<FaultyServer> {
    mkdirSync(dir);
    chmodSync(dir, 0o755);
    const programs = await findPrograms(dir);
    const password = randomBytes(12).toString("hex");
    const place = join(dir, "1");
    mkdirSync(place);
    const data = await makeCluster(programs, place, password);
    const port = await freePort();
    const process = await startServer(programs, { dir: place, data, port });
    return new FaultyServer(programs, dir, password, { dir: place, data, port, process });
  }

  private constructor(programs: ServerPrograms, dir: string, password: string, node: Node) {
    this.#programs = programs;
    this.#dir = dir;
    this.#password = password;
    this.#node = node;
    this.#asking = this.#poolOf(node.port);
  }

  get port(): number {
    return this.#node.port;
  }

  /** As it is reached by that host and port. */
  address(host: string, port: number): string {
    return `postgres://pawl:${this.#password}@${host}:${port}/postgres?schema=${schema}`;
  }

  /** Past everything that a campaign does to the network; null: it is not there at the moment. */
  async ask<Row>(words: string, values: readonly unknown[] = []): Promise<readonly Row[] | null> {
    try {
      return (await this.#asking.query(words, [...values])).rows as readonly Row[];
    } catch {
      return null;
    }
  }

  /** As a machine does that loses its power, except that what was written to its files is there. */
  async kill(): Promise<void> {
    await killAll(this.#node.process);
  }

  /** Immediate stop: no checkpoint, and every client is cut off. */
  async stopAtOnce(): Promise<void> {
    await end(this.#node.process, "SIGQUIT");
  }

  async restart(): Promise<void> {
    await this.#start([]);
  }

  /** One of its processes dies, and so it ends all others and recovers by itself. */
  async killBackend(choose: (below: number) => number): Promise<void> {
    const words = "select pid from pg_stat_activity where backend_type = 'client backend' and pid <> pg_backend_pid()";
    const found = (await this.ask<{ readonly pid: number }>(words)) ?? [];
    const chosen = found[choose(Math.max(1, found.length))];
    if (chosen !== undefined) process.kill(chosen.pid, "SIGKILL");
  }

  /**
   * From now on a standby, made from a cold copy, has every commit before its client hears of it. Resolves when it follows; the server
   * was away for a moment.
   */
  async addStandby(): Promise<Standby> {
    await end(this.#node.process, "SIGINT");
    this.#nodes += 1;
    const dir = join(this.#dir, String(this.#nodes));
    const data = join(dir, "data");
    cpSync(this.#node.data, data, { recursive: true });
    chmodSync(data, 0o700);
    const { user } = this.#programs;
    writeFileSync(join(data, "standby.signal"), "");
    const files = readdirSync(dir, { recursive: true, encoding: "utf8" }).map((name) => join(dir, name));
    if (user !== null) for (const place of [dir, ...files]) chownSync(place, user.uid, user.gid);
    const port = await freePort();
    await this.#start(["synchronous_standby_names=*"]);
    const primary = `host=127.0.0.1 port=${this.#node.port} user=pawl password=${this.#password}`;
    const process = await startServer(this.#programs, { dir, data, port }, [`primary_conninfo=${primary}`]);
    await until(async () => {
      const found = await this.ask<{ readonly state: string }>("select sync_state as state from pg_stat_replication");
      return found?.some(({ state }) => state === "sync") === true;
    });
    return { node: { dir, data, port, process } };
  }

  /** The server dies, and its standby takes its place. */
  async failOver({ node }: Standby): Promise<void> {
    const before = this.#node;
    await killAll(before.process);
    const promoted = this.#poolOf(node.port);
    await promoted.query("select pg_promote()");
    await this.#asking.end();
    this.#asking = promoted;
    this.#node = node;
    this.onMove(node.port);
    rmSync(before.dir, { recursive: true, force: true });
  }

  async close(): Promise<void> {
    await this.#asking.end();
    await end(this.#node.process, "SIGINT");
  }

  async #start(more: readonly string[]): Promise<void> {
    this.#node.process = await startServer(this.#programs, this.#node, more);
  }

  #poolOf(port: number): pg.Pool {
    const url = new URL(this.address("127.0.0.1", port));
    url.searchParams.delete("schema");
    const pool = new pg.Pool({ connectionString: url.href, options: `-c search_path=${schema}`, max: 3 });
    // A server that dies ends connections that nobody waits for.
    pool.on("error", () => undefined);
    pool.on("connect", (client) => client.on("error", () => undefined));
    return pool;
  }
}

export interface Standby {
  readonly node: Node;
}

/** No disk is waited for: the machine itself stays up. */
function settingsOf({ dir, port }: Pick<Node, "dir" | "port">): readonly string[] {
  const quick = ["fsync=off", "full_page_writes=off", "shared_buffers=32MB", "max_wal_size=128MB", "min_wal_size=32MB"];
  // What no client was told of is lost with the server, and its transaction ids are given again.
  const forgetful = ["wal_writer_delay=10s", "bgwriter_delay=10s"];
  const copied = ["wal_level=replica", "wal_keep_size=64MB", "wal_receiver_status_interval=1s"];
  return [
    ...quick,
    ...forgetful,
    ...copied,
    "synchronous_commit=on",
    "max_connections=120",
    "listen_addresses=127.0.0.1",
    `unix_socket_directories=${dir}`,
    `port=${port}`,
  ];
}

/** The first process is stopped meanwhile, so that it neither starts others nor notices that they are gone. */
async function killAll(server: ChildProcess): Promise<void> {
  const { pid } = server;
  if (pid === undefined || server.exitCode !== null) return;
  const ended = once(server, "exit");
  process.kill(pid, "SIGSTOP");
  const others = await descendantsOf(pid);
  for (const each of others) tryToKill(each);
  process.kill(pid, "SIGKILL");
  await ended;
  while (others.some((each) => isAlive(each))) await sleep(5);
}

async function end(server: ChildProcess, signal: NodeJS.Signals): Promise<void> {
  if (server.exitCode !== null || server.signalCode !== null) return;
  const ended = once(server, "exit");
  server.kill(signal);
  await ended;
}

function tryToKill({ pid }: ProcessIdentity): void {
  try {
    process.kill(pid, "SIGKILL");
  } catch {
    // It has ended since it was found.
  }
}

/** A campaign that is interrupted leaves no server behind. */
const living = new Set<ChildProcess>();
process.once("exit", () => {
  for (const server of living) server.kill("SIGQUIT");
});

async function startServer(
  programs: ServerPrograms,
  { data, ...place }: Omit<Node, "process">,
  more: readonly string[] = [],
): Promise<ChildProcess> {
  const server = await startCluster(programs, data, [...settingsOf(place), ...more]);
  living.add(server);
  server.once("exit", () => living.delete(server));
  return server;
}
