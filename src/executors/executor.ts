// Executors. Owns: the promise that every way of performing an attempt keeps (executor.contract.ts). The common denominator
// is `command`: the prompt arrives on stdin, the working directory is the workspace, what it prints is the output, and
// exit code 0 means that it ran.

import type { Usage } from "../domain/attempt.ts";
import type { OutputSink } from "../system/process/call.ts";
import type { FailureKind } from "./stream/stream-reading.ts";

/** Carried by every process of an attempt, so that those which leave its group are found. */
export const attemptMarker = "PAWL_ATTEMPT_ID";

export interface Executor {
  readonly name: string;
  /** What is missing before it can be used, with what to do about it; null when it can. */
  missing(): Promise<Missing | null>;
  /** Of the program, as it says itself; null when it does not. Absent: it has none. */
  version?(): Promise<string | null>;
  /** It can call our tools, if it is told where they are. */
  readonly callsTools?: boolean;
  start(call: ExecutorCall): Execution;
}

export interface Missing {
  readonly what: string;
  readonly hint: string;
}

/** `read`: whoever only judges cannot change what he judges. */
export type Access = "write" | "read";

export interface ExecutorCall {
  readonly prompt: string;
  readonly cwd: string;
  /** `PAWL_*` and what a profile adds; the rest of the environment is the executor's own allow-list. */
  readonly env: Readonly<Record<string, string>>;
  /** Directories beside the workspace in which the prompt asks it to write; none, unless told. */
  readonly outside?: readonly string[];
  /** The attempt's id: everything that carries it is killed at the end. */
  readonly attempt: string;
  readonly wallMs: number | null;
  readonly quietMs: number | null;
  /** Wins over what the executor is configured with; null: nobody chose. */
  readonly model?: string | null;
  readonly effort?: string | null;
  /** Can only take rights away: where the executor or the call says `read`, nothing is written. */
  readonly access?: Access;
  /** What whoever may only read may run all the same: the project's tests, its linter. */
  readonly commands?: readonly string[];
  /** A session to go on with. */
  readonly resume?: Resumed | null;
  /** Who the agent is: its role files. Part of its system prompt where it has one, else told before the prompt. */
  readonly system?: string;
  /** Our own tools, for agents that can call them. */
  readonly mcp?: McpServer | null;
  readonly onOutput: OutputSink;
}

/** A session that an earlier end told, and what that session has used so far: some agents count on from there. */
export interface Resumed {
  readonly session: string;
  readonly spent: Usage;
}

export interface McpServer {
  readonly url: string;
  readonly token: string;
}

export interface Execution {
  /** Settles when the program runs or could not be started. */
  readonly started: Promise<void>;
  /** Settles when it and all it started are gone. Never rejects. */
  readonly ended: Promise<ExecutionEnd>;
  stop(reason: string): void;
  /** It gave a sign of life elsewhere than in its output. */
  heard?(): void;
}

/** It ends by itself: whoever waits may try again, and nobody's fault is counted. */
export type PassingKind = Extract<FailureKind, "rate_limit" | "quota" | "overloaded" | "server" | "network">;

export type ExecutionEnd = {
  readonly text: string;
  readonly usage: Usage;
  readonly session: string | null;
  /** What did the work, where the agent says so. */
  readonly model?: string | null;
  readonly version?: string | null;
  readonly notes: readonly string[];
} & (
  | { readonly outcome: "ran" }
  /** It ended by itself and says so, or at a limit of its own. */
  | { readonly outcome: "failed"; readonly why: string; readonly kind?: FailureKind }
  /** `lost`: a death that we did not cause. */
  | { readonly outcome: "timed_out" | "lost" | "cancelled"; readonly why: string }
  /** `retryAt`: when it says that it makes sense to try again. */
  | {
      readonly outcome: "rate_limited";
      readonly why: string;
      readonly kind: PassingKind;
      readonly retryAt: number | null;
    }
  /** Trying again changes nothing before a person has acted. `permission`: it asks for what nobody has allowed it. */
  | { readonly outcome: "blocked"; readonly why: string; readonly kind: "auth" | "context" | "permission" }
);
