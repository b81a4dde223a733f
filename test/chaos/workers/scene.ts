// The scene of a campaign with workers: a server, a network, a home, a repository and the processes of Pawl, and what an observer who is
// part of none of it sees.

import { execFile } from "node:child_process";
import { chmodSync, mkdirSync, mkdtempSync, readFileSync, realpathSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { git, pawl } from "../scene.ts";
import { type Network, openNetwork } from "./lines.ts";
import { environmentOf, Member } from "./member.ts";
import { actions, workflow } from "./plan.ts";
import { FaultyServer } from "./server.ts";

export interface SeenRun {
  readonly id: string;
  readonly task: string;
  readonly status: string;
}

/** An attempt that a process performs. */
export interface Held {
  readonly attempt: string;
  readonly run: string;
  readonly worker: string;
}

export interface WorkerScene {
  readonly dir: string;
  readonly home: string;
  readonly repo: string;
  /** Agents write a line here before and after everything that they do. */
  readonly audit: string;
  readonly server: FaultyServer;
  readonly network: Network;
  /** Workers, and the service as the last one. */
  readonly members: readonly Member[];
}

export async function makeWorkerScene(workers: number): Promise<WorkerScene> {
  const dir = realpathSync(mkdtempSync(join(tmpdir(), "pawl-chaos-workers-")));
  // The server may run as another user.
  chmodSync(dir, 0o711);
  const at = (name: string) => join(dir, name);
  for (const name of ["home", "repo"]) mkdirSync(at(name), { mode: 0o700 });
  writeFileSync(at("workflow.yml"), workflow);
  writeFileSync(at("act.sh"), actions);
  writeFileSync(at("audit.log"), "");
  const repo = at("repo");
  git(repo, "init", "--quiet", "--template=", "--initial-branch=main");
  git(repo, "config", "user.name", "User");
  git(repo, "config", "user.email", "user@example.invalid");
  writeFileSync(join(repo, "README.md"), "# a project\n");
  git(repo, "add", "--all");
  git(repo, "commit", "--quiet", "--message=first");
  const server = await FaultyServer.start(at("server"));
  const network = await openNetwork(workers + 1, server.port, `pw${process.pid}n`);
  server.onMove = (port) => network.redirect(port);
  const members = network.lines.map((line, index) => {
    const isService = index === workers;
    const store = server.address(line.host, line.port);
    const [name, kind] = isService ? (["service", "service"] as const) : ([`worker-${index}`, "worker"] as const);
    return new Member({ name, kind, dir, home: at("home"), repo, line, store });
  });
  return { dir, home: at("home"), repo, audit: at("audit.log"), server, network, members };
}

/** Records a run and leaves; false: that did not work, perhaps because the server was away, and it may be there all the same. */
export async function record({ dir, home, repo, server }: WorkerScene, task: string): Promise<boolean> {
  const act = `command: sh ${join(dir, "act.sh")} ${dir}`;
  const args = [pawl, "run", join(dir, "workflow.yml"), task, "--repo", repo, "--executor", act, "--detach"];
  const env = environmentOf(home, server.address("127.0.0.1", server.port));
  return await new Promise((resolve) => {
    execFile(process.execPath, args, { cwd: repo, env }, (error) => resolve(error === null));
  });
}

/** Null: the server is away. */
export async function runsOf({ server }: WorkerScene): Promise<readonly SeenRun[] | null> {
  return await server.ask<SeenRun>("select id, task, status from runs order by number");
}

export async function eventsOf({ server }: WorkerScene): Promise<number | null> {
  const found = await server.ask<{ readonly events: number }>("select sum(events)::int as events from totals");
  return found?.[0]?.events ?? null;
}

/** The attempts of this process; empty also when the server is away. */
export async function heldBy({ server }: WorkerScene, { pid }: Member): Promise<readonly Held[]> {
  const words = "select attempt_id as attempt, run_id as run, worker from leases";
  return ((await server.ask<Held>(words)) ?? []).filter(({ worker }) => pidOf(worker) === pid);
}

export async function drivenBy({ server }: WorkerScene, { pid }: Member): Promise<readonly string[]> {
  const words = "select run_id as run, worker from drivers";
  const found = (await server.ask<Pick<Held, "run" | "worker">>(words)) ?? [];
  return found.filter(({ worker }) => pidOf(worker) === pid).map(({ run }) => run);
}

/** How many of them were taken from their worker. Null: the server is away. */
export async function haveBeenLost({ server }: WorkerScene, attempts: readonly string[]): Promise<number | null> {
  const words =
    "select count(*)::int as count from attempts where phase = 'ended' and id = any($1) and body like '%\"outcome\":\"lost\"%'";
  return (await server.ask<{ readonly count: number }>(words, [attempts]))?.[0]?.count ?? null;
}

export function auditOf({ audit }: Pick<WorkerScene, "audit">): readonly string[] {
  return readFileSync(audit, "utf8")
    .split("\n")
    .filter((line) => line !== "");
}

function pidOf(worker: string): number {
  try {
    return (JSON.parse(worker) as { readonly pid: number }).pid;
  } catch {
    return 0;
  }
}
