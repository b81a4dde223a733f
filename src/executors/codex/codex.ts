// Codex: how it is called. Its own sandbox keeps it in the workspace; Pawl opens the paths outside that a commit writes.

import { join } from "node:path";
import { type AgentProfile, type AgentTask, flags, homeOf, mcpName } from "../agent/agent-profile.ts";
import { linkedFiles } from "../homes/managed-home.ts";
import { gitPlaces } from "../sandbox/git-places.ts";
import { codexAgent } from "./descriptor.ts";
import { codexHome, login, obeyed } from "./home.ts";
import { codexReader } from "./reader.ts";

const tokenVariable = "PAWL_MCP_TOKEN";
const secrets = ["OPENAI_API_KEY", "CODEX_API_KEY"];

export const codex: AgentProfile = {
  ...codexAgent,
  newReader: codexReader,
  install: "npm install --global @openai/codex",
  login: "run `codex login`, or set OPENAI_API_KEY",
  keys: [...secrets, "OPENAI_BASE_URL"],
  keeps: { turns: false, money: false },
  system: "argument",
  sessions: { cumulative: ["tokens"], keepsSystem: true, gone: /no rollout found for thread id/ },
  places(env, ours) {
    const home = env["CODEX_HOME"] ?? join(homeOf(env), ".codex");
    // In Pawl's own home all of that is replaced at each start, and Codex writes its settings there.
    const kept = home === ours ? [] : obeyed.map((name) => join(home, name));
    return { written: [home], kept, files: linkedFiles(home, login) };
  },
  prepare(task) {
    const { access, cwd, resume, mcp } = task;
    const places = access === "write" && !task.isSandboxed ? [...task.outside, ...gitPlaces(cwd).written] : [];
    const going = resume === null ? [] : ["resume", resume];
    return {
      args: [
        "exec",
        "--json",
        "--color",
        "never",
        "--skip-git-repo-check",
        "--sandbox",
        sandboxOf(task),
        "--cd",
        cwd,
        ...places.flatMap((dir) => ["--add-dir", dir]),
        ...(task.isolated ? ["--ignore-user-config", "--ignore-rules"] : []),
        ...flags({ "--model": task.model }),
        ...settings(task).flatMap(([key, value]) => ["--config", `${key}=${toml(value)}`]),
        ...task.args,
        ...going,
        "-",
      ],
      env: { ...codexHome(task), ...(mcp === null ? {} : { [tokenVariable]: mcp.token }) },
    };
  },
  acpServer: {
    title: "Codex over ACP",
    install: "npm install --global @agentclientprotocol/codex-acp",
    keys: ["CODEX_HOME"],
    args: [],
    asks: true,
    modes: { reading: "read-only", asking: "workspace-write" },
  },
};

/** One sandbox inside the other does not work everywhere, and Pawl's covers everything that Codex does. */
function sandboxOf({ access, isSandboxed }: AgentTask): string {
  if (isSandboxed) return "danger-full-access";
  return access === "write" ? "workspace-write" : "read-only";
}

/** JSON is valid TOML, except for characters that no text should contain. */
function toml(value: unknown): string {
  const json = JSON.stringify(value, (_key, part: unknown) => (typeof part === "string" ? part.toWellFormed() : part));
  return json.replaceAll("\u007f", "\\u007f");
}

function settings({ effort, mcp, system }: AgentTask): readonly (readonly [string, unknown])[] {
  const server = `mcp_servers.${mcpName}`;
  return [
    // Its commands see what it sees, including the marker by which Pawl finds them, and without its keys.
    ["shell_environment_policy.inherit", "all"],
    ["shell_environment_policy.ignore_default_excludes", true],
    ["shell_environment_policy.exclude", [...secrets, tokenVariable]],
    ...(effort === null ? [] : [["model_reasoning_effort", effort] as const]),
    ...(system === null ? [] : [["developer_instructions", system] as const]),
    ...(mcp === null
      ? []
      : ([
          [`${server}.url`, mcp.url],
          [`${server}.bearer_token_env_var`, tokenVariable],
          [`${server}.default_tools_approval_mode`, "approve"],
          [`${server}.required`, true],
        ] as const)),
  ];
}
