// A pool before the server. Needs PgBouncer, which few machines have; without it, this is skipped.

import { spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { chmodSync, chownSync, readFileSync, writeFileSync } from "node:fs";
import { createServer } from "node:net";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { onPostgres, openStoreAt, postgresAddress } from "../../../test/support/postgres.ts";
import { tempDir } from "../../../test/support/repository.ts";
import { until } from "../../../test/support/until.ts";

onPostgres();

const program = ["/usr/sbin/pgbouncer", "pgbouncer"].find((name) => spawnSync(name, ["--version"]).status === 0);

test.skipIf(program === undefined)(
  "[SO103] a pool that does not keep sessions is refused, and one that keeps them works",
  async () => {
    const address = postgresAddress("pooled");
    const pooled = await startPool(address, "transaction");
    await expect(openStoreAt(pooled)).rejects.toMatchObject({
      code: "STORE_UNUSABLE",
      message: expect.stringContaining("does not keep sessions"),
      hint: expect.stringContaining("pool_mode = session"),
    });
    await (await openStoreAt(await startPool(address, "session"))).close();
  },
);

/** The address of a store behind a pool of its own. */
async function startPool(address: string, mode: "transaction" | "session"): Promise<string> {
  const url = new URL(address);
  const dir = tempDir("pawl-pool-");
  const port = await freePort();
  const settings = [
    "[databases]",
    `* = host=${url.hostname} port=${url.port}`,
    "[pgbouncer]",
    "listen_addr=127.0.0.1",
    `listen_port=${port}`,
    "auth_type=plain",
    `auth_file=${join(dir, "users")}`,
    `pool_mode=${mode}`,
    "unix_socket_dir=",
  ];
  writeFileSync(join(dir, "pool.ini"), `${settings.join("\n")}\n`);
  writeFileSync(join(dir, "users"), `"${url.username}" "${url.password}"\n`);
  // It refuses to run as root.
  const nobody = process.getuid?.() === 0 ? idsOf("nobody") : null;
  chmodSync(dir, 0o755);
  if (nobody !== null) for (const name of ["pool.ini", "users"]) chownSync(join(dir, name), nobody.uid, nobody.gid);
  const child = spawn(program ?? "", [join(dir, "pool.ini")], { ...nobody, stdio: ["ignore", "ignore", "pipe"] });
  onTestFinished(async () => {
    child.kill("SIGKILL");
    if (child.exitCode === null && child.signalCode === null) await once(child, "exit");
  });
  let said = "";
  child.stderr.setEncoding("utf8").on("data", (text: string) => {
    said += text;
  });
  await until(() => said.includes("process up") || child.exitCode !== null);
  expect(said).toContain("process up");
  url.port = String(port);
  return url.href;
}

function idsOf(user: string) {
  const line = readFileSync("/etc/passwd", "utf8")
    .split("\n")
    .find((each) => each.startsWith(`${user}:`));
  const [, , uid, gid] = line?.split(":") ?? [];
  return { uid: Number(uid), gid: Number(gid) };
}

async function freePort(): Promise<number> {
  const probe = createServer().listen(0, "127.0.0.1");
  await once(probe, "listening");
  const { port } = probe.address() as { readonly port: number };
  probe.close();
  await once(probe, "close");
  return port;
}
