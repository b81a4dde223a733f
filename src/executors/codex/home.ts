// Codex's home. Owns: one of ours beside the user's. Codex writes every directory that it works in into the settings of its home:
// with a worktree for each run, those of the user would grow for ever.

import { readFileSync } from "node:fs";
import { join } from "node:path";
import { type AgentTask, homeOf } from "../agent-profile.ts";
import { makeHome } from "../own-home.ts";

const settingsFile = "config.toml";
const login = ["auth.json", ".credentials.json"];
const linked = [...login, "AGENTS.md", "AGENTS.override.md", "rules", "skills", "prompts"];

/** Where the configuration hands CODEX_HOME on, that is used as it is; whoever is isolated has nothing of it but the login. */
export function codexHome({ home, env, isolated }: AgentTask): Readonly<Record<string, string>> {
  if (env["CODEX_HOME"] !== undefined && !isolated) return {};
  const theirs = process.env["CODEX_HOME"] ?? join(homeOf(env), ".codex");
  const text = isolated ? "" : readIfThere(join(theirs, settingsFile));
  const settings = { name: settingsFile, text };
  return { CODEX_HOME: makeHome({ dir: home, theirs, linked: isolated ? login : linked, settings }) };
}

function readIfThere(file: string): string {
  try {
    return readFileSync(file, "utf8");
  } catch {
    return "";
  }
}
