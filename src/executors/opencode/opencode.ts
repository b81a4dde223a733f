// OpenCode: how it is called. Its settings come in a variable, so that nothing is written into the user's.

import { join } from "node:path";
import type { AcpRight } from "../acp/preset.ts";
import {
  type AgentProfile,
  type AgentTask,
  bearer,
  flags,
  homeOf,
  mcpName,
  runnable,
  systemFile,
} from "../agent/agent-profile.ts";
import { linkedDirectory } from "../homes/linked-directory.ts";
import { opencodeAgent } from "./descriptor.ts";
import { opencodeReader } from "./reader.ts";

/** Reading files outside of the workspace is reading, too. */
const looking = {
  ...Object.fromEntries(["read", "grep", "glob", "list", "external_directory"].map((tool) => [tool, "allow"])),
  [`${mcpName}_*`]: "allow",
};

/** The last rule that matches counts. */
function readingRules(commands: readonly string[]): object {
  return {
    "*": "deny",
    ...looking,
    bash: { "*": "deny", ...Object.fromEntries(commands.map((command) => [`${command}*`, "allow"])) },
  };
}

/** With `reading` its own rules refuse the rest: a refusal by Pawl would end its turn. */
const acpRules: Readonly<Record<AcpRight, (commands: readonly string[]) => object>> = {
  free: () => ({ "*": "allow" }),
  asking: () => ({ "*": "ask", ...looking }),
  reading: (commands) => readingRules(runnable({ commands })),
};

/** What it downloads and runs in later sessions, also outside of a sandbox. */
const executed = ["bin", "node_modules", "packages", "plugin", "plugins", "skills"];

export const opencode: AgentProfile = {
  ...opencodeAgent,
  newReader: opencodeReader,
  install: "npm install --global opencode-ai",
  login: "run `opencode auth login`, or set the key of its provider",
  keys: [
    "ANTHROPIC_API_KEY",
    "OPENAI_API_KEY",
    "OPENROUTER_API_KEY",
    "GEMINI_API_KEY",
    "GOOGLE_GENERATIVE_AI_API_KEY",
    "OPENCODE_API_KEY",
    "OPENCODE_CONFIG",
    "OPENCODE_CONFIG_DIR",
  ],
  keeps: { turns: false, money: false },
  system: "file",
  sessions: { cumulative: [], keepsSystem: false, gone: /Session not found/ },
  places(env) {
    const below = (variable: string, usual: string) => join(env[variable] ?? join(homeOf(env), usual), "opencode");
    const [data, cache] = [below("XDG_DATA_HOME", ".local/share"), below("XDG_CACHE_HOME", ".cache")];
    const written = [data, below("XDG_STATE_HOME", ".local/state"), cache];
    return { written, kept: [data, cache].flatMap((dir) => executed.map((name) => join(dir, name))) };
  },
  prepare: (task) => ({
    args: [
      "run",
      "--format",
      "json",
      "--dir",
      task.cwd,
      // With a title it does not ask a model for one.
      ...flags({ "--model": task.model, "--variant": task.effort, "--session": task.resume }),
      // What is not denied is allowed; a rule of Pawl's that allows everything would win over the user's rules.
      ...(task.access === "write" ? ["--auto"] : []),
      ...(task.resume === null ? ["--title", `pawl ${task.env["PAWL_STEP"] ?? ""}`.trim()] : []),
      ...task.args,
    ],
    env: {
      OPENCODE_CONFIG_CONTENT: JSON.stringify(settings(task)),
      OPENCODE_DISABLE_AUTOUPDATE: "1",
      ...(task.isolated ? isolation(task) : {}),
    },
    withheld: task.isolated ? ["OPENCODE_CONFIG", "OPENCODE_CONFIG_DIR"] : [],
  }),
  acpServer: {
    args: ["acp"],
    asks: true,
    env: (right, commands) => ({
      OPENCODE_DISABLE_AUTOUPDATE: "1",
      OPENCODE_CONFIG_CONTENT: JSON.stringify({
        permission: acpRules[right](commands),
        share: "disabled",
        autoupdate: false,
      }),
    }),
  },
};

/** Other programs find their settings there as well, so everything but its own is linked. */
function isolation({ env, scratch }: AgentTask): Readonly<Record<string, string>> {
  const theirs = env["XDG_CONFIG_HOME"] ?? join(homeOf(env), ".config");
  const config = linkedDirectory(join(scratch(), "config"), theirs, (name) => name !== "opencode");
  return {
    XDG_CONFIG_HOME: config,
    OPENCODE_DISABLE_PROJECT_CONFIG: "1",
    OPENCODE_DISABLE_CLAUDE_CODE: "1",
    OPENCODE_DISABLE_EXTERNAL_SKILLS: "1",
  };
}

function settings(task: AgentTask): object {
  const { access, mcp, system, scratch } = task;
  const server = mcp && { type: "remote", url: mcp.url, headers: bearer(mcp), enabled: true };
  return {
    ...(access === "read" && { permission: readingRules(runnable(task)) }),
    share: "disabled",
    autoupdate: false,
    ...(system !== null && { instructions: [systemFile(system, scratch())] }),
    ...(server && { mcp: { [mcpName]: server } }),
  };
}
