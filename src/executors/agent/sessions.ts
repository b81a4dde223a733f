// The command with which a person opens an agent's session, to read it or to continue it.

import { isSafeId } from "../../domain/ids.ts";
import { shellWord } from "../../system/process/words.ts";
import type { AgentDescriptor } from "./agent-descriptor.ts";

export interface SessionPlace {
  /** Where the agent worked; null: that is gone. Most agents look for a session by the directory first. */
  readonly cwd: string | null;
  /** As the executor is configured: a name on PATH, or an absolute path. */
  readonly program: string;
  /** It ran without the user's own settings. */
  readonly isolated: boolean;
  /** Where Pawl's home for the agent is, for agents that have one. */
  readonly home: string;
}

/** An agent reports its own session: a text that does not look like an id is shown to nobody. */
export function shownSession(session: string | null): string | null {
  return session !== null && isSafeId(session) ? session : null;
}

/** The variable that names Pawl's home for the agent; null: the sessions are in the user's own home. */
export function homeVariable({ openSession }: AgentDescriptor, isolated: boolean): string | null {
  const home = openSession?.home ?? null;
  return home !== null && (home.when === "always" || isolated) ? home.variable : null;
}

/** A line for a shell; null where this agent's sessions cannot be opened, or the session is no id. */
export function openCommand(agent: AgentDescriptor, session: string, place: SessionPlace): string | null {
  const { cwd, program, isolated, home } = place;
  const { openSession } = agent;
  if (openSession === null || shownSession(session) === null) return null;
  if (isolated && openSession.hiddenWhenIsolated) return null;
  const variable = homeVariable(agent, isolated);
  const there = cwd === null ? "" : `cd ${shellWord(cwd)} && `;
  const setting = variable === null ? "" : `${variable}=${shellWord(home)} `;
  return `${there}${setting}${[program, ...openSession.args(session)].map(shellWord).join(" ")}`;
}
