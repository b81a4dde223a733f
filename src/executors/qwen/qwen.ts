// Qwen Code: how it is called.

import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { type AgentProfile, type AgentTask, bearer, flags, homeOf, mcpFile, mcpName } from "../agent/agent-profile.ts";
import { linkedFiles, makeManagedHome } from "../homes/managed-home.ts";
import { settingsIn } from "../homes/settings-file.ts";
import { fieldsOf } from "../stream/fields.ts";
import { qwenAgent } from "./descriptor.ts";
import { qwenReader } from "./reader.ts";

const settingsFile = "settings.json";
const login = ["oauth_creds.json", "installation_id"];
/** Files of its home that it executes or obeys in later sessions, also outside of a sandbox. */
const obeyed = [settingsFile, ".env", "QWEN.md", "agents", "commands", "extensions", "hooks", "skills"];

export const qwen: AgentProfile = {
  ...qwenAgent,
  newReader: qwenReader,
  install: "npm install --global @qwen-code/qwen-code",
  login: "run `qwen` and log in, or set OPENAI_API_KEY, OPENAI_BASE_URL and OPENAI_MODEL",
  keys: ["OPENAI_API_KEY", "OPENAI_BASE_URL", "OPENAI_MODEL", "DASHSCOPE_API_KEY"],
  cachedIsInput: true,
  keeps: { turns: true, money: false },
  system: "argument",
  sessions: { cumulative: ["tokens"], keepsSystem: false, gone: /No saved session found/ },
  places(env) {
    const home = homeIn(env);
    return { written: [home], kept: obeyed.map((name) => join(home, name)), files: linkedFiles(home, login) };
  },
  prepare: (task) => ({
    args: [
      "--output-format",
      "stream-json",
      // Without approval it has no tools that write or run anything.
      "--approval-mode",
      task.access === "write" ? "yolo" : "default",
      ...flags({
        "--model": task.model,
        "--max-session-turns": task.maxTurns,
        "--resume": task.resume,
      }),
      // As one word, because the text may begin with a dash.
      ...(task.system === null ? [] : [`--append-system-prompt=${task.system}`]),
      ...task.outside.flatMap((dir) => ["--include-directories", dir]),
      ...tools(task),
      ...task.args,
    ],
    env: task.isolated ? { QWEN_HOME: isolatedHome(task) } : {},
  }),
  acpServer: {
    args: ["--acp"],
    asks: true,
    // Without a choice, a model of its own decides what is too risky.
    modes: { reading: "default", asking: "default", free: "yolo" },
  },
};

function homeIn(env: Readonly<Record<string, string>>): string {
  return env["QWEN_HOME"] ?? join(homeOf(env), ".qwen");
}

/** Of the user's settings, only what a login needs: the account, the key, and the addresses of models. */
function isolatedHome({ env, home }: AgentTask): string {
  const theirs = homeIn(env);
  const { security, modelProviders, model } = settingsIn(join(theirs, settingsFile));
  const kept = { security: { auth: fieldsOf(security)["auth"] }, modelProviders, model: nameIn(model) };
  const settings = { name: settingsFile, text: JSON.stringify(kept) };
  return makeManagedHome({ dir: home, theirs, login, obeyed, linked: [], settings });
}

function nameIn(model: unknown): object {
  return { name: fieldsOf(model)["name"] };
}

/** Loaded at once: otherwise the model sees a search for tools instead of the tools. */
function tools({ mcp, scratch }: AgentTask): readonly string[] {
  if (mcp === null) return [];
  const file = mcpFile(scratch());
  const server = { httpUrl: mcp.url, headers: bearer(mcp), trust: true, alwaysLoadTools: true };
  writeFileSync(file, JSON.stringify({ mcpServers: { [mcpName]: server } }), { mode: 0o600 });
  return ["--mcp-config", file];
}
