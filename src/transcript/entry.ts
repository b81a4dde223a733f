// The entries of a transcript: what an agent did, one thing each. A terminal and a page show the same entries.

import type { TokenUsage } from "../domain/agent-event.ts";

export type LogEntry =
  | { readonly kind: "session"; readonly model: string | null; readonly version: string | null }
  /** A turn is what the model says and calls before it gets a result. `usage`: everything until then. */
  | { readonly kind: "turn"; readonly number: TurnCount; readonly usage: TokenUsage | null }
  | { readonly kind: "text"; readonly text: string }
  | { readonly kind: "call"; readonly call: ToolCall }
  | {
      readonly kind: "result";
      /** null: the call is not known. */
      readonly call: ToolCall | null;
      /** Other things happened since the call. */
      readonly isLate: boolean;
      readonly ok: boolean;
      /** Of a program that the agent ran; null: not known. */
      readonly exitCode: number | null;
      readonly text: string;
    }
  | { readonly kind: "denied"; readonly tool: string; readonly message: string }
  | { readonly kind: "usage"; readonly usage: TokenUsage }
  /** An account's limit, an error after which the agent may continue, or a retry of its own. */
  | { readonly kind: "trouble"; readonly what: "limit" | "retry" | "error"; readonly message: string }
  | {
      readonly kind: "end";
      readonly ok: boolean;
      /** "": the last text said it already. */
      readonly text: string;
      readonly turns: TurnCount;
      readonly usage: TokenUsage | null;
    }
  /** A line that is no event: what a program printed. `bytes`: its length where the text is only its beginning. */
  | { readonly kind: "line"; readonly text: string; readonly bytes: number | null }
  /** A line of Pawl's own. */
  | { readonly kind: "note"; readonly text: string }
  /** Events that say nothing to Pawl, by their types. `sample`: the text of the only one. */
  | { readonly kind: "other"; readonly types: readonly OtherType[]; readonly sample: string | null };

/** null: the beginning of the log was not read, and no sum is known. */
type TurnCount = number | null;

interface OtherType {
  readonly name: string;
  readonly count: number;
}

export interface ToolCall {
  /** As the agent calls it. */
  readonly tool: string;
  readonly kind: "run" | "change" | "read" | "other";
  /** The file, the command, or what is looked for; "": the call does not say. */
  readonly target: string;
  readonly changes: readonly FileEdit[];
}

/** What a call wants to change in a file. */
export interface FileEdit {
  readonly path: string;
  readonly lines: readonly EditLine[];
  readonly added: number;
  readonly removed: number;
}

/** `sign` is that of a diff: `+`, `-`, or a space. */
export interface EditLine {
  readonly sign: "+" | "-" | " ";
  readonly text: string;
}
