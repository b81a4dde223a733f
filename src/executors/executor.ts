// Executors. Owns: the promise that every way of performing an attempt keeps (executor.contract.ts). The common denominator
// is `command`: the prompt arrives on stdin, the working directory is the workspace, what it prints is the output, and
// exit code 0 means that it ran.

import type { Usage } from "../domain/attempt.ts";
import type { OutputSink } from "../system/process/call.ts";

/** Carried by every process of an attempt, so that those which leave its group are found. */
export const attemptMarker = "PAWL_ATTEMPT_ID";

export interface Executor {
  readonly name: string;
  /** What is missing before it can be used, with what to do about it; null when it can. */
  missing(): Promise<{ readonly what: string; readonly hint: string } | null>;
  start(call: ExecutorCall): Execution;
}

export interface ExecutorCall {
  readonly prompt: string;
  readonly cwd: string;
  /** `PAWL_*` and what a profile adds; the rest of the environment is the executor's own allow-list. */
  readonly env: Readonly<Record<string, string>>;
  /** The attempt's id: everything that carries it is killed at the end. */
  readonly attempt: string;
  readonly wallMs: number | null;
  readonly quietMs: number | null;
  readonly onOutput: OutputSink;
}

export interface Execution {
  /** Settles when the program runs or could not be started. */
  readonly started: Promise<void>;
  /** Settles when it and all it started are gone. Never rejects. */
  readonly ended: Promise<ExecutionEnd>;
  stop(reason: string): void;
}

export type ExecutionEnd = {
  readonly text: string;
  readonly usage: Usage;
  readonly session: string | null;
  readonly notes: readonly string[];
} & (
  | { readonly outcome: "ran" }
  /** `lost`: a death that we did not cause. `failed`: it ended by itself and says so. */
  | { readonly outcome: "failed" | "timed_out" | "lost" | "cancelled"; readonly why: string }
  | { readonly outcome: "rate_limited"; readonly why: string; readonly retryAt: number | null }
);
