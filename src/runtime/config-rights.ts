// What a repository may say of executors. Owns: that it tightens what the user has chosen, and never loosens it.

import { isAgentKind } from "../executors/agents.ts";
import type { Sandbox } from "../executors/sandbox.ts";
import type { ExecutorConfig } from "./config-executors.ts";

type Executors = Readonly<Record<string, ExecutorConfig>>;

/** The user's executors and the repository's. What the latter wants and may not is told to `warn`. */
export function mergedExecutors(
  own: Executors,
  theirs: Executors,
  homeFile: string,
  warn: (text: string) => void,
): Executors {
  const allowed = new Set(Object.values(own).flatMap(({ env }) => env));
  const merged: Record<string, ExecutorConfig> = { ...own };
  for (const [name, written] of Object.entries(theirs)) {
    for (const variable of written.env) {
      if (!allowed.has(variable)) warn(`.pawl/config.yml may not pass ${variable} to ${name}; allow it in ${homeFile}`);
    }
    const env = written.env.filter((variable) => allowed.has(variable));
    const mine = Object.hasOwn(own, name) ? (own[name] ?? null) : null;
    merged[name] = tightened(name, { ...written, env }, mine, { homeFile, warn });
  }
  return merged;
}

interface Telling {
  readonly homeFile: string;
  readonly warn: (text: string) => void;
}

function tightened(name: string, theirs: ExecutorConfig, mine: ExecutorConfig | null, to: Telling): ExecutorConfig {
  const same = mine?.kind === theirs.kind ? mine : null;
  const confined = {
    ...theirs,
    sandbox: tighterSandbox(name, mine?.sandbox ?? null, theirs.sandbox, to),
    isolated: same?.isolated === true ? true : theirs.isolated,
    permissions: stricter(same?.permissions ?? null, theirs.permissions),
    maxTurns: tightest(same?.maxTurns ?? null, theirs.maxTurns),
    maxUsd: tightest(same?.maxUsd ?? null, theirs.maxUsd),
    access: same?.access === "read" ? "read" : theirs.access,
  };
  if (!getsKeys(theirs)) return confined;
  return { ...confined, ...calledAs(name, theirs, same, to) };
}

/** Agents get the user's keys by themselves. */
function getsKeys({ kind, preset }: ExecutorConfig): boolean {
  return isAgentKind(kind) || preset !== null;
}

/** Whoever chose the program or the arguments of such an agent could send the keys anywhere. */
function calledAs(name: string, theirs: ExecutorConfig, same: ExecutorConfig | null, { homeFile, warn }: Telling) {
  const isAgent = isAgentKind(theirs.kind);
  if (theirs.program !== null || theirs.args.length > 0 || theirs.command.length > 0)
    warn(
      `.pawl/config.yml may not say how ${name} is called; put ${isAgent ? "`program` and `args`" : "`command`"} into ${homeFile}`,
    );
  return { program: same?.program ?? null, args: same?.args ?? [], command: same?.command ?? [] };
}

/** Where the user has none, any is tighter. */
function tighterSandbox(
  name: string,
  mine: Sandbox | null,
  theirs: Sandbox | null,
  { homeFile, warn }: Telling,
): Sandbox | null {
  if (mine === null || theirs === null) return theirs ?? mine;
  for (const path of theirs.write) {
    if (!mine.write.includes(path))
      warn(`.pawl/config.yml may not open ${path} to the sandbox of ${name}; allow it in ${homeFile}`);
  }
  return { network: mine.network && theirs.network, write: mine.write };
}

const byStrictness = ["allow", "ask", "deny"] as const;

function stricter(
  mine: ExecutorConfig["permissions"],
  theirs: ExecutorConfig["permissions"],
): ExecutorConfig["permissions"] {
  if (mine === null || theirs === null) return theirs ?? mine;
  return byStrictness[Math.max(byStrictness.indexOf(mine), byStrictness.indexOf(theirs))] ?? "deny";
}

export function tightest(own: number | null, theirs: number | null): number | null {
  const values = [own, theirs].filter((value) => value !== null);
  return values.length === 0 ? null : Math.min(...values);
}
