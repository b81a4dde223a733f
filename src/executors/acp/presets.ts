// Presets. Owns: agents that are known to work over ACP: how each is started as a server, what it needs to see, and what keeps it
// asking. Any other is a command line.

import { type AgentProfile, mcpName, runnable } from "../agent/agent-profile.ts";
import { acpPrograms } from "../agent/agents.ts";
import { claude } from "../claude/claude.ts";
import { codex } from "../codex/codex.ts";
import { copilot } from "../copilot/copilot.ts";
import { gemini } from "../gemini/gemini.ts";
import { goose } from "../goose/goose.ts";
import { opencode, reading } from "../opencode/opencode.ts";
import { qwen } from "../qwen/qwen.ts";

export const acpPresetNames = ["opencode", "gemini", "qwen", "copilot", "claude", "codex", "goose"] as const;
export type AcpPresetName = (typeof acpPresetNames)[number];

/** The same whichever way it is called. */
type Known = Pick<AgentProfile, "title" | "install" | "login" | "keys" | "places">;

/** What it may do: only look; what it is allowed when it asks; or all, so that it need not ask. */
export type AcpRight = "reading" | "asking" | "free";

export interface AcpPreset extends Known {
  readonly command: readonly [string, ...string[]];
  /** Whether it asks before it writes. One that does not cannot be kept from writing. */
  readonly asks: boolean;
  /** Modes of its sessions to choose. */
  readonly modes?: Readonly<Partial<Record<AcpRight, string>>>;
  /** `commands`: what it may run although it may only read. */
  env?(right: AcpRight, commands: readonly string[]): Readonly<Record<string, string>>;
}

const looking = {
  ...Object.fromEntries(["read", "grep", "glob", "list", "external_directory"].map((tool) => [tool, "allow"])),
  [`${mcpName}_*`]: "allow",
};

/** The last rule that fits counts. Whoever only looks is told no by itself: a refusal of ours would end its turn. */
const opencodeRules: Readonly<Record<AcpRight, (commands: readonly string[]) => object>> = {
  free: () => ({ "*": "allow" }),
  asking: () => ({ "*": "ask", ...looking }),
  reading: (commands) => reading(runnable({ commands })),
};

export const acpPresets: Readonly<Record<AcpPresetName, AcpPreset>> = {
  opencode: {
    ...knownAs(opencode),
    command: [acpPrograms.opencode, "acp"],
    asks: true,
    env: (right, commands) => ({
      OPENCODE_DISABLE_AUTOUPDATE: "1",
      OPENCODE_CONFIG_CONTENT: JSON.stringify({
        permission: opencodeRules[right](commands),
        share: "disabled",
        autoupdate: false,
      }),
    }),
  },
  gemini: {
    ...knownAs(gemini),
    command: [acpPrograms.gemini, "--acp"],
    asks: true,
    modes: { reading: "default", asking: "default" },
    env: () => ({ GEMINI_CLI_TRUST_WORKSPACE: "true" }),
  },
  // Without a choice a model of its own decides what is too risky.
  qwen: {
    ...knownAs(qwen),
    command: [acpPrograms.qwen, "--acp"],
    asks: true,
    modes: { reading: "default", asking: "default", free: "yolo" },
  },
  copilot: { ...knownAs(copilot), command: [acpPrograms.copilot, "--acp", "--stdio"], asks: true },
  claude: {
    ...knownAs(claude),
    title: "Claude Code over ACP",
    install: "npm install --global @agentclientprotocol/claude-agent-acp",
    command: [acpPrograms.claude],
    asks: true,
    modes: { reading: "default", asking: "default" },
    env: () => ({
      DISABLE_AUTOUPDATER: "1",
      CLAUDE_CODE_MAX_RETRIES: "4",
      // For root it opens no session otherwise, in whichever mode.
      ...(process.getuid?.() === 0 ? { IS_SANDBOX: "1" } : {}),
    }),
  },
  codex: {
    ...knownAs(codex),
    title: "Codex over ACP",
    keys: [...codex.keys, "CODEX_HOME"],
    install: "npm install --global @agentclientprotocol/codex-acp",
    command: [acpPrograms.codex],
    asks: true,
    modes: { reading: "read-only", asking: "workspace-write" },
  },
  goose: {
    ...knownAs(goose),
    command: [acpPrograms.goose, "acp", "--with-builtin", "developer"],
    asks: false,
    env: () => ({ GOOSE_MODE: "auto" }),
  },
};

function knownAs({ title, install, login, keys, places }: AgentProfile): Known {
  return { title, install, login, keys, places };
}
