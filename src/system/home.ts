// Pawl's home. Owns: the paths of Pawl's own files, in $PAWL_HOME or else in the XDG state directory.

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
    demos: join(dir, "demos"),
    serviceFile: join(dir, "service.json"),
  };
}

export function hostName(): string {
  return hostname();
}
