// Agents on PATH for tests: a directory of programs with the names of agents, and commands that find little besides them.

import { chmodSync, mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { type Called, pawl, type Site } from "./pawl.ts";

export interface AgentsOnPath {
  readonly env: Readonly<Record<string, string>>;
  /** Adds a program that answers `--version` and otherwise runs this shell text. A second call replaces it. */
  put(name: string, version: string, text?: string): void;
  pawl(...args: readonly string[]): Promise<Called>;
}

export function agentsOnPath(site: Site): AgentsOnPath {
  const dir = site.path("agents");
  mkdirSync(dir);
  const env = { PATH: `${dir}:/usr/bin:/bin` };
  return {
    env,
    put(name, version, text = "exit 1") {
      const file = join(dir, name);
      writeFileSync(file, `#!/bin/sh\nif [ "$1" = --version ]; then echo '${version}'; exit 0; fi\n${text}\n`);
      chmodSync(file, 0o755);
    },
    pawl: (...args) => pawl(args, { home: site.home, cwd: site.repo, env }),
  };
}
