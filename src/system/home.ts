// Pawl's home. Owns: the paths of Pawl's own files, in $PAWL_HOME or else in the XDG state directory.

import { existsSync, readdirSync } from "node:fs";
import { homedir, hostname } from "node:os";
import { isAbsolute, join, resolve } from "node:path";

export interface Home {
  readonly dir: string;
  readonly storeFile: string;
  readonly configFile: string;
  /** Role files and logs of agents. */
  readonly agents: string;
  readonly workflows: string;
  readonly worktrees: string;
  readonly logs: string;
  /** Work of attempts that were lost or rolled back, as diffs. */
  readonly salvage: string;
  /** A file for each checkout that is being moved. */
  readonly forwarding: string;
  readonly demos: string;
  /** Names the service of this home; absent: none runs. */
  readonly serviceFile: string;
}

export function findHome(env: Readonly<Record<string, string | undefined>>): Home {
  const state = env["XDG_STATE_HOME"];
  const dir = env["PAWL_HOME"]
    ? resolve(env["PAWL_HOME"])
    : join(state && isAbsolute(state) ? state : join(homedir(), ".local", "state"), "pawl");
  return {
    dir,
    storeFile: join(dir, "pawl.db"),
    configFile: join(dir, "config.yml"),
    agents: join(dir, "agents"),
    workflows: join(dir, "workflows"),
    worktrees: join(dir, "worktrees"),
    logs: join(dir, "logs"),
    salvage: join(dir, "salvage"),
    forwarding: join(dir, "forwarding"),
    demos: join(dir, "demos"),
    serviceFile: join(dir, "service.json"),
  };
}

/** The names of the files that say which checkouts are being moved; mostly none. */
export function movesIn({ forwarding }: Pick<Home, "forwarding">): readonly string[] {
  return existsSync(forwarding) ? readdirSync(forwarding).filter((name) => name.endsWith(".json")) : [];
}

export function hostName(): string {
  return hostname();
}
