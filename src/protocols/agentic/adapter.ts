// The interface for programs that stand between people and a project: a chat bot, a web page, another command line. Pawl's own command
// line is one of them.

import type { Action } from "./intent.ts";

/** STATE.json, as the protocol describes it. */
export interface ProjectState {
  readonly project: string;
  readonly story: string | null;
  readonly step: string;
  readonly attempt: number;
  readonly max_attempts: number;
  readonly status: "pending" | "running" | "pass" | "failing" | "needs_human" | "timeout";
  readonly reason: string | null;
  readonly dispatched_at: string | null;
  readonly completed_at: string | null;
  readonly timeout_min: number;
  readonly tests: { readonly pass: number; readonly fail: number; readonly skip: number } | null;
  readonly failing_tests: readonly string[];
  readonly lint_pass: boolean | null;
  readonly files_changed: readonly string[];
  readonly blocked_by: readonly string[];
  readonly human_note: string | null;
}

/** What came of one dispatch. */
export type DispatchResult =
  | { readonly type: "dispatched"; readonly step: string; readonly attempt: number }
  | { readonly type: "blocked"; readonly reason: string }
  | { readonly type: "needs_human"; readonly message: string }
  | { readonly type: "done"; readonly summary: string };

/** A session of an executor that was started. */
export interface ExecutorHandle {
  /** Resolves when the session has ended; its report is in files. */
  readonly ended: Promise<void>;
  stop(): void;
}

export interface OrchestratorAdapter {
  /** By rules or by a model. An unknown message is no action. */
  parseIntent(message: string): {
    readonly project: string | null;
    readonly action: Action | "unknown";
    readonly params?: Readonly<Record<string, string>>;
  };
  readState(projectRoot: string): ProjectState | Promise<ProjectState>;
  writeState(projectRoot: string, state: ProjectState): void | Promise<void>;
  dispatch(projectRoot: string): DispatchResult | Promise<DispatchResult>;
  invokeExecutor(projectRoot: string, prompt: string): ExecutorHandle | Promise<ExecutorHandle>;
  formatReport(state: ProjectState, action: string): string;
}
