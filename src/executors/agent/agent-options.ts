// The options of executors for agents, as the factory fills them from the configuration.

import type { Access } from "../executor.ts";
import type { Sandbox } from "../sandbox/sandbox.ts";

/** What every agent has, however Pawl talks to it. */
export interface AgentRunOptions {
  readonly name: string;
  readonly model: string | null;
  readonly effort: string | null;
  readonly maxTurns: number | null;
  readonly maxUsd: number | null;
  readonly access: Access;
  /** Variables that it sees beside the usual ones and its own keys. */
  readonly env: readonly string[];
  /** Absent: none. */
  readonly sandbox?: Sandbox | null;
  readonly wallMs: number;
  readonly quietMs: number | null;
  /** The longest wait for its first byte; over ACP, for each answer before the prompt. */
  readonly startMs: number;
  /** From its last event to its exit. */
  readonly leaveMs: number;
  /** How long it may do nothing but retry; absent: a few minutes. */
  readonly retryMs?: number;
  readonly graceMs: number;
}

/** An agent with a command line. */
export interface AgentOptions extends AgentRunOptions {
  /** On PATH, or an absolute path. */
  readonly program: string;
  readonly args: readonly string[];
  /** A directory for what the agent must keep apart from the user's own. */
  readonly home: string;
  /** Without the user's own settings for that agent. */
  readonly isolated?: boolean;
}
