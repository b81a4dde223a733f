// The port for everything that performs an attempt; executor.contract.ts tests it. The common denominator is `command`: the prompt
// arrives on stdin, the working directory is the workspace, stdout is the output, and exit code 0 means that the program ran.

import type { FailureKind } from "../domain/agent-event.ts";
import type { Usage } from "../domain/attempt.ts";
import type { OutputSink } from "../system/process/call.ts";

/** The variable that every process of an attempt carries, so that Pawl finds processes that left the process group. */
export const attemptMarker = "PAWL_ATTEMPT_ID";

export interface Executor {
  readonly name: string;
  /** What keeps it from being used, and what to do about it; null: nothing. */
  missing(): Promise<Missing | null>;
  /** The version that the program reports; null: it reports none. Absent: there is no program with a version. */
  version?(): Promise<string | null>;
  /** It can call Pawl's tools. */
  readonly callsTools?: boolean;
  start(call: ExecutorCall): Execution;
}

export interface Missing {
  readonly what: string;
  readonly hint: string;
}

/** `read`: the attempt judges work and must not change it. */
export type Access = "write" | "read";

export interface ExecutorCall {
  readonly prompt: string;
  readonly cwd: string;
  /** `PAWL_*` and what a profile adds; the executor's allow-list decides on the rest of the environment. */
  readonly env: Readonly<Record<string, string>>;
  /** Directories beside the workspace in which the prompt asks the agent to write. */
  readonly outside?: readonly string[];
  /** The attempt's id: Pawl kills every process that carries it when the attempt ends. */
  readonly attempt: string;
  readonly wallMs: number | null;
  /** The time of day that counts for what an agent says about time; absent: this machine's. */
  readonly now?: () => number;
  readonly quietMs: number | null;
  /** Wins over the executor's configuration; null: the step names none. */
  readonly model?: string | null;
  readonly effort?: string | null;
  /** It can only take rights away: where the executor or the call says `read`, the agent writes nothing. */
  readonly access?: Access;
  /** Commands that an agent with `read` access may run all the same: the project's tests, its linter. */
  readonly commands?: readonly string[];
  /** The session to resume. */
  readonly resume?: Resumed | null;
  /** The agent's role files: part of its system prompt if it has one, else put before the prompt. */
  readonly system?: string;
  /** Pawl's own tools, for agents that can call them. */
  readonly mcp?: McpAddress | null;
  readonly onOutput: OutputSink;
}

/** A session of an earlier attempt, and what that session has used so far: some agents keep counting from there. */
export interface Resumed {
  readonly session: string;
  readonly spent: Usage;
}

export interface McpAddress {
  readonly url: string;
  readonly token: string;
}

export interface Execution {
  /** Settles when the program runs, or could not be started. */
  readonly started: Promise<void>;
  /** Settles when the program and everything that it started are gone. Never rejects. */
  readonly ended: Promise<ExecutionEnd>;
  stop(reason: string): void;
  /** The agent gave a sign of life elsewhere than in its output. */
  heard?(): void;
  /** Gives the agent a message while it works; absent: its protocol has no way for that. */
  tell?(text: string): Promise<Receipt>;
}

/** Whether the agent has a message. */
export type Receipt = { readonly taken: true } | { readonly taken: false; readonly why: string };

/** Failures that pass by themselves: a retry may succeed, and the attempt does not count against the step. */
export type PassingKind = Extract<FailureKind, "rate_limit" | "quota" | "overloaded" | "server" | "network">;

/** The process died by a signal that Pawl did not send, or the agent reports that it was interrupted: it has not finished. */
export function hasDied(end: ExecutionEnd): boolean {
  return end.outcome === "failed" && (end.kind === "killed" || end.kind === "aborted");
}

export type ExecutionEnd = {
  readonly text: string;
  readonly usage: Usage;
  readonly session: string | null;
  /** The model that did the work, if the agent reports it. */
  readonly model?: string | null;
  readonly version?: string | null;
  readonly notes: readonly string[];
} & (
  | { readonly outcome: "ran" }
  /** It reported a failure, reached a limit of its own, or died by a signal that Pawl did not send (`killed`). */
  | { readonly outcome: "failed"; readonly why: string; readonly kind?: FailureKind }
  | { readonly outcome: "timed_out" | "cancelled"; readonly why: string }
  /** `retryAt`: the time from which a retry makes sense, if the agent reports one. */
  | {
      readonly outcome: "rate_limited";
      readonly why: string;
      readonly kind: PassingKind;
      readonly retryAt: number | null;
    }
  /** A retry is useless until a person acts. `permission`: it asks for something that the configuration does not allow. */
  | { readonly outcome: "blocked"; readonly why: string; readonly kind: "auth" | "context" | "permission" }
);
