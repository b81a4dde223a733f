// Codex. Owns: how it is called. Its own sandbox keeps it in the workspace; what a commit writes outside of it is opened.

import { type AgentProfile, type AgentTask, flags, mcpName } from "../agent-profile.ts";
import { gitPlaces } from "../git-places.ts";
import { codexHome } from "./home.ts";
import { codexReader } from "./reader.ts";

const tokenVariable = "PAWL_MCP_TOKEN";
const secrets = ["OPENAI_API_KEY", "CODEX_API_KEY"];

export const codex: AgentProfile = {
  kind: "codex",
  title: "Codex",
  newReader: codexReader,
  oldest: "0.100.0",
  install: "npm install --global @openai/codex",
  login: "run `codex login`, or set OPENAI_API_KEY",
  keys: [...secrets, "OPENAI_BASE_URL"],
  keeps: { turns: false, money: false },
  prepare(task) {
    const { access, cwd, resume, mcp } = task;
    const places = access === "write" ? [...task.outside, ...gitPlaces(cwd)] : [];
    const going = resume === null ? [] : ["resume", resume];
    return {
      args: [
        "exec",
        "--json",
        "--color",
        "never",
        "--skip-git-repo-check",
        "--sandbox",
        access === "write" ? "workspace-write" : "read-only",
        "--cd",
        cwd,
        ...places.flatMap((dir) => ["--add-dir", dir]),
        ...flags({ "--model": task.model }),
        ...settings(task).flatMap(([key, value]) => ["--config", `${key}=${JSON.stringify(value)}`]),
        ...task.args,
        ...going,
        "-",
      ],
      env: { ...codexHome(task), ...(mcp === null ? {} : { [tokenVariable]: mcp.token }) },
    };
  },
};

/** JSON as it is written here is TOML as well. */
function settings({ effort, mcp }: AgentTask): readonly (readonly [string, unknown])[] {
  const server = `mcp_servers.${mcpName}`;
  return [
    // Its commands see what it sees, with the marker by which they are found again, and without its keys.
    ["shell_environment_policy.inherit", "all"],
    ["shell_environment_policy.ignore_default_excludes", true],
    ["shell_environment_policy.exclude", [...secrets, tokenVariable]],
    ...(effort === null ? [] : [["model_reasoning_effort", effort] as const]),
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
