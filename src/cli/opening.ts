// Opening a session. Owns: with which command a person opens what an agent did in an attempt, as things are configured now.

import { existsSync } from "node:fs";
import { join } from "node:path";
import type { Attempt } from "../domain/attempt.ts";
import { AppError } from "../domain/error.ts";
import type { Header } from "../domain/run.ts";
import { type AgentKind, isAgentKind } from "../executors/agent/agents.ts";
import { homeVariable, openCommand, shownSession } from "../executors/agent/sessions.ts";
import { type Config, readConfig } from "../runtime/config/config.ts";
import type { Home } from "../system/home.ts";

interface Opening {
  readonly session: string | null;
  /** A line for a shell; null: this agent has no such command, or nobody knows any more which agent it was. */
  readonly open: string | null;
}

export type Opener = (attempt: Attempt) => Opening;

/** For the attempts of one run. */
export async function openerFor(home: Home, { place }: Pick<Header, "place">): Promise<Opener> {
  const config = await readConfig(home.configFile, place.repo).catch(unlessWrong);
  return (attempt) => {
    const session = shownSession(attempt.session);
    if (session === null || config === null) return { session, open: null };
    return { session, open: commandFor(attempt, session, config, home) };
  };
}

function commandFor(attempt: Attempt, session: string, { executors }: Config, home: Home): string | null {
  const name = attempt.executor;
  const configured = Object.hasOwn(executors, name) ? executors[name] : undefined;
  const kind = configured?.kind ?? name;
  if (!isAgentKind(kind)) return null;
  const [program, isolated] = [configured?.program ?? kind, configured?.isolated ?? false];
  const own = homeOf(kind, isolated, configured?.env ?? [], home);
  return openCommand(kind, session, { cwd: treeOf(attempt), program, isolated, home: own });
}

/** Where the configuration hands the variable on, the agent worked in the user's own, unless it was isolated. */
function homeOf(kind: AgentKind, isolated: boolean, env: readonly string[], home: Home): string {
  const variable = homeVariable(kind, isolated);
  const isTheirs = variable !== null && !isolated && env.includes(variable);
  return (isTheirs ? process.env[variable] : undefined) ?? join(home.dir, isolated ? `${kind}-isolated` : kind);
}

/** A repository's file that is broken now says nothing about an attempt of then. */
function unlessWrong(error: unknown): null {
  if (error instanceof AppError) return null;
  throw error;
}

/** Null when it is gone: trees go with their run. */
function treeOf({ state }: Attempt): string | null {
  const tree = state.phase === "dispatched" ? null : state.workspace;
  return tree !== null && existsSync(tree) ? tree : null;
}
