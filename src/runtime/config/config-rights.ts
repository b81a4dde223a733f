// Merges the executors of a repository's file into the user's. A repository can tighten what the user has chosen and never loosen it,
// and no variable or key of the user's reaches a program that the repository chose.

import type { AgentRegistry } from "../../executors/agent/registry.ts";
import type { ExecutorConfig } from "../../executors/executor-config.ts";
import type { Sandbox } from "../../executors/sandbox/sandbox.ts";
import { wrongExecutor } from "./executor-rules.ts";
import { tightest } from "./tightest.ts";

type Executors = Readonly<Record<string, ExecutorConfig>>;

/** The user's executors and the repository's. `warn` gets what the repository wants and may not have. */
export function mergedExecutors(own: Executors, theirs: Executors, context: MergeContext): Executors {
  const merged = Object.entries(theirs).map(([name, written]) => {
    const mine = Object.hasOwn(own, name) ? (own[name] ?? null) : null;
    return [name, mergedExecutor(name, mine, written, context)] as const;
  });
  return { ...own, ...Object.fromEntries(merged) };
}

export interface MergeContext {
  readonly agents: AgentRegistry;
  readonly homeFile: string;
  readonly warn: (text: string) => void;
}

function mergedExecutor(name: string, mine: ExecutorConfig | null, theirs: ExecutorConfig, to: MergeContext) {
  if (mine === null) return withoutKeys(name, null, closed(name, null, theirs, to), to);
  const tightened = closed(name, mine, tighter(mine, theirs), to);
  const called = withoutKeys(name, mine, tightened, to);
  const problem = wrongExecutor(called, to.agents) ?? unkept(mine, called);
  if (problem === null) return called;
  to.warn(`.pawl/config.yml may not change ${name}, which stays as it is in ${to.homeFile}: ${problem}`);
  return mine;
}

/** The same limits hold for an executor of another kind with the same name; if it cannot keep them, it is refused. */
function tighter(mine: ExecutorConfig, theirs: ExecutorConfig): ExecutorConfig {
  return {
    ...theirs,
    access: mine.access === "read" ? "read" : theirs.access,
    isolated: mine.isolated === true ? true : theirs.isolated,
    permissions: stricter(mine.permissions, theirs.permissions),
    maxTurns: tightest(mine.maxTurns, theirs.maxTurns),
    maxUsd: tightest(mine.maxUsd, theirs.maxUsd),
    wallMs: tightest(mine.wallMs, theirs.wallMs),
    quietMs: tightest(mine.quietMs, theirs.quietMs),
    startMs: tightest(mine.startMs, theirs.startMs),
  };
}

/** Adds the sandbox that the repository may choose. */
function closed(name: string, mine: ExecutorConfig | null, theirs: ExecutorConfig, to: MergeContext): ExecutorConfig {
  const own = mine?.sandbox ?? null;
  // Inside of Pawl's sandbox such an agent gives up its own, which opens less.
  if (own === null && theirs.sandbox !== null && to.agents.find(theirs.kind)?.hasSandbox) {
    const which = `${theirs.kind} (${name})`;
    to.warn(`.pawl/config.yml may not replace the sandbox of ${which} by another; choose it in ${to.homeFile}`);
    return { ...theirs, sandbox: null };
  }
  for (const path of theirs.sandbox?.write ?? []) {
    if (!own?.write.includes(path))
      to.warn(`.pawl/config.yml may not open ${path} to the sandbox of ${name}; allow it in ${to.homeFile}`);
  }
  return { ...theirs, sandbox: tighterSandbox(own, theirs.sandbox) };
}

/** Any sandbox is tighter than none. */
function tighterSandbox(mine: Sandbox | null, theirs: Sandbox | null): Sandbox | null {
  if (theirs === null) return mine;
  return { network: (mine?.network ?? true) && theirs.network, write: mine?.write ?? [] };
}

/** If the executor gets keys, only the user decides how it is called; only the user decides which variables it sees. */
function withoutKeys(
  name: string,
  mine: ExecutorConfig | null,
  theirs: ExecutorConfig,
  to: MergeContext,
): ExecutorConfig {
  const same = mine?.kind === theirs.kind && mine.preset === theirs.preset ? mine : null;
  const called = getsKeys(theirs, to.agents) ? { ...theirs, ...calledAs(name, same, theirs, to) } : theirs;
  const env = same !== null && isSameProgram(same, called) ? same.env : [];
  for (const variable of theirs.env) {
    if (!env.includes(variable))
      to.warn(`.pawl/config.yml may not pass ${variable} to ${name}; allow it in ${to.homeFile}`);
  }
  return {
    ...called,
    env,
    model: called.model ?? same?.model ?? null,
    effort: called.effort ?? same?.effort ?? null,
    account: called.account ?? same?.account ?? null,
  };
}

/** Agents get the user's keys without configuration. */
function getsKeys({ kind, preset }: ExecutorConfig, agents: AgentRegistry): boolean {
  return agents.has(kind) || preset !== null;
}

/** A chosen program or argument of such an agent could send the keys anywhere. */
function calledAs(name: string, same: ExecutorConfig | null, theirs: ExecutorConfig, to: MergeContext) {
  const { agents, homeFile, warn } = to;
  const own = { program: same?.program ?? null, args: same?.args ?? [], command: same?.command ?? [] };
  const isAsked = theirs.program !== null || theirs.args.length > 0 || theirs.command.length > 0;
  const settings = agents.has(theirs.kind) ? "`program` and `args`" : "`command`";
  if (isAsked) warn(`.pawl/config.yml may not say how ${name} is called; put ${settings} into ${homeFile}`);
  return own;
}

function isSameProgram(one: ExecutorConfig, other: ExecutorConfig): boolean {
  const words = ({ program, script, command, args }: ExecutorConfig) =>
    JSON.stringify([program, script, command, args]);
  return words(one) === words(other);
}

/** Over ACP the program itself keeps these limits: only the user's own program is trusted to. */
function unkept(mine: ExecutorConfig, theirs: ExecutorConfig): string | null {
  if (theirs.kind !== "acp" || theirs.preset !== null || isSameProgram(mine, theirs)) return null;
  const { access, permissions, maxTurns, maxUsd } = mine;
  const isHeld = access === "read" || (permissions ?? "allow") !== "allow" || maxTurns !== null || maxUsd !== null;
  return isHeld ? "another program over acp may not keep its limits" : null;
}

const byStrictness = ["allow", "ask", "deny"] as const;

/** `allow` is not a limit, so a kind that is never asked need not keep it. */
function stricter(
  mine: ExecutorConfig["permissions"],
  theirs: ExecutorConfig["permissions"],
): ExecutorConfig["permissions"] {
  if (mine === null || mine === "allow") return theirs;
  if (theirs === null) return mine;
  return byStrictness[Math.max(byStrictness.indexOf(mine), byStrictness.indexOf(theirs))] ?? "deny";
}
