// Sessions of agents. Owns: how a person opens one with the agent's own command, to read it or to go on with it.

import { isSafeId } from "../../domain/ids.ts";
import { shellWord } from "../../system/process/words.ts";
import type { AgentKind } from "./agents.ts";

export interface SessionPlace {
  /** Where the agent worked; null: that is gone. Most agents look for a session by the directory first. */
  readonly cwd: string | null;
  /** As the executor is configured: a name on PATH, or an absolute path. */
  readonly program: string;
  /** It was called without the user's own settings. */
  readonly isolated: boolean;
  /** Where a home of ours is, for agents that have one. */
  readonly home: string;
}

/** The words behind the program; null: its sessions are not kept, or cannot be opened by their id. */
const words: Readonly<Record<AgentKind, ((session: string) => readonly string[]) | null>> = {
  claude: (session) => ["--resume", session],
  codex: (session) => ["resume", session],
  opencode: (session) => ["-s", session],
  gemini: (session) => ["--resume", session],
  copilot: (session) => [`--resume=${session}`],
  qwen: (session) => ["--resume", session],
  goose: null,
};

/** Agents that keep their sessions in a home of ours, always or when they are isolated, and the variable that leads there. */
const ownHomes: Partial<Readonly<Record<AgentKind, { readonly variable: string; readonly always: boolean }>>> = {
  codex: { variable: "CODEX_HOME", always: true },
  copilot: { variable: "COPILOT_HOME", always: false },
  qwen: { variable: "QWEN_HOME", always: false },
};

/** Isolated, it has a home for each call, and what it kept cannot be found with its own command. */
const isHidden = (kind: AgentKind, isolated: boolean) => isolated && kind === "gemini";

/** An agent says its own session: what does not look like an id is not one, and is shown to nobody. */
export function shownSession(session: string | null): string | null {
  return session !== null && isSafeId(session) ? session : null;
}

/** The variable that leads to a home of ours; null: the sessions are in the user's own. */
export function homeVariable(kind: AgentKind, isolated: boolean): string | null {
  const own = ownHomes[kind];
  return own !== undefined && (own.always || isolated) ? own.variable : null;
}

/** A line for a shell; null where this agent's sessions cannot be opened, or the session is no id. */
export function openCommand(kind: AgentKind, session: string, place: SessionPlace): string | null {
  const { cwd, program, isolated, home } = place;
  const call = words[kind];
  if (call === null || isHidden(kind, isolated) || shownSession(session) === null) return null;
  const variable = homeVariable(kind, isolated);
  const there = cwd === null ? "" : `cd ${shellWord(cwd)} && `;
  const setting = variable === null ? "" : `${variable}=${shellWord(home)} `;
  return `${there}${setting}${[program, ...call(session)].map(shellWord).join(" ")}`;
}
