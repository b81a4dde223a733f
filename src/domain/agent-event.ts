// The events of every agent's stream, in one vocabulary.

export type AgentEvent =
  | {
      readonly type: "session";
      readonly id: string | null;
      readonly model: string | null;
      readonly version: string | null;
    }
  /** A whole message, or a piece that continues the last one. */
  | { readonly type: "text"; readonly text: string; readonly isDelta: boolean }
  | { readonly type: "tool_call"; readonly id: string; readonly name: string; readonly input: unknown }
  | {
      readonly type: "tool_result";
      readonly id: string;
      readonly ok: boolean;
      readonly text: string;
      /** Of a program that it ran; absent: the agent does not report it apart from the text. */
      readonly exitCode?: number;
    }
  | { readonly type: "denied"; readonly id: string; readonly name: string; readonly message: string }
  /** Everything that was used so far, not only since the last event. */
  | { readonly type: "usage"; readonly usage: TokenUsage }
  /** What the account may still use; `rejected`: nothing until `resetsAt`. */
  | {
      readonly type: "limit";
      readonly status: "allowed" | "warning" | "rejected";
      readonly name: string;
      readonly resetsAt: number | null;
    }
  /** The agent backs off and retries by itself. */
  | {
      readonly type: "retry";
      readonly kind: FailureKind;
      readonly attempt: number | null;
      readonly waitMs: number | null;
      readonly message: string;
    }
  /** It may still continue; the reading says whether this was the end. */
  | { readonly type: "error"; readonly kind: FailureKind; readonly message: string }
  /** The agent's last event. */
  | { readonly type: "result"; readonly ok: boolean; readonly text: string };

/** Why it is not ok. All agents share this list; agent-end.ts decides what follows from each. */
export type FailureKind =
  /** It was denied something, and ended there. */
  | "denied"
  | "auth"
  /** The prompt or the session is longer than the model can read. */
  | "context"
  /** Too many requests in a short time; it passes by itself. */
  | "rate_limit"
  /** The account's quota is used up, until it is reset or extended. */
  | "quota"
  | "overloaded"
  | "server"
  | "network"
  | "max_turns"
  | "max_budget"
  | "killed"
  /** It ended without its last event. */
  | "no_result"
  /** It reports that it was interrupted. */
  | "aborted"
  /** Its last event reports success and its exit code does not. */
  | "exit"
  | "other";

export interface TokenUsage {
  /** New input, including what was written to the cache. */
  readonly inputTokens: number;
  readonly cacheReadTokens: number;
  readonly outputTokens: number;
  /** Null: the agent reports none. */
  readonly costUsd: number | null;
}
