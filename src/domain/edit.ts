// Edits: requested changes to a chain. Agents, people and routes use the same operations.

import type { StepId, StepName } from "./ids.ts";

export interface NewStep {
  readonly name: StepName;
  /** Empty: the title from the definition. */
  readonly description: string;
}

export type EditOperation = { readonly reason: string } & (
  | { readonly op: "insert"; readonly after: StepId; readonly steps: readonly NewStep[] }
  | { readonly op: "insert"; readonly before: StepId; readonly steps: readonly NewStep[] }
  | { readonly op: "replace"; readonly step: StepId; readonly steps: readonly NewStep[] }
  | { readonly op: "skip"; readonly step: StepId }
  /** All steps that are still to come, in their new order. */
  | { readonly op: "reorder"; readonly order: readonly StepId[] }
  | { readonly op: "amend"; readonly step: StepId; readonly description: string }
  /** The requesting step restarts with another description. */
  | { readonly op: "restart"; readonly step: StepId; readonly description: string }
);

/** All operations are applied, or none. */
export type EditRequest =
  | { readonly operations: readonly EditOperation[]; readonly notes: readonly string[] }
  /** The request cannot be read. */
  | { readonly unreadable: string };

/** A line of a chain as an edit found it or left it. */
export interface ChainLine {
  readonly id: StepId;
  readonly name: StepName;
  readonly status: string;
  readonly description: string;
}
