// Sessions of agents. Owns: the command with which a person opens the session of an attempt, by the configuration as it is now.

import { existsSync } from "node:fs";
import { join } from "node:path";
import { agents } from "../../app.ts";
import type { Attempt } from "../../domain/attempt.ts";
import { AppError } from "../../domain/error.ts";
import type { Header } from "../../domain/run.ts";
import type { AgentDescriptor } from "../../executors/agent/agent-descriptor.ts";
import { homeVariable, openCommand, shownSession } from "../../executors/agent/sessions.ts";
import type { ExecutorConfig } from "../../executors/executor-config.ts";
import { readConfig } from "../../runtime/config/config.ts";
import type { Application } from "../application.ts";

interface Opening {
  readonly session: string | null;
  /** A line for a shell; null: this agent has no such command, or it is no longer known which agent it was. */
  readonly open: string | null;
}

type Opener = (attempt: Attempt) => Opening;
type Here = Pick<Application, "home" | "env">;

/** For the attempts of one run. */
export async function openerFor(here: Here, { place }: Pick<Header, "place">): Promise<Opener> {
  const config = await readConfig(here.home.configFile, place.repo, agents).catch(unlessWrong);
  return (attempt) => {
    const session = shownSession(attempt.session);
    if (session === null || config === null) return { session, open: null };
    const { executor } = attempt;
    const configured = Object.hasOwn(config.executors, executor) ? config.executors[executor] : undefined;
    const agent = agents.find(configured?.kind ?? executor);
    return { session, open: agent && commandFor(attempt, session, { agent, configured }, here) };
  };
}

interface Called {
  readonly agent: AgentDescriptor;
  readonly configured: ExecutorConfig | undefined;
}

function commandFor(attempt: Attempt, session: string, { agent, configured }: Called, here: Here): string | null {
  const [program, isolated] = [configured?.program ?? agent.kind, configured?.isolated ?? false];
  const home = homeOf(agent, isolated, configured?.env ?? [], here);
  return openCommand(agent, session, { cwd: treeOf(attempt), program, isolated, home });
}

/** The user's own, if the configuration passes the variable on and the agent was not isolated. */
function homeOf(agent: AgentDescriptor, isolated: boolean, passed: readonly string[], { home, env }: Here): string {
  const variable = homeVariable(agent, isolated);
  const isTheirs = variable !== null && !isolated && passed.includes(variable);
  return (isTheirs ? env[variable] : undefined) ?? join(home.dir, isolated ? `${agent.kind}-isolated` : agent.kind);
}

/** A configuration that is broken now says nothing about an earlier attempt. */
function unlessWrong(error: unknown): null {
  if (error instanceof AppError) return null;
  throw error;
}

/** Null when it is gone: a run's trees are removed with it. */
function treeOf({ state }: Attempt): string | null {
  const tree = state.phase === "dispatched" ? null : state.workspace;
  return tree !== null && existsSync(tree) ? tree : null;
}
