// Qwen Code. Owns: how it is called.

import { writeFileSync } from "node:fs";
import { type AgentProfile, type AgentTask, bearer, flags, mcpFile, mcpName } from "../agent-profile.ts";
import { qwenReader } from "./reader.ts";

export const qwen: AgentProfile = {
  kind: "qwen",
  title: "Qwen Code",
  newReader: qwenReader,
  oldest: "0.15.0",
  install: "npm install --global @qwen-code/qwen-code",
  login: "run `qwen` and log in, or set OPENAI_API_KEY, OPENAI_BASE_URL and OPENAI_MODEL",
  keys: ["OPENAI_API_KEY", "OPENAI_BASE_URL", "OPENAI_MODEL", "DASHSCOPE_API_KEY"],
  keeps: { turns: true, money: false },
  prepare: (task) => ({
    args: [
      "--output-format",
      "stream-json",
      // Without approval it has no tools that write or run anything.
      "--approval-mode",
      task.access === "write" ? "yolo" : "default",
      ...flags({ "--model": task.model, "--max-session-turns": task.maxTurns, "--resume": task.resume }),
      ...task.outside.flatMap((dir) => ["--include-directories", dir]),
      ...tools(task),
      ...task.args,
    ],
    env: {},
  }),
};

/** Loaded at once: else the model sees a search for tools and not the tools. */
function tools({ mcp, scratch }: AgentTask): readonly string[] {
  if (mcp === null) return [];
  const file = mcpFile(scratch());
  const server = { httpUrl: mcp.url, headers: bearer(mcp), trust: true, alwaysLoadTools: true };
  writeFileSync(file, JSON.stringify({ mcpServers: { [mcpName]: server } }), { mode: 0o600 });
  return ["--mcp-config", file];
}
