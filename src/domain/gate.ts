// A gate: a question to a person that holds a step, and its one answer.

import type { GateId, PartName, StepId, StoryId } from "./ids.ts";
import type { GateOptions, Route } from "./route.ts";

export type GateCause =
  | "step"
  | "exhausted"
  | "unreadable"
  | "route"
  | "cap"
  | "asked"
  | "waits"
  | "stopped"
  | "signal";

export interface Gate {
  readonly id: GateId;
  readonly story: StoryId | null;
  readonly step: StepId;
  /** The part of the step that it holds; absent: the whole step. */
  readonly part?: PartName;
  readonly visit: number;
  readonly question: string;
  readonly options: GateOptions;
  readonly cause: GateCause;
  /** Feedback for the step that is sent back. */
  readonly feedback: string;
  /** What the step before it said, for the person. Absent: nothing. */
  readonly said?: string;
  /** The tree that was shown; an answer for another tree is refused. */
  readonly tree: string | null;
  readonly openedAt: number;
  /** The option that is taken if no answer comes by this time. */
  readonly deadline: { readonly at: number; readonly option: string } | null;
  /** The signal that answers it, in place of a person; absent: a person does. */
  readonly signal?: string;
  readonly state: GateState;
}

export type GateState =
  | { readonly status: "open" }
  | AnsweredState
  /** The step was reset or removed, so the answer no longer applies. `answer` is the one that it had; absent: none. */
  | { readonly status: "void"; readonly reason: string; readonly at: number; readonly answer?: AnsweredState };

export interface AnsweredState {
  readonly status: "answered";
  readonly option: string;
  readonly reason: string | null;
  readonly note: string;
  readonly by: string;
  readonly at: number;
  readonly took: Route["to"];
}

/** A gate that asks a person. */
export type PersonGate = Gate & { readonly cause: Exclude<GateCause, "signal"> };

/** False for a step that waits for a signal: no person is asked. */
export function isQuestion(gate: Gate): gate is PersonGate {
  return gate.cause !== "signal";
}

/** The answer that a gate got, also if it does not apply any more; null: none. */
export function answerOf({ state }: Pick<Gate, "state">): AnsweredState | null {
  if (state.status === "answered") return state;
  return state.status === "void" ? (state.answer ?? null) : null;
}

/** How the question ended, as a sentence; null: it is still open. */
export function endOfGate(gate: Pick<Gate, "state">): string | null {
  if (gate.state.status === "open") return null;
  if (gate.state.status === "void") return `It is no longer asked: ${gate.state.reason}.`;
  return `It was answered with “${gate.state.option}” by ${gate.state.by}.`;
}

/** The options that a person chooses from, without their reasons, such as `reject:unclear`. */
export function namesOf(options: GateOptions): readonly string[] {
  return Object.keys(options).filter((name) => !name.includes(":"));
}

/** The reasons that have a route of their own. */
export function reasonsOf(options: GateOptions, option: string): readonly string[] {
  const prefix = `${option}:`;
  return Object.keys(options).flatMap((name) => (name.startsWith(prefix) ? [name.slice(prefix.length)] : []));
}
