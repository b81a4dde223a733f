// Voices of playing agents. A voice is how one agent gets its prompt and reports what it does; playing-agent.ts plays every agent
// through it. Agents that are called alike share a file.

import { type Move, type OfferedTool, used } from "../agents/model/conversation.ts";

export interface Voice {
  /** Its own tools, as its model sees them. */
  readonly tools: readonly OfferedTool[];
  /** One of Pawl's tools, as the agent's model sees it. */
  ours(name: string): OfferedTool;
  hear(): Promise<Heard>;
  /** Reports what it is about to do; false if that is not allowed. */
  begins(call: Call): Promise<boolean>;
  ends(call: Call, result: Result): void;
  says(text: string): void;
  /** Called after its last message. */
  leaves(answers: number): void;
  /** Its API refused the request with a rate limit. */
  isRateLimited(): void;
}

export interface Heard {
  readonly system: string;
  readonly prompt: string;
  readonly mcp: Address | null;
}

/** The address of Pawl's tools, and the headers that authorise a call. */
export interface Address {
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
}

export type Doing = Exclude<Move, { readonly does: "say" | "refuse" }>;

export interface Call {
  readonly id: string;
  readonly doing: Doing;
  readonly tool: OfferedTool;
  readonly input: unknown;
}

export interface Result {
  readonly isAllowed: boolean;
  readonly text: string;
}

/** What each answer of the model costs, if the agent reports costs. */
export const usdOfAnswer = 0.01;

export function tokensOf(answers: number): {
  readonly fresh: number;
  readonly cached: number;
  readonly written: number;
} {
  return { fresh: answers * used.fresh, cached: answers * used.cached, written: answers * used.written };
}

/** The message of an API that is over its rate limit. */
export const limitText = "Rate limit reached for this model. Please try again in 1.5s.";
export const limitMs = 1_500;
