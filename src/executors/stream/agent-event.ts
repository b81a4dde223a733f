// Events of agents. Owns: one vocabulary for what every agent's stream tells while it runs.

import type { FailureKind, TokenUsage } from "./stream-reading.ts";

export type AgentEvent =
  | {
      readonly type: "session";
      readonly id: string | null;
      readonly model: string | null;
      readonly version: string | null;
    }
  /** A whole message, or a piece that goes on where the last piece ended. */
  | { readonly type: "text"; readonly text: string; readonly isDelta: boolean }
  | { readonly type: "tool_call"; readonly id: string; readonly name: string; readonly input: unknown }
  | { readonly type: "tool_result"; readonly id: string; readonly ok: boolean; readonly text: string }
  | { readonly type: "denied"; readonly id: string; readonly name: string; readonly message: string }
  /** All that was used so far, not since the last one. */
  | { readonly type: "usage"; readonly usage: TokenUsage }
  /** What the account may still use; `rejected`: nothing until `resetsAt`. */
  | {
      readonly type: "limit";
      readonly status: "allowed" | "warning" | "rejected";
      readonly name: string;
      readonly resetsAt: number | null;
    }
  /** The agent waits and tries again by itself. */
  | {
      readonly type: "retry";
      readonly kind: FailureKind;
      readonly attempt: number | null;
      readonly waitMs: number | null;
      readonly message: string;
    }
  /** It may still go on; whether this was the end, the reading says. */
  | { readonly type: "error"; readonly kind: FailureKind; readonly message: string }
  /** The agent's last word. */
  | { readonly type: "result"; readonly ok: boolean; readonly text: string };
