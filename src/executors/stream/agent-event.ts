// The events of every agent's stream, in one vocabulary.

import type { FailureKind, TokenUsage } from "./stream-reading.ts";

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
  | { readonly type: "tool_result"; readonly id: string; readonly ok: boolean; readonly text: string }
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
