// Starts a PostgreSQL server for the tests of the store, once for all test files, with nothing that makes it safe: what it has is thrown
// away. A vitest global setup. `PAWL_TEST_POSTGRES` names a server that is there already, as a user who may create databases. Where none
// can be started, one line says why, and the tests are skipped; `PAWL_POSTGRES=required` makes it an error instead.

import type { ChildProcess } from "node:child_process";
import { randomBytes } from "node:crypto";
import { once } from "node:events";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { TestProject } from "vitest/node";
import { firstLine } from "../support/installed-packages.ts";
import type { FoundServer } from "../support/postgres.ts";
import { findPrograms, freePort, makeCluster, startCluster } from "./cluster.ts";

export default async function startPostgres(project: TestProject): Promise<() => Promise<void>> {
  const given = process.env["PAWL_TEST_POSTGRES"];
  const started =
    given === undefined ? await tryToStart() : { url: given, why: null, lasts: true, stop: async () => undefined };
  if (started.why !== null) {
    if (process.env["PAWL_POSTGRES"] === "required")
      throw new Error(`the tests on PostgreSQL cannot run: ${started.why}`);
    console.warn(`tests on PostgreSQL: skipped, ${started.why}`);
  }
  project.provide("postgres", { url: started.url, why: started.why, lasts: started.lasts } as FoundServer);
  return started.stop;
}

type Started = FoundServer & { readonly stop: () => Promise<void> };

export async function tryToStart(): Promise<Started> {
  const dir = mkdtempSync(join(tmpdir(), "pawl-postgres-"));
  const remove = () => rmSync(dir, { recursive: true, force: true });
  try {
    const { url, server } = await start(dir);
    const stop = async () => {
      server.kill("SIGINT");
      if (server.exitCode === null) await once(server, "exit");
      remove();
    };
    return { url, why: null, lasts: false, stop };
  } catch (error) {
    remove();
    return { url: null, why: firstLine(error), lasts: false, stop: async () => undefined };
  }
}

async function start(dir: string): Promise<{ readonly url: string; readonly server: ChildProcess }> {
  const programs = await findPrograms(dir);
  const password = randomBytes(12).toString("hex");
  const data = await makeCluster(programs, dir, password);
  const port = await freePort();
  const settings = ["fsync=off", "synchronous_commit=off", "full_page_writes=off", "listen_addresses=127.0.0.1"];
  const quick = ["shared_buffers=64MB", "max_connections=120", `unix_socket_directories=${dir}`, `port=${port}`];
  const server = await startCluster(programs, data, [...settings, ...quick]);
  return { url: `postgres://pawl:${password}@127.0.0.1:${port}/postgres`, server };
}
