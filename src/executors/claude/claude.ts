// Claude Code: how it is called. Pawl accepts edits and allows commands instead of bypassing its permissions: that needs no sandbox
// and works for every user, including root.

import { writeFileSync } from "node:fs";
import { join } from "node:path";
import {
  type AgentProfile,
  type AgentTask,
  bearer,
  flags,
  homeOf,
  mcpFile,
  mcpName,
  runnable,
  systemFile,
} from "../agent/agent-profile.ts";
import { claudeAgent } from "./descriptor.ts";
import { claudeReader } from "./reader.ts";

/** Tools that ask for permission even if edits are accepted. */
const writing = ["Bash", "WebFetch", "WebSearch"];
const reading = ["Read", "Grep", "Glob", "LS"];
const editing = ["Edit", "Write", "NotebookEdit"];
/** Files of its home that it executes or obeys in later sessions, also outside of a sandbox. */
const obeyed = [
  "settings.json",
  "settings.local.json",
  "CLAUDE.md",
  "agents",
  "commands",
  "hooks",
  "local",
  "output-styles",
  "plugins",
  "rules",
  "skills",
  "workflows",
];

/** With its usual ten retries a dead API takes three minutes; Pawl backs off itself, and longer. */
const quiet = { DISABLE_AUTOUPDATER: "1", CLAUDE_CODE_MAX_RETRIES: "4" };

export const claude: AgentProfile = {
  ...claudeAgent,
  newReader: claudeReader,
  install: "npm install --global @anthropic-ai/claude-code",
  login: "run `claude` and log in, or set ANTHROPIC_API_KEY",
  keys: [
    "ANTHROPIC_API_KEY",
    "ANTHROPIC_AUTH_TOKEN",
    "ANTHROPIC_BASE_URL",
    "CLAUDE_CODE_OAUTH_TOKEN",
    "CLAUDE_CONFIG_DIR",
    "CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC",
  ],
  keeps: { turns: true, money: true },
  system: "file",
  sessions: { cumulative: ["money"], keepsSystem: true, gone: /No conversation found|does not match any session/ },
  places(env) {
    const home = env["CLAUDE_CONFIG_DIR"] ?? join(homeOf(env), ".claude");
    return { written: [home], kept: obeyed.map((name) => join(home, name)) };
  },
  prepare: (task) => ({
    args: [
      "-p",
      "--output-format",
      "stream-json",
      "--verbose",
      ...permissions(task),
      ...flags({
        "--model": task.model,
        "--effort": task.effort,
        "--max-turns": task.maxTurns,
        "--max-budget-usd": task.maxUsd,
        "--resume": task.resume,
        "--append-system-prompt-file": task.system && systemFile(task.system, task.scratch()),
        // An empty list of sources leaves out hooks, memory and plugins of the repository and of the user.
        "--setting-sources": task.isolated ? "" : null,
      }),
      ...task.outside.flatMap((dir) => ["--add-dir", dir]),
      ...tools(task),
      ...task.args,
    ],
    env: quiet,
  }),
  acpServer: {
    title: "Claude Code over ACP",
    install: "npm install --global @agentclientprotocol/claude-agent-acp",
    args: [],
    asks: true,
    modes: { reading: "default", asking: "default" },
    env: () => ({
      ...quiet,
      // As root it opens no session without this, in any mode.
      ...(process.getuid?.() === 0 ? { IS_SANDBOX: "1" } : {}),
    }),
  },
};

function permissions(task: AgentTask): readonly string[] {
  const { access, mcp } = task;
  const ours = mcp === null ? [] : [`mcp__${mcpName}`];
  if (access === "write")
    return ["--permission-mode", "acceptEdits", "--allowedTools", [...writing, ...ours].join(",")];
  // Denied by name as well: the user's own settings may allow them, and a denial wins.
  const denied = ["--disallowedTools", editing.join(",")];
  const commands = runnable(task).map((command) => `Bash(${command}:*)`);
  return ["--permission-mode", "dontAsk", "--allowedTools", [...reading, ...commands, ...ours].join(","), ...denied];
}

/** Loaded at once: otherwise the model sees a search for tools instead of the tools. */
function tools({ mcp, scratch, isolated }: AgentTask): readonly string[] {
  if (mcp === null) return isolated ? ["--strict-mcp-config"] : [];
  const file = mcpFile(scratch());
  const server = { type: "http", alwaysLoad: true, url: mcp.url, headers: bearer(mcp) };
  writeFileSync(file, JSON.stringify({ mcpServers: { [mcpName]: server } }), { mode: 0o600 });
  // Beside the user's own servers, except in an isolated call.
  return [...(isolated ? ["--strict-mcp-config"] : []), "--mcp-config", file];
}
