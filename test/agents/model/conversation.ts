// Conversations with a model: what the APIs of all agents have in common. That is who said what, which tools are offered, and what
// the model does next. Each API's own format is in its own file.

export type Turn =
  | { readonly by: "user"; readonly text: string }
  | { readonly by: "model"; readonly text: string }
  | { readonly by: "call"; readonly tool: string }
  | { readonly by: "tool"; readonly text: string };

export interface Conversation {
  readonly system: string;
  readonly turns: readonly Turn[];
  readonly tools: readonly OfferedTool[];
}

/** A tool as one API names it. */
export interface OfferedTool {
  readonly name: string;
  /** Some APIs put the tools of a server into a namespace. */
  readonly namespace: string | null;
}

/** What a model does: it speaks and is done, calls a tool, or its API refuses the request. */
export type Move =
  | { readonly does: "say"; readonly text: string }
  | { readonly does: "shell"; readonly command: string }
  | { readonly does: "write"; readonly path: string; readonly content: string }
  | { readonly does: "complete"; readonly given: Readonly<Record<string, unknown>> }
  | { readonly does: "search"; readonly query: string }
  | { readonly does: "refuse"; readonly as: Refusal };

/** `limit`: too many requests for now. `quota`: used up until `resetsAt`. */
export type Refusal =
  | { readonly kind: "limit" }
  | { readonly kind: "quota"; readonly resetsAt: number }
  | { readonly kind: "login" };

export type ScriptedModel = (conversation: Conversation) => Move;

/** The usage of every answer, whatever its text, so that tests know the sums in advance. */
export const used = { fresh: 700, cached: 500, written: 34 } as const;

export function callsIn({ turns }: Conversation): number {
  return turns.filter(({ by }) => by === "call").length;
}

export function saidBy(by: "user" | "tool", { turns }: Conversation): string {
  return turns.flatMap((turn) => (turn.by === by ? [turn.text] : [])).join("\n");
}

/** The result of the last tool. */
export function lastResult({ turns }: Conversation): string {
  const last = turns.findLast((turn) => turn.by === "tool");
  return last?.by === "tool" ? last.text : "";
}

/** Pawl's tool `complete`, under the agent's name for it. */
export function completeIn({ tools }: Conversation): OfferedTool | null {
  return (
    tools.find(({ name, namespace }) => /pawl/.test(`${namespace ?? ""}${name}`) && /(?:^|_)complete$/.test(name)) ??
    null
  );
}
