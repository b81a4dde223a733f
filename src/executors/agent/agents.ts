// Agents that Pawl knows. Owns: their names, in the order in which one is looked for, and what each of them can be asked for.

export const agentKinds = ["claude", "codex", "opencode", "gemini", "copilot", "qwen", "goose"] as const;

/** Also the name of its program, and of the executor that needs no configuration. */
export type AgentKind = (typeof agentKinds)[number];

export function isAgentKind(name: string): name is AgentKind {
  return (agentKinds as readonly string[]).includes(name);
}

/** A setting that an agent cannot follow is refused where it is written, not ignored where it is used. */
export interface Abilities {
  /** How hard it thinks can be chosen. */
  readonly effort: boolean;
  /** It says what it costs, so that a limit of money means something. */
  readonly money: boolean;
  /** It can be kept from writing. */
  readonly readOnly: boolean;
  /** It can go on with an earlier session. */
  readonly resume: boolean;
  /** Where its role is put: a file that it is told of, or one argument; null: before the prompt. */
  readonly system: "file" | "argument" | null;
  /** It can be called without the user's own settings, and with his login. */
  readonly isolation: boolean;
}

export const abilities: Readonly<Record<AgentKind, Abilities>> = {
  claude: { effort: true, money: true, readOnly: true, resume: true, system: "file", isolation: true },
  codex: { effort: true, money: false, readOnly: true, resume: true, system: "argument", isolation: true },
  opencode: { effort: true, money: true, readOnly: true, resume: true, system: "file", isolation: true },
  gemini: { effort: false, money: false, readOnly: true, resume: true, system: null, isolation: true },
  copilot: { effort: true, money: false, readOnly: true, resume: true, system: null, isolation: true },
  qwen: { effort: false, money: false, readOnly: true, resume: true, system: "argument", isolation: true },
  goose: { effort: false, money: false, readOnly: false, resume: false, system: "argument", isolation: false },
};

/** Programs that speak the Agent Client Protocol for an agent; not always its own. */
export const acpPrograms: Readonly<Record<AgentKind, string>> = {
  claude: "claude-agent-acp",
  codex: "codex-acp",
  opencode: "opencode",
  gemini: "gemini",
  copilot: "copilot",
  qwen: "qwen",
  goose: "goose",
};
