// Gates. Owns: a question to a person that holds a step, and its one answer.

import type { GateId, StepId, StoryId } from "./ids.ts";
import type { GateOptions, Route } from "./route.ts";

export type GateCause = "step" | "exhausted" | "unreadable" | "route";

export interface Gate {
  readonly id: GateId;
  readonly story: StoryId | null;
  readonly step: StepId;
  readonly visit: number;
  readonly question: string;
  readonly options: GateOptions;
  readonly cause: GateCause;
  /** What the step that is sent back will be told. */
  readonly feedback: string;
  /** The tree that was shown; an answer for another tree is refused. */
  readonly tree: string | null;
  readonly openedAt: number;
  readonly state: GateState;
}

export type GateState =
  | { readonly status: "open" }
  | {
      readonly status: "answered";
      readonly option: string;
      readonly note: string;
      readonly by: string;
      readonly at: number;
      readonly took: Route["to"];
    }
  /** A route went back before its step: what was approved is no longer what is there. */
  | { readonly status: "void"; readonly reason: string; readonly at: number };
