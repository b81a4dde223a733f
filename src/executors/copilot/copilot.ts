// Copilot CLI: how it is called, and its usage, which it writes into a file.

import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { readRegular } from "../../system/files/regular-file.ts";
import {
  type AgentProfile,
  type AgentTask,
  bearer,
  flags,
  homeOf,
  mcpFile,
  mcpName,
  runnable,
} from "../agent/agent-profile.ts";
import { linkedFiles, makeManagedHome } from "../homes/managed-home.ts";
import type { StreamReading } from "../stream/stream-reading.ts";
import { copilotAgent } from "./descriptor.ts";
import { copilotReader } from "./reader.ts";
import { copilotTokens } from "./usage-file.ts";

const login = ["config.json"];
/** Files of its home that it executes or obeys in later sessions, also outside of a sandbox. */
const obeyed = [
  "settings.json",
  "mcp-config.json",
  "lsp-config.json",
  "copilot-instructions.md",
  "agents",
  "extensions",
  "hooks",
  "installed-plugins",
  "skills",
];
const secrets = ["COPILOT_GITHUB_TOKEN", "COPILOT_PROVIDER_API_KEY"];

export const copilot: AgentProfile = {
  ...copilotAgent,
  newReader: copilotReader,
  install: "npm install --global @github/copilot",
  login: "run `copilot` and log in, or set COPILOT_GITHUB_TOKEN",
  keys: [
    ...secrets,
    "COPILOT_HOME",
    "COPILOT_MODEL",
    "COPILOT_OFFLINE",
    "COPILOT_PROVIDER_BASE_URL",
    "COPILOT_PROVIDER_TYPE",
    "COPILOT_PROVIDER_WIRE_API",
  ],
  keeps: { turns: false, money: false },
  system: null,
  sessions: { cumulative: ["tokens"], keepsSystem: false, gone: /No session, task, or name matched/ },
  places(env) {
    const home = homeIn(env);
    const cache = join(env["XDG_CACHE_HOME"] ?? join(homeOf(env), ".cache"), "copilot");
    const kept = obeyed.map((name) => join(home, name));
    return { written: [home, cache], kept, files: linkedFiles(home, login) };
  },
  prepare(task) {
    const usageFile = join(task.scratch(), "usage.json");
    return {
      args: [
        "--output-format",
        "json",
        "--no-color",
        "--no-auto-update",
        "--no-ask-user",
        ...permissions(task),
        "-C",
        task.cwd,
        "--usage-output-file",
        usageFile,
        `--secret-env-vars=${secrets.join(",")}`,
        ...flags({ "--model": task.model, "--reasoning-effort": task.effort }),
        ...(task.resume === null ? [] : [`--resume=${task.resume}`]),
        ...task.outside.flatMap((dir) => ["--add-dir", dir]),
        ...tools(task),
        ...(task.isolated ? ["--no-custom-instructions"] : []),
        ...task.args,
      ],
      env: task.isolated ? { COPILOT_HOME: isolatedHome(task) } : {},
      complete: (reading) => withUsage(reading, usageFile),
    };
  },
  acpServer: { args: ["--acp", "--stdio"], asks: true },
};

function homeIn(env: Readonly<Record<string, string>>): string {
  return env["COPILOT_HOME"] ?? join(homeOf(env), ".copilot");
}

/** Copilot's own file has the login; what users write is in other files. */
function isolatedHome({ env, home }: AgentTask): string {
  return makeManagedHome({ dir: home, theirs: homeIn(env), login, obeyed, linked: [], settings: null });
}

function permissions(task: AgentTask): readonly string[] {
  if (task.access === "write") return ["--allow-all-tools"];
  const commands = runnable(task).map((command) => `shell(${command}:*)`);
  const allowed = [...commands, ...(task.mcp === null ? [] : [mcpName])];
  return [...allowed.map((tool) => `--allow-tool=${tool}`), "--deny-tool=write"];
}

function tools({ mcp, scratch }: AgentTask): readonly string[] {
  if (mcp === null) return [];
  const file = mcpFile(scratch());
  const server = { type: "http", url: mcp.url, headers: bearer(mcp), tools: ["*"] };
  writeFileSync(file, JSON.stringify({ mcpServers: { [mcpName]: server } }), { mode: 0o600 });
  return ["--additional-mcp-config", `@${file}`];
}

/** A killed run leaves no such file, or half of one. */
function withUsage(reading: StreamReading, file: string): StreamReading {
  try {
    const tokens = copilotTokens(readRegular(file));
    return tokens === null ? reading : { ...reading, usage: { ...reading.usage, ...tokens } };
  } catch {
    return reading;
  }
}
