// The scene of a campaign with workers: a server, a network, a home, a repository and the processes of Pawl, and what an observer who is
// part of none of it sees.

import { execFile } from "node:child_process";
import { chmodSync, mkdirSync, mkdtempSync, readFileSync, realpathSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { canRenameHosts } from "../../support/other-host.ts";
import { pawl } from "../scene.ts";
import { type Line, type Network, openNetwork } from "./lines.ts";
import { environmentOf, Member, type MemberOptions } from "./member.ts";
import { actions, guestLabel, type Kind, workflowOf } from "./plan.ts";
import { type ServedRepository, serveRepository } from "./repository.ts";
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
  /** Its tree is being prepared: its agent has not been started. */
  readonly isEarly: boolean;
}

export interface WorkerScene {
  readonly dir: string;
  readonly home: string;
  readonly repo: string;
  readonly repository: ServedRepository;
  /** Agents write a line here before and after everything that they do. */
  readonly audit: string;
  readonly server: FaultyServer;
  readonly network: Network;
  /** Workers and the service of the home that has the repository, and guests. */
  readonly members: readonly Member[];
}

export interface Crew {
  readonly workers: number;
  /** None where two processes of this machine cannot have different host names. */
  readonly guests: number;
}

export async function makeWorkerScene({ workers, guests }: Crew): Promise<WorkerScene> {
  const dir = realpathSync(mkdtempSync(join(tmpdir(), "pawl-chaos-workers-")));
  // The server may run as another user.
  chmodSync(dir, 0o711);
  const at = (name: string) => join(dir, name);
  mkdirSync(at("home"), { mode: 0o700 });
  for (const kind of ["near", "far"] as const) writeFileSync(at(`${kind}.yml`), workflowOf(kind));
  writeFileSync(at("act.sh"), actions);
  writeFileSync(at("audit.log"), "");
  const repository = await serveRepository(at("repo"));
  const repo = repository.path;
  const server = await FaultyServer.start(at("server"));
  const names = [
    ...Array.from({ length: workers }, (_, index) => ({ kind: "worker" as const, name: `worker-${index}` })),
    { kind: "service" as const, name: "service" },
    ...Array.from({ length: canRenameHosts ? guests : 0 }, (_, index) => ({
      kind: "guest" as const,
      name: `guest-${index}`,
    })),
  ];
  const network = await openNetwork(names.length, { store: server.port, git: repository.port }, `pw${process.pid}n`);
  server.onMove = (port) => network.redirect(port);
  const members = names.map(({ name, kind }, index) => {
    const line = network.lines[index] as Line;
    const store = server.address(line.host, line.ports.store);
    const place = kind === "guest" ? guestHome(at(name), repository, line) : { home: at("home"), cwd: repo };
    return new Member({ name, kind, dir, line, store, ...place });
  });
  return { dir, home: at("home"), repo, repository, audit: at("audit.log"), server, network, members };
}

/** A home whose configuration says where the repository of the host is. */
function guestHome(home: string, { path, address }: ServedRepository, line: Line): Pick<MemberOptions, "home" | "cwd"> {
  mkdirSync(home, { mode: 0o700 });
  const from = address(line.host, line.ports.git);
  writeFileSync(
    join(home, "config.yml"),
    `worker:\n  labels: [${guestLabel}]\n  repositories: { ${JSON.stringify(path)}: ${JSON.stringify(from)} }\n`,
  );
  return { home, cwd: home };
}

/** Records a run and leaves; false: that did not work, perhaps because the server was away, and it may be there all the same. */
export async function record({ dir, home, repo, server }: WorkerScene, task: string, kind: Kind): Promise<boolean> {
  const act = `command: sh ${join(dir, "act.sh")} ${dir}`;
  const args = [pawl, "run", join(dir, `${kind}.yml`), task, "--repo", repo, "--executor", act, "--detach"];
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
  const words = `select attempt_id as attempt, leases.run_id as run, worker, phase = 'dispatched' as "isEarly"
    from leases join attempts on attempts.id = attempt_id`;
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
