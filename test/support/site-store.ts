// Where the sites of tests have their stores: each in its home, unless a setup file has said otherwise. `test/ways` puts every one on a
// PostgreSQL server and lets workers perform what is run there.

import type { ChildProcess } from "node:child_process";

export interface SiteStores {
  /** What names the store of this home in the environment of its processes. */
  variables(home: string): Readonly<Record<string, string>>;
  /** Called before a process of a command starts. */
  beforeCommand(command: SiteCommand): void;
  /** Called with the process of a command that was started for itself: what kills it means all that work for its home. */
  started(home: string, child: ChildProcess): void;
  /** What processes that no test has started have said, while this command followed them and before. */
  saidBeside(command: Pick<SiteCommand, "home" | "args">): string;
}

export interface SiteCommand {
  readonly home: string;
  readonly cwd: string;
  readonly args: readonly string[];
  readonly env: NodeJS.ProcessEnv;
}

const inTheHome: SiteStores = {
  variables: () => ({}),
  beforeCommand: () => undefined,
  started: () => undefined,
  saidBeside: () => "",
};

let stores = inTheHome;

export function siteStores(): SiteStores {
  return stores;
}

/** For all tests of this file. */
export function keepSiteStores(others: SiteStores): void {
  stores = others;
}
