// OpenCode. Owns: how it is called. Its settings come in a variable, so that nothing is written into the user's.

import { type AgentProfile, type AgentTask, bearer, flags, mcpName, readOnlyGit } from "../agent-profile.ts";
import { opencodeReader } from "./reader.ts";

/** The last rule that fits counts. Looking at files elsewhere is reading, too. */
const reading = {
  "*": "deny",
  ...Object.fromEntries(["read", "grep", "glob", "list", "external_directory"].map((tool) => [tool, "allow"])),
  [`${mcpName}_*`]: "allow",
  bash: { "*": "deny", ...Object.fromEntries(readOnlyGit.map((command) => [`${command}*`, "allow"])) },
};

export const opencode: AgentProfile = {
  kind: "opencode",
  title: "OpenCode",
  newReader: opencodeReader,
  oldest: "1.0.0",
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
  prepare: (task) => ({
    args: [
      "run",
      "--format",
      "json",
      "--dir",
      task.cwd,
      // With a title of its own it does not ask a model for one.
      ...flags({ "--model": task.model, "--variant": task.effort, "--session": task.resume }),
      ...(task.resume === null ? ["--title", `pawl ${task.env["PAWL_STEP"] ?? ""}`.trim()] : []),
      ...task.args,
    ],
    env: { OPENCODE_CONFIG_CONTENT: JSON.stringify(settings(task)), OPENCODE_DISABLE_AUTOUPDATE: "1" },
  }),
};

function settings({ access, mcp }: AgentTask): object {
  const server = mcp && { type: "remote", url: mcp.url, headers: bearer(mcp), enabled: true };
  return {
    permission: access === "write" ? { "*": "allow" } : reading,
    share: "disabled",
    autoupdate: false,
    ...(server && { mcp: { [mcpName]: server } }),
  };
}
