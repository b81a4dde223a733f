// Configuration. Owns: `$PAWL_HOME/config.yml` and `.pawl/config.yml` in the repository. The second wins where it may: it can
// tighten limits, never loosen them, and it cannot hand variables of the user's environment to a program.

import { existsSync } from "node:fs";
import { join } from "node:path";
import type { Definition } from "../domain/definition.ts";
import type { TargetConfig } from "../notify/target.ts";
import type { ConfigFile, ExecutorConfig } from "./config-file.ts";

export interface Config {
  readonly defaultExecutor: string | null;
  readonly executors: Readonly<Record<string, ExecutorConfig>>;
  readonly agents: number;
  readonly budget: ConfigFile["budget"];
  /** Only the user's own: a repository could have the words of its users sent anywhere. */
  readonly notify: readonly TargetConfig[];
  /** What the repository's file wanted and may not. */
  readonly warnings: readonly string[];
}

const defaultAgents = 4;

export async function readConfig(homeFile: string, repo: string | null): Promise<Config> {
  const own = await readIfThere(homeFile);
  const theirs = repo === null ? nothing : await readIfThere(join(repo, ".pawl", "config.yml"));
  const warnings: string[] = [];
  const allowed = new Set(Object.values(own.executors).flatMap(({ env }) => env));
  const executors: Record<string, ExecutorConfig> = { ...own.executors };
  for (const [name, written] of Object.entries(theirs.executors)) {
    for (const variable of written.env) {
      if (!allowed.has(variable))
        warnings.push(`.pawl/config.yml may not pass ${variable} to ${name}; allow it in ${homeFile}`);
    }
    executors[name] = { ...written, env: written.env.filter((variable) => allowed.has(variable)) };
  }
  if (theirs.notify.length > 0)
    warnings.push(`.pawl/config.yml may not say who is told; put \`notify\` into ${homeFile}`);
  return {
    defaultExecutor: theirs.defaultExecutor ?? own.defaultExecutor,
    executors,
    agents: tightest(own.agents, theirs.agents) ?? defaultAgents,
    budget: {
      costUsd: tightest(own.budget.costUsd, theirs.budget.costUsd),
      wallMs: tightest(own.budget.wallMs, theirs.budget.wallMs),
      attempts: tightest(own.budget.attempts, theirs.budget.attempts),
    },
    notify: own.notify,
    warnings,
  };
}

/** A workflow's caps, made no looser than the configuration's. */
export function tighten(config: Config, definition: Definition): Definition {
  const { budget } = config;
  const { caps } = definition;
  return {
    ...definition,
    caps: {
      ...caps,
      costUsd: Math.min(caps.costUsd, budget.costUsd ?? caps.costUsd),
      wallMs: Math.min(caps.wallMs, budget.wallMs ?? caps.wallMs),
      attempts: Math.min(caps.attempts, budget.attempts ?? caps.attempts),
    },
  };
}

const nothing: ConfigFile = {
  defaultExecutor: null,
  executors: {},
  agents: null,
  budget: { costUsd: null, wallMs: null, attempts: null },
  notify: [],
};

/** The parsers are loaded only for a file that exists. */
async function readIfThere(file: string): Promise<ConfigFile> {
  if (!existsSync(file)) return nothing;
  const { readConfigFile } = await import("./config-file.ts");
  return readConfigFile(file);
}

function tightest(own: number | null, theirs: number | null): number | null {
  const values = [own, theirs].filter((value) => value !== null);
  return values.length === 0 ? null : Math.min(...values);
}
