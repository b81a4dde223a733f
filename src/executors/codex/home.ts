// Codex's home. Owns: one of ours beside the user's. Codex writes every directory that it works in into the settings of its home:
// with a worktree for each run, those of the user would grow for ever.

import { readFileSync } from "node:fs";
import { join } from "node:path";
import { type AgentTask, homeOf } from "../agent/agent-profile.ts";
import { makeManagedHome } from "../homes/managed-home.ts";

const settingsFile = "config.toml";
export const login = ["auth.json", ".credentials.json"];
const linked = ["AGENTS.md", "AGENTS.override.md", "rules", "skills", "prompts"];
/** What it executes or obeys of its home, in later sessions and outside of a sandbox, too. */
export const obeyed = [...linked, settingsFile, ".env", "hooks", "hooks.json", "managed_config.toml", "plugins"];

/** Where the configuration hands CODEX_HOME on, that is used as it is; whoever is isolated has nothing of it but the login. */
export function codexHome({ home, env, isolated }: AgentTask): Readonly<Record<string, string>> {
  if (env["CODEX_HOME"] !== undefined && !isolated) return {};
  const theirs = process.env["CODEX_HOME"] ?? join(homeOf(env), ".codex");
  const text = isolated ? "" : readIfThere(join(theirs, settingsFile));
  const settings = { name: settingsFile, text };
  return {
    CODEX_HOME: makeManagedHome({ dir: home, theirs, login, obeyed, linked: isolated ? [] : linked, settings }),
  };
}

function readIfThere(file: string): string {
  try {
    return readFileSync(file, "utf8");
  } catch {
    return "";
  }
}
