// Players. Owns: the ways in which Pawl reaches a real agent: by its own command line, or over ACP.

import type { RealAgent } from "./install.ts";

export interface Player {
  /** As `--executor` names it. */
  readonly name: string;
  readonly agent: RealAgent;
  /** Below `executors` of the configuration; agents that are on PATH need none. */
  readonly settings: Readonly<Record<string, unknown>> | null;
  /** Whether it tells money, and every token that it used. */
  readonly tells: { readonly money: boolean; readonly tokens: boolean };
}

export const claude: Player = { name: "claude", agent: "claude", settings: null, tells: { money: true, tokens: true } };
export const codex: Player = { name: "codex", agent: "codex", settings: null, tells: { money: false, tokens: true } };
export const opencode: Player = {
  name: "opencode",
  agent: "opencode",
  settings: null,
  tells: { money: true, tokens: true },
};
/** Over ACP OpenCode tells what its last message used, and no more. */
export const overAcp: Player = {
  name: "over-acp",
  agent: "opencode",
  settings: { kind: "acp", preset: "opencode" },
  tells: { money: true, tokens: false },
};

export const players: readonly Player[] = [claude, codex, opencode, overAcp];
