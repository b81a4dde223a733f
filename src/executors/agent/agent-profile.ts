// Profiles of agents. Owns: what agent-cli.ts must know about one agent's program: how it is called, what it needs to see, how
// its stream is read. A profile is a file of its own; nothing else knows one agent from another.

import { writeFileSync } from "node:fs";
import { homedir } from "node:os";
import { join } from "node:path";
import type { AcpPreset } from "../acp/preset.ts";
import type { Access, McpServer } from "../executor.ts";
import type { OwnPlaces } from "../sandbox/sandbox.ts";
import type { NewReader } from "../stream/reader.ts";
import type { StreamReading } from "../stream/stream-reading.ts";
import type { AgentDescriptor } from "./descriptor.ts";
import type { WarmSessions } from "./warm-session.ts";

export interface AgentProfile extends AgentDescriptor {
  readonly newReader: NewReader;
  /** What to do where it is not installed, or not logged in. */
  readonly install: string;
  readonly login: string;
  /** Variables of the user's with which it finds and pays its model. */
  readonly keys: readonly string[];
  /** What it reads from a cache is a part of what it calls input. */
  readonly cachedIsInput?: boolean;
  /** Which limits it keeps itself when it is told; the others are watched from outside. */
  readonly keeps: { readonly turns: boolean; readonly money: boolean };
  /** Where its role goes: a file that an argument names, or an argument; null: before the prompt. */
  readonly system: "file" | "argument" | null;
  /** How it resumes an earlier session; null: it cannot. */
  readonly sessions: WarmSessions | null;
  /**
   * What is its own in the user's home, and what of it a sandbox must keep open; by the environment that it gets. `ours`: its
   * directory of Pawl's, if it has one.
   */
  places(env: Readonly<Record<string, string>>, ours?: string): OwnPlaces;
  /** May write files; what goes wrong there is thrown. */
  prepare(task: AgentTask): Invocation;
  /** How it runs as a server for the Agent Client Protocol; absent: it does not. */
  readonly acpServer?: AcpPreset;
}

export interface AgentTask {
  readonly cwd: string;
  readonly access: Access;
  /** What it may run although it may only read. */
  readonly commands: readonly string[];
  readonly model: string | null;
  readonly effort: string | null;
  readonly maxTurns: number | null;
  readonly maxUsd: number | null;
  readonly resume: string | null;
  /** Who it is, where it has a place for that and the text fits there; null: it is told before the prompt, or nothing. */
  readonly system: string | null;
  /** Without the user's own settings for that agent. */
  readonly isolated: boolean;
  /** It runs in a sandbox of ours, and needs none of its own. */
  readonly isSandboxed: boolean;
  readonly mcp: McpServer | null;
  /** Words that the configuration adds, as they are. */
  readonly args: readonly string[];
  /** Directories beside the workspace in which it may write. */
  readonly outside: readonly string[];
  /** What is known of its environment so far. */
  readonly env: Readonly<Record<string, string>>;
  /** A directory of this call alone, which goes when it ends. */
  scratch(): string;
  /** A directory of ours that stays, for what must not be put among the user's own. */
  readonly home: string;
}

export interface Invocation {
  readonly args: readonly string[];
  readonly env: Readonly<Record<string, string>>;
  /** Variables of the user's that it shall not see after all. */
  readonly withheld?: readonly string[];
  /** What else it must be able to write in a sandbox. */
  readonly written?: readonly string[];
  /** What it left elsewhere than in its stream. */
  readonly complete?: (reading: StreamReading) => StreamReading;
}

/** Under which agents see our tools. */
export const mcpName = "pawl";

/** Flags with their values; a value that is null leaves its flag out. */
export function flags(given: Readonly<Record<string, string | number | null>>): readonly string[] {
  return Object.entries(given).flatMap(([flag, value]) => (value === null ? [] : [flag, String(value)]));
}

/** What whoever may only read may run. */
export function runnable({ commands }: Pick<AgentTask, "commands">): readonly string[] {
  return [...readOnlyGit, ...commands];
}

/** Git commands that show and do not change. */
export const readOnlyGit = ["git diff", "git log", "git show", "git status", "git blame", "git ls-files"] as const;

/** In a file and not among the arguments: those can be read by everybody on the machine. */
export function mcpFile(scratch: string): string {
  return join(scratch, "mcp.json");
}

export function systemFile(text: string, scratch: string): string {
  const file = join(scratch, "system.md");
  writeFileSync(file, text, { mode: 0o600 });
  return file;
}

/** The user's home, as the agent sees it. */
export function homeOf(env: Readonly<Record<string, string>>): string {
  return env["HOME"] ?? homedir();
}

export function bearer({ token }: McpServer): Readonly<Record<string, string>> {
  return { Authorization: `Bearer ${token}` };
}
