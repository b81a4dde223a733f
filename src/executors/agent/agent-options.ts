// The options of an agent. Owns: what the configuration says about one, in the words of its executor.

import type { Access } from "../executor.ts";
import type { Sandbox } from "../sandbox/sandbox.ts";

export interface AgentOptions {
  readonly name: string;
  /** On PATH, or an absolute path. */
  readonly program: string;
  readonly model: string | null;
  readonly effort: string | null;
  readonly maxTurns: number | null;
  readonly maxUsd: number | null;
  readonly access: Access;
  readonly args: readonly string[];
  /** Names of variables that it may see beside the usual ones and its own keys. */
  readonly env: readonly string[];
  /** A directory for what the agent must keep apart from the user's own. */
  readonly home: string;
  /** Without the user's own settings for that agent; his, unless told. */
  readonly isolated?: boolean;
  /** None, unless told. */
  readonly sandbox?: Sandbox | null;
  readonly wallMs: number;
  readonly quietMs: number | null;
  readonly startMs: number;
  readonly leaveMs: number;
  /** How long it may do nothing but try again; a few minutes, unless told. */
  readonly retryMs?: number;
  readonly graceMs: number;
}
