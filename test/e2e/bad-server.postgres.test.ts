// Servers that cannot be used, by the command line: each command says what is wrong and what to do, in two lines, without a password and
// without a stack.

import { execFileSync } from "node:child_process";
import { randomBytes } from "node:crypto";
import { once } from "node:events";
import { closeSync, existsSync, mkdtempSync, openSync, rmSync, writeFileSync, writeSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import pg from "pg";
import { expect, onTestFinished, test } from "vitest";
import { findPrograms, freePort, makeCluster, startCluster } from "../postgres/cluster.ts";
import {
  type Called,
  expectCode,
  newSite,
  pawl,
  type Site,
  type StatusDocument,
  startPawl,
  writeAt,
} from "../support/pawl.ts";
import { addressAs, administer, onPostgres, postgresAddress } from "../support/postgres.ts";
import { until } from "../support/until.ts";

onPostgres();

const password = "Tr0ub4dor-3-secret";

/** A user with a password who may connect, and nothing else. */
async function newUser(settings = ""): Promise<string> {
  const name = `u_${randomBytes(6).toString("hex")}`;
  await administer((client) => client.query(`create role ${name} login password '${password}' ${settings}`));
  onTestFinished(async () => void (await administer((client) => client.query(`drop role ${name}`))));
  return name;
}

function changed(address: string, change: (url: URL) => void): string {
  const url = new URL(address);
  change(url);
  return url.href;
}

function workflowOf(site: Site): string {
  return writeAt(
    site,
    "small.yml",
    "pawl: 1\nid: small\nagents: { worker: {} }\nsteps: [{ id: work, agent: worker }]\n",
  );
}

/** What went wrong, and what to do: two lines and nothing else. */
function expectTrouble({ code, stderr }: Called, says: string, hint: string): void {
  expect({ code, stderr }).toEqual({
    code: 4,
    stderr: expect.stringMatching(/^error\[STORE_UNUSABLE\]: .+\nhint: .+\n$/),
  });
  expect(stderr.split("\n")[0]).toContain(says);
  expect(stderr.split("\n")[1]).toContain(hint);
  expect(stderr).not.toContain(password);
}

const servers: readonly (readonly [what: string, address: () => Promise<string>, says: string, hint: string])[] = [
  [
    "a host that is not there",
    async () => changed(postgresAddress(), (url) => (url.host = "127.0.0.1:1")),
    "cannot be reached",
    "check the host and the port",
  ],
  [
    "a wrong password",
    async () => addressAs(postgresAddress(), await newUser(), `${password}-not`),
    "refused the login",
    "PGPASSFILE",
  ],
  [
    "a database that is not there",
    async () => changed(postgresAddress(), (url) => (url.pathname = "/no_such_database")),
    "no such database",
    "createdb",
  ],
  [
    "a user without rights",
    async () => addressAs(postgresAddress(), await newUser(), password),
    "lacks a right",
    "CREATE SCHEMA",
  ],
  [
    "a server without a connection left",
    async () => addressAs(postgresAddress(), await newUser("connection limit 0"), password),
    "no connection left",
    "max_connections",
  ],
];

test.each(servers)(
  "[SO64 SO67] %s: a command that looks, one that starts a run, and a worker say so",
  async (_, address, says, hint) => {
    const site = newSite();
    const options = { home: site.home, cwd: site.repo, env: { PAWL_STORE: await address() } };
    const commands = [["runs"], ["run", workflowOf(site), "Do it", "--executor", "command: true"], ["worker"]];
    for (const called of await Promise.all(commands.map((words) => pawl(words, options))))
      expectTrouble(called, says, hint);
  },
);

/** A server of this test alone: what is done to it happens to no other test. */
async function ownServer() {
  const dir = mkdtempSync(join(tmpdir(), "pawl-server-"));
  const programs = await findPrograms(dir);
  const data = await makeCluster(programs, dir, password);
  const port = await freePort();
  const settings = ["listen_addresses=127.0.0.1", `port=${port}`, `unix_socket_directories=${dir}`];
  let stop = async (): Promise<void> => undefined;
  onTestFinished(async () => {
    await stop();
    rmSync(dir, { recursive: true, force: true });
  });
  return {
    data,
    user: programs.user,
    address: `postgres://pawl:${password}@127.0.0.1:${port}/postgres`,
    async start() {
      const server = await startCluster(programs, data, settings);
      stop = async () => {
        server.kill("SIGINT");
        if (server.exitCode === null) await once(server, "exit");
      };
    },
    stop: async () => await stop(),
  };
}

test("[SO64] a replica: the same, and it is left to follow its primary", async () => {
  const server = await ownServer();
  const site = newSite();
  const options = { home: site.home, cwd: site.repo, env: { PAWL_STORE: server.address } };
  await server.start();
  expectCode(await pawl(["runs"], options), 0);
  await server.stop();
  writeFileSync(join(server.data, "standby.signal"), "");
  await server.start();
  for (const words of [["runs"], ["worker"]]) expectTrouble(await pawl(words, options), "read-only", "primary");
});

/**
 * A database on a small disk; null: none can be mounted here. Its server is its own: one that cannot write a page of this database
 * fails whatever makes it try, which may be the work of another one.
 */
async function smallDisk(): Promise<{ readonly address: string; fill(): void; free(): void } | null> {
  const server = await ownServer();
  const disk = mkdtempSync(join(tmpdir(), "pawl-disk-"));
  const owner = server.user ?? { uid: process.getuid?.(), gid: process.getgid?.() };
  const settings = `size=48m,mode=700,uid=${owner.uid},gid=${owner.gid}`;
  try {
    execFileSync("/bin/mount", ["-t", "tmpfs", "-o", settings, "pawl-test", disk], { stdio: "ignore" });
  } catch {
    rmSync(disk, { recursive: true });
    return null;
  }
  onTestFinished(() => {
    execFileSync("/bin/umount", ["-l", disk]);
    rmSync(disk, { recursive: true });
  });
  await server.start();
  const client = new pg.Client({ connectionString: server.address });
  await client.connect();
  await client.query(`create tablespace small location '${disk}'`);
  await client.query("create database small tablespace small");
  await client.end();
  const ballast = join(disk, "ballast");
  return {
    address: changed(server.address, (url) => (url.pathname = "/small")),
    fill() {
      const handle = openSync(ballast, "w");
      try {
        for (;;) writeSync(handle, Buffer.alloc(4096));
      } catch {
        closeSync(handle);
      }
    },
    free: () => rmSync(ballast),
  };
}

/** It cannot be compressed. */
const long = () => randomBytes(90_000).toString("base64");

test("[SO104] a full disk of the server: nothing is lost, a worker keeps the result of its agent, and all goes on when there is space", async (context) => {
  const disk = await smallDisk();
  if (disk === null) return context.skip("a small disk of the server cannot be mounted here");
  const site = newSite();
  const options = { home: site.home, cwd: site.repo, env: { PAWL_STORE: disk.address } };
  disk.fill();
  const atFirst = await pawl(["runs"], options);
  expectCode(atFirst, 4);
  expect(atFirst.stderr).toMatch(
    /^error\[STORE_FULL\]: the server of .+ has no disk space left: .+\nhint: free some disk space .+\n$/,
  );
  disk.free();

  const agent = `cat > /dev/null; touch '${site.path("began")}'; until [ -e '${site.path("go")}' ]; do sleep 0.05; done
cat '${writeAt(site, "answer.txt", `CHANGES: ${long()}\nSTATUS: done\n`)}'
`;
  const start = ["run", workflowOf(site), "--executor", `command: sh ${writeAt(site, "agent.sh", agent)}`, "--detach"];
  expectCode(await pawl([...start, "Do it"], options), 0);
  const worker = startPawl(["worker", "--json"], options);
  onTestFinished(async () => {
    worker.child.kill("SIGKILL");
    await worker.ended;
  });
  await until(() => existsSync(site.path("began")));
  disk.fill();
  let started = 1;
  let called = await pawl([...start, long()], options);
  // Tables have room for a while.
  for (; called.code === 0 && started < 100; called = await pawl([...start, long()], options)) started += 1;
  expectCode(called, 4);
  expect(called.stderr).toContain("error[STORE_FULL]");
  writeFileSync(site.path("go"), "");
  await until(() => worker.stderr().includes("the result of work waits"));
  expect(worker.child.exitCode).toBe(null);
  disk.free();
  const runs = async () =>
    JSON.parse((await pawl(["runs", "--json"], options)).stdout) as { runs: { status: string }[] };
  await until(async () => (await runs()).runs.every(({ status }) => status === "done"));
  expect((await runs()).runs).toHaveLength(started);
  const work = JSON.parse((await pawl(["status", "1", "--json"], options)).stdout) as StatusDocument;
  expect(work.steps.map(({ attempts }) => attempts)).toEqual([1]);
});
