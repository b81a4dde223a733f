// The repository of a campaign, on the machine of the host, and git's own server, by which guests reach it.

import { execFileSync, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdirSync, writeFileSync } from "node:fs";
import { basename, dirname, join } from "node:path";
import { freePort } from "../../postgres/cluster.ts";
import { until } from "../../support/until.ts";
import { git } from "../scene.ts";

export interface ServedRepository {
  readonly path: string;
  readonly port: number;
  /** As it is reached by that host and port. */
  address(host: string, port: number): string;
  close(): Promise<void>;
}

/** `path` must not exist. */
export async function serveRepository(path: string): Promise<ServedRepository> {
  mkdirSync(path, { mode: 0o700 });
  git(path, "init", "--quiet", "--template=", "--initial-branch=main");
  git(path, "config", "user.name", "User");
  git(path, "config", "user.email", "user@example.invalid");
  writeFileSync(join(path, "README.md"), "# a project\n");
  git(path, "add", "--all");
  git(path, "commit", "--quiet", "--message=first");
  const port = await freePort();
  // Not by `git daemon`, whose child would outlive it.
  const program = join(execFileSync("git", ["--exec-path"], { encoding: "utf8" }).trim(), "git-daemon");
  const place = ["--listen=127.0.0.1", `--port=${port}`, `--base-path=${dirname(path)}`];
  const child = spawn(program, [...place, "--reuseaddr", "--export-all", "--enable=receive-pack", path], {
    stdio: "ignore",
  });
  const end = () => void child.kill();
  process.once("exit", end);
  const address = (host: string, at: number) => `git://${host}:${at}/${basename(path)}`;
  await until(() => answers(address("127.0.0.1", port)));
  return {
    path,
    port,
    address,
    async close() {
      if (child.exitCode !== null || child.signalCode !== null) return;
      const ended = once(child, "exit");
      end();
      await ended;
    },
  };
}

function answers(address: string): boolean {
  try {
    execFileSync("git", ["ls-remote", "--quiet", address], { stdio: "ignore" });
    return true;
  } catch {
    return false;
  }
}
