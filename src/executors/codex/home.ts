// The home that Pawl manages for Codex. Codex adds every directory that it works in to the settings of its home: with a worktree for
// each run, the user's would grow for ever.

import { readFileSync } from "node:fs";
import { join } from "node:path";
import { type AgentTask, homeOf } from "../agent/agent-profile.ts";
import { makeManagedHome } from "../homes/managed-home.ts";

const settingsFile = "config.toml";
export const login = ["auth.json", ".credentials.json"];
const linked = ["AGENTS.md", "AGENTS.override.md", "rules", "skills", "prompts"];
/** Files of its home that it executes or obeys in later sessions, also outside of a sandbox. */
export const obeyed = [...linked, settingsFile, ".env", "hooks", "hooks.json", "managed_config.toml", "plugins"];

/** A CODEX_HOME that the configuration passes on is used as it is; an isolated call has only the login of it. */
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
