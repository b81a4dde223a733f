// Conversations with a model. Owns: what the APIs of all agents have in common: who said what, which tools are offered, what the
// model does next. Does not own: how any API writes it.

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

/** As one API names it. */
export interface OfferedTool {
  readonly name: string;
  /** Some APIs put the tools of one server into a drawer of its own. */
  readonly drawer: string | null;
}

/** What a model does: it speaks and is done, calls a tool, or its API turns the request away. */
export type Move =
  | { readonly does: "say"; readonly text: string }
  | { readonly does: "shell"; readonly command: string }
  | { readonly does: "write"; readonly path: string; readonly content: string }
  | { readonly does: "complete"; readonly given: Readonly<Record<string, unknown>> }
  | { readonly does: "search"; readonly query: string }
  | { readonly does: "refuse"; readonly as: Refusal };

/** `limit`: too many requests just now. `quota`: the plan is used up until `resetsAt`. */
export type Refusal =
  | { readonly kind: "limit" }
  | { readonly kind: "quota"; readonly resetsAt: number }
  | { readonly kind: "login" };

export type Mind = (conversation: Conversation) => Move;

/** What one answer costs, whatever it says: then sums can be told beforehand. */
export const used = { fresh: 700, cached: 500, written: 34 } as const;

export function callsIn({ turns }: Conversation): number {
  return turns.filter(({ by }) => by === "call").length;
}

export function saidBy(by: "user" | "tool", { turns }: Conversation): string {
  return turns.flatMap((turn) => (turn.by === by ? [turn.text] : [])).join("\n");
}

/** What the last tool gave back. */
export function lastResult({ turns }: Conversation): string {
  const last = turns.findLast((turn) => turn.by === "tool");
  return last?.by === "tool" ? last.text : "";
}

/** Ours, by whatever name an agent gives it. */
export function completeIn({ tools }: Conversation): OfferedTool | null {
  return (
    tools.find(({ name, drawer }) => /pawl/.test(`${drawer ?? ""}${name}`) && /(?:^|_)complete$/.test(name)) ?? null
  );
}
