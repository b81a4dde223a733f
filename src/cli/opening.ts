// Opening a session. Owns: with which command a person opens what an agent did in an attempt, as things are configured now.

import { existsSync } from "node:fs";
import { join } from "node:path";
import { agents } from "../app.ts";
import type { Attempt } from "../domain/attempt.ts";
import { AppError } from "../domain/error.ts";
import type { Header } from "../domain/run.ts";
import type { AgentDescriptor } from "../executors/agent/descriptor.ts";
import { homeVariable, openCommand, shownSession } from "../executors/agent/sessions.ts";
import type { ExecutorConfig } from "../executors/executor-config.ts";
import { readConfig } from "../runtime/config/config.ts";
import type { Home } from "../system/home.ts";

interface Opening {
  readonly session: string | null;
  /** A line for a shell; null: this agent has no such command, or nobody knows any more which agent it was. */
  readonly open: string | null;
}

export type Opener = (attempt: Attempt) => Opening;

/** For the attempts of one run. */
export async function openerFor(home: Home, { place }: Pick<Header, "place">): Promise<Opener> {
  const config = await readConfig(home.configFile, place.repo, agents).catch(unlessWrong);
  return (attempt) => {
    const session = shownSession(attempt.session);
    if (session === null || config === null) return { session, open: null };
    const { executor } = attempt;
    const configured = Object.hasOwn(config.executors, executor) ? config.executors[executor] : undefined;
    const agent = agents.find(configured?.kind ?? executor);
    return { session, open: agent && commandFor(attempt, session, { agent, configured }, home) };
  };
}

interface Called {
  readonly agent: AgentDescriptor;
  readonly configured: ExecutorConfig | undefined;
}

function commandFor(attempt: Attempt, session: string, { agent, configured }: Called, home: Home): string | null {
  const [program, isolated] = [configured?.program ?? agent.kind, configured?.isolated ?? false];
  const own = homeOf(agent, isolated, configured?.env ?? [], home);
  return openCommand(agent, session, { cwd: treeOf(attempt), program, isolated, home: own });
}

/** Where the configuration hands the variable on, the agent worked in the user's own, unless it was isolated. */
function homeOf(agent: AgentDescriptor, isolated: boolean, env: readonly string[], home: Home): string {
  const variable = homeVariable(agent, isolated);
  const isTheirs = variable !== null && !isolated && env.includes(variable);
  return (
    (isTheirs ? process.env[variable] : undefined) ?? join(home.dir, isolated ? `${agent.kind}-isolated` : agent.kind)
  );
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
