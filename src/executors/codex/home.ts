// Codex's home. Owns: one of ours beside the user's. Codex writes every directory that it works in into the settings of its home:
// with a worktree for each run, those of the user would grow for ever.

import { lstatSync, mkdirSync, readFileSync, renameSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { homedir } from "node:os";
import { join } from "node:path";
import type { AgentTask } from "../agent-profile.ts";

const settingsFile = "config.toml";
/** Linked, so that a renewed login is the user's as well. */
const linked = ["auth.json", ".credentials.json", "AGENTS.md", "AGENTS.override.md", "rules", "skills", "prompts"];

/** Where the configuration hands CODEX_HOME on, that is used as it is. */
export function codexHome({ home, env }: AgentTask): Readonly<Record<string, string>> {
  if (env["CODEX_HOME"] !== undefined) return {};
  const theirs = process.env["CODEX_HOME"] ?? join(env["HOME"] ?? homedir(), ".codex");
  mkdirSync(home, { recursive: true, mode: 0o700 });
  for (const name of linked) link(join(theirs, name), join(home, name));
  copySettings(join(theirs, settingsFile), join(home, settingsFile));
  return { CODEX_HOME: home };
}

/** To what is there, and away when it is gone. */
function link(target: string, place: string): void {
  const there = lstatSync(place, { throwIfNoEntry: false });
  const wanted = lstatSync(target, { throwIfNoEntry: false }) !== undefined;
  if (there?.isSymbolicLink() && !wanted) rmSync(place, { force: true });
  if (there !== undefined || !wanted) return;
  try {
    symlinkSync(target, place);
  } catch (error) {
    // Another attempt began in the same moment.
    if (!(error instanceof Error && "code" in error && error.code === "EEXIST")) throw error;
  }
}

/** Anew each time: what Codex added to the copy is gone then, and what the user changed is there. */
function copySettings(from: string, to: string): void {
  const half = `${to}.${process.pid}`;
  writeFileSync(half, readIfThere(from), { mode: 0o600 });
  renameSync(half, to);
}

function readIfThere(file: string): string {
  try {
    return readFileSync(file, "utf8");
  } catch {
    return "";
  }
}
