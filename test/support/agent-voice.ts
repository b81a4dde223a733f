// Voices of playing agents. Owns: what an agent's own way of being told and of telling must offer to whoever plays it
// (playing-agent.ts). Each agent's is in a file of its own or with those that are called as it is.

import { type Move, type OfferedTool, used } from "../agents/model/conversation.ts";

export interface Voice {
  /** Its own tools, as its model sees them. */
  readonly tools: readonly OfferedTool[];
  /** A tool of Pawl's, as its model sees it. */
  ours(name: string): OfferedTool;
  hear(): Promise<Heard>;
  /** Tells what it is about to do; false: it may not. */
  begins(call: Call): Promise<boolean>;
  ends(call: Call, result: Result): void;
  says(text: string): void;
  /** After its last words. */
  leaves(answers: number): void;
  /** Its API has turned it away. */
  isTurnedAway(): void;
}

export interface Heard {
  readonly system: string;
  readonly prompt: string;
  readonly mcp: Address | null;
}

/** Where Pawl's tools are, and what opens the door. */
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

/** What each answer of the model costs, where an agent tells money. */
export const usdOfAnswer = 0.01;

export function tokensOf(answers: number): {
  readonly fresh: number;
  readonly cached: number;
  readonly written: number;
} {
  return { fresh: answers * used.fresh, cached: answers * used.cached, written: answers * used.written };
}

/** Of an API that has too much to do just now, to whoever asks. */
export const limitText = "Rate limit reached for this model. Please try again in 1.5s.";
export const limitMs = 1_500;
