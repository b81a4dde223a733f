// The ways in which Pawl calls a real agent: by its own command line, or over ACP.

import type { RealAgent } from "./install.ts";

export interface Player {
  /** As `--executor` names it. */
  readonly name: string;
  readonly agent: RealAgent;
  /** Its entry in `executors` of the configuration; agents on PATH need none. */
  readonly settings: Readonly<Record<string, unknown>> | null;
  /** Whether it reports its cost, and every token that it used. */
  readonly reports: { readonly money: boolean; readonly tokens: boolean };
}

export const claude: Player = {
  name: "claude",
  agent: "claude",
  settings: null,
  reports: { money: true, tokens: true },
};
export const codex: Player = { name: "codex", agent: "codex", settings: null, reports: { money: false, tokens: true } };
export const opencode: Player = {
  name: "opencode",
  agent: "opencode",
  settings: null,
  reports: { money: true, tokens: true },
};
/** Over ACP, OpenCode reports only the usage of its last message. */
export const overAcp: Player = {
  name: "over-acp",
  agent: "opencode",
  settings: { kind: "acp", preset: "opencode" },
  reports: { money: true, tokens: false },
};

export const players: readonly Player[] = [claude, codex, opencode, overAcp];
