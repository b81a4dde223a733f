// A profile says how one agent's program is called, what it needs to see and how its stream is read. Each agent has its own in its
// folder; the shared code does not know one agent from another.

import { writeFileSync } from "node:fs";
import { homedir } from "node:os";
import { join } from "node:path";
import type { AcpPreset } from "../acp/preset.ts";
import type { Access, McpAddress } from "../executor.ts";
import type { OwnPlaces } from "../sandbox/sandbox.ts";
import type { NewReader } from "../stream/reader.ts";
import type { StreamReading } from "../stream/stream-reading.ts";
import type { AgentDescriptor } from "./agent-descriptor.ts";
import type { WarmSessions } from "./warm-session.ts";

export interface AgentProfile extends AgentDescriptor {
  readonly newReader: NewReader;
  /** How to install it, and how to log in. */
  readonly install: string;
  readonly login: string;
  /** Variables of the user's with which it finds and pays its model. */
  readonly keys: readonly string[];
  /** It counts tokens from the cache as part of its input. */
  readonly cachedIsInput?: boolean;
  /** The limits that it enforces itself; the run watches the others. */
  readonly keeps: { readonly turns: boolean; readonly money: boolean };
  /** Where its role goes: a file that an argument names, or an argument; null: before the prompt. */
  readonly system: "file" | "argument" | null;
  /** How it resumes an earlier session; null: it cannot. */
  readonly sessions: WarmSessions | null;
  /**
   * What it keeps in the user's home, and what of it a sandbox must keep writable or protect; by the environment that it gets.
   * `ours`: the home that Pawl manages for it, if there is one.
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
  /** Commands that it may run although it may only read. */
  readonly commands: readonly string[];
  readonly model: string | null;
  readonly effort: string | null;
  readonly maxTurns: number | null;
  readonly maxUsd: number | null;
  readonly resume: string | null;
  /** Its role, if it has a place for that and the text fits there; null: there is none, or it goes before the prompt. */
  readonly system: string | null;
  /** Without the user's own settings for that agent. */
  readonly isolated: boolean;
  /** It runs in Pawl's sandbox, and needs none of its own. */
  readonly isSandboxed: boolean;
  readonly mcp: McpAddress | null;
  /** Arguments that the configuration adds unchanged. */
  readonly args: readonly string[];
  /** Directories beside the workspace in which it may write. */
  readonly outside: readonly string[];
  /** Its environment as far as it is known. */
  readonly env: Readonly<Record<string, string>>;
  /** A directory of this call alone, which is removed when the call ends. */
  scratch(): string;
  /** A permanent directory of Pawl's, for what must not be put among the user's own files. */
  readonly home: string;
}

export interface Invocation {
  readonly args: readonly string[];
  readonly env: Readonly<Record<string, string>>;
  /** Variables of the user's that it must not see after all. */
  readonly withheld?: readonly string[];
  /** Further paths that it must be able to write in a sandbox. */
  readonly written?: readonly string[];
  /** Adds to the reading what the agent left elsewhere than in its stream. */
  readonly complete?: (reading: StreamReading) => StreamReading;
}

/** The name under which agents see Pawl's tools. */
export const mcpName = "pawl";

/** Flags with their values; a flag with the value null is left out. */
export function flags(given: Readonly<Record<string, string | number | null>>): readonly string[] {
  return Object.entries(given).flatMap(([flag, value]) => (value === null ? [] : [flag, String(value)]));
}

/** The commands that an agent with `read` access may run. */
export function runnable({ commands }: Pick<AgentTask, "commands">): readonly string[] {
  return [...new Set([...readOnlyGit, ...readOnlyShell, ...projectTools, ...commands])];
}

/** Git commands that change nothing. */
export const readOnlyGit = ["git diff", "git log", "git show", "git status", "git blame", "git ls-files"] as const;

/** Programs that only read, whatever their options are. Not `find` and `sort`: these can write. */
export const readOnlyShell = ["ls", "cat", "head", "tail", "wc", "grep", "rg", "pwd", "stat", "file", "diff"] as const;

/** How projects are usually tested, linted and built: a judge that can run none of it has not verified. */
export const projectTools: readonly string[] = [
  ...["npm", "pnpm", "yarn", "bun"].flatMap((tool) => [
    `${tool} test`,
    ...["test", "lint", "build", "check", "typecheck"].map((script) => `${tool} run ${script}`),
  ]),
  ...["vitest run", "jest", "tsc --noEmit", "eslint"].map((tool) => `npx ${tool}`),
  ...["test", "lint", "build", "check"].map((target) => `make ${target}`),
  "node --test",
  "pytest",
  "python -m pytest",
  "python3 -m pytest",
  "ruff check",
  "mypy",
  "cargo test",
  "cargo check",
  "cargo build",
  "cargo clippy",
  "go test",
  "go vet",
  "go build",
  "mvn test",
  "gradle test",
  "./gradlew test",
  "dotnet test",
  "bundle exec rspec",
  "mix test",
];

/** A file instead of an argument: every user of the machine can read arguments. */
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

export function bearer({ token }: McpAddress): Readonly<Record<string, string>> {
  return { Authorization: `Bearer ${token}` };
}
