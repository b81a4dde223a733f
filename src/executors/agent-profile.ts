// Profiles of agents. Owns: what agent-cli.ts must know about one agent's program: how it is called, what it needs to see, how
// its stream is read. A profile is a file of its own; nothing else knows one agent from another.

import { join } from "node:path";
import type { AgentKind } from "./agents.ts";
import type { Access, McpServer } from "./executor.ts";
import type { NewReader } from "./reader.ts";
import type { Reading } from "./reading.ts";

export interface AgentProfile {
  readonly kind: AgentKind;
  /** As its maker calls it. */
  readonly title: string;
  readonly newReader: NewReader;
  /** What older ones take or print is something else. */
  readonly oldest: string;
  /** What to do where it is not installed, or not logged in. */
  readonly install: string;
  readonly login: string;
  /** Variables of the user's with which it finds and pays its model. */
  readonly keys: readonly string[];
  /** Which limits it keeps itself when it is told; the others are watched from outside. */
  readonly keeps: { readonly turns: boolean; readonly money: boolean };
  /** May write files; what goes wrong there is thrown. */
  prepare(task: AgentTask): Invocation;
}

export interface AgentTask {
  readonly cwd: string;
  readonly access: Access;
  readonly model: string | null;
  readonly effort: string | null;
  readonly maxTurns: number | null;
  readonly maxUsd: number | null;
  readonly resume: string | null;
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
  /** What it left elsewhere than in its stream. */
  readonly complete?: (reading: Reading) => Reading;
}

/** Under which agents see our tools. */
export const mcpName = "pawl";

/** Flags with their values; a value that is null leaves its flag out. */
export function flags(given: Readonly<Record<string, string | number | null>>): readonly string[] {
  return Object.entries(given).flatMap(([flag, value]) => (value === null ? [] : [flag, String(value)]));
}

/** Git commands that show and do not change, for whoever may only read. */
export const readOnlyGit = ["git diff", "git log", "git show", "git status", "git blame", "git ls-files"] as const;

/** In a file and not among the arguments: those can be read by everybody on the machine. */
export function mcpFile(scratch: string): string {
  return join(scratch, "mcp.json");
}

export function bearer({ token }: McpServer): Readonly<Record<string, string>> {
  return { Authorization: `Bearer ${token}` };
}
