// Gates. Owns: a question to a person that holds a step, and its one answer.

import type { GateId, StepId, StoryId } from "./ids.ts";
import type { GateOptions, Route } from "./route.ts";

export type GateCause = "step" | "exhausted" | "unreadable" | "route" | "cap" | "asked";

export interface Gate {
  readonly id: GateId;
  readonly story: StoryId | null;
  readonly step: StepId;
  readonly visit: number;
  readonly question: string;
  readonly options: GateOptions;
  readonly cause: GateCause;
  /** Feedback for the step that is sent back. */
  readonly feedback: string;
  /** The tree that was shown; an answer for another tree is refused. */
  readonly tree: string | null;
  readonly openedAt: number;
  /** This option is taken when no answer has come by then. */
  readonly deadline: { readonly at: number; readonly option: string } | null;
  readonly state: GateState;
}

export type GateState =
  | { readonly status: "open" }
  | {
      readonly status: "answered";
      readonly option: string;
      readonly reason: string | null;
      readonly note: string;
      readonly by: string;
      readonly at: number;
      readonly took: Route["to"];
    }
  /** A route went back before its step: what was approved is no longer what is there. */
  | { readonly status: "void"; readonly reason: string; readonly at: number };

/** The options that a person chooses from; `reject:unclear` is one of them with a reason. */
export function namesOf(options: GateOptions): readonly string[] {
  return Object.keys(options).filter((name) => !name.includes(":"));
}

/** The reasons for which an option leads elsewhere. */
export function reasonsOf(options: GateOptions, option: string): readonly string[] {
  const prefix = `${option}:`;
  return Object.keys(options).flatMap((name) => (name.startsWith(prefix) ? [name.slice(prefix.length)] : []));
}
