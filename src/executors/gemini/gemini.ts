// Gemini CLI: how it is called. Turn limit and tools are settings of its home only, so a call that needs them gets a home of its own
// with links to the user's for everything else.

import { mkdirSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import {
  type AgentProfile,
  type AgentTask,
  bearer,
  flags,
  homeOf,
  type Invocation,
  mcpName,
} from "../agent/agent-profile.ts";
import { linkedDirectory } from "../homes/linked-directory.ts";
import { linkedFiles } from "../homes/managed-home.ts";
import { type AgentSettings, settingsIn } from "../homes/settings-file.ts";
import { fieldsOf } from "../stream/fields.ts";
import { geminiAgent } from "./descriptor.ts";
import { geminiReader } from "./reader.ts";

const settingsFile = "settings.json";
/** What an isolated call sees of the user's home. */
const login = new Set(["oauth_creds.json", "google_accounts.json", "gemini-credentials.json", "installation_id"]);
/** The directory of its sessions. */
const sessions = "tmp";

export const gemini: AgentProfile = {
  ...geminiAgent,
  newReader: geminiReader,
  install: "npm install --global @google/gemini-cli",
  login: "run `gemini` and log in, or set GEMINI_API_KEY",
  keys: [
    "GEMINI_API_KEY",
    "GOOGLE_API_KEY",
    "GOOGLE_GEMINI_BASE_URL",
    "GOOGLE_CLOUD_PROJECT",
    "GOOGLE_CLOUD_LOCATION",
    "GOOGLE_GENAI_USE_VERTEXAI",
    "GOOGLE_APPLICATION_CREDENTIALS",
  ],
  keeps: { turns: true, money: false },
  system: null,
  sessions: { cumulative: [], keepsSystem: false, gone: /Invalid session identifier|Error resuming session/ },
  places(env) {
    const home = join(homeOf(env), ".gemini");
    const obeyed = [settingsFile, ".env", "GEMINI.md", "commands", "extensions", "hooks", "policies", "skills"];
    return { written: [home], kept: obeyed.map((name) => join(home, name)) };
  },
  prepare(task) {
    const { env, written } = homeFor(task);
    return {
      args: [
        "--output-format",
        "stream-json",
        // Without approval it has no tools that write or run anything.
        "--approval-mode",
        task.access === "write" ? "yolo" : "default",
        ...flags({ "--model": task.model, "--resume": task.resume }),
        ...task.outside.flatMap((dir) => ["--include-directories", dir]),
        ...task.args,
      ],
      env: { GEMINI_CLI_TRUST_WORKSPACE: "true", ...env },
      written,
    };
  },
  acpServer: {
    args: ["--acp"],
    asks: true,
    modes: { reading: "default", asking: "default" },
    env: () => ({ GEMINI_CLI_TRUST_WORKSPACE: "true" }),
  },
};

/** Empty if the user's own home has everything that the call needs. */
function homeFor(task: AgentTask): Required<Pick<Invocation, "env" | "written">> {
  const { env, isolated } = task;
  if (task.mcp === null && task.maxTurns === null && !isolated) return { env: {}, written: [] };
  const theirs = join(env["GEMINI_CLI_HOME"] ?? homeOf(env), ".gemini");
  const home = task.scratch();
  const isWanted = (name: string) => (isolated ? login.has(name) : name !== settingsFile && name !== sessions);
  const own = linkedDirectory(join(home, ".gemini"), theirs, isWanted);
  const kept = keepSessions(isolated ? task.home : theirs, own);
  const written = settingsIn(join(theirs, settingsFile));
  const wanted = isolated ? { security: { auth: fieldsOf(written["security"])["auth"] } } : written;
  writeFileSync(join(own, settingsFile), JSON.stringify(settings(wanted, task)), { mode: 0o600 });
  return { env: { GEMINI_CLI_HOME: home }, written: [kept, ...linkedFiles(theirs, [...login])] };
}

/** Another call may resume the session, so sessions stay in a permanent directory. */
function keepSessions(dir: string, own: string): string {
  const kept = join(dir, sessions);
  mkdirSync(kept, { recursive: true, mode: 0o700 });
  symlinkSync(kept, join(own, sessions));
  return kept;
}

function settings(written: AgentSettings, { maxTurns, mcp }: AgentTask): object {
  const server = mcp && { httpUrl: mcp.url, headers: bearer(mcp), trust: true };
  return {
    ...written,
    ...(maxTurns !== null && { model: { ...fieldsOf(written["model"]), maxSessionTurns: maxTurns } }),
    ...(server && { mcpServers: { ...fieldsOf(written["mcpServers"]), [mcpName]: server } }),
  };
}
