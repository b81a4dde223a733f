// Builds edit operations and requests for tests.

import type { EditOperation, NewStep } from "../../../src/domain/edit.ts";
import { stepId, stepName } from "../../../src/domain/ids.ts";
import type { Said } from "./reports.ts";

const reason = "because";

/** `coding: fix the import` is a step with its own description. */
function newSteps(steps: readonly string[]): readonly NewStep[] {
  return steps.map((text) => {
    const [name = "", description = ""] = text.split(": ");
    return { name: stepName(name), description };
  });
}

export const addAfter = (target: string, ...steps: string[]): EditOperation => ({
  op: "insert",
  after: stepId(target),
  steps: newSteps(steps),
  reason,
});

export const addBefore = (target: string, ...steps: string[]): EditOperation => ({
  op: "insert",
  before: stepId(target),
  steps: newSteps(steps),
  reason,
});

export const split = (target: string, ...steps: string[]): EditOperation => ({
  op: "replace",
  step: stepId(target),
  steps: newSteps(steps),
  reason,
});

export const skip = (target: string): EditOperation => ({ op: "skip", step: stepId(target), reason });
export const reorder = (...order: string[]): EditOperation => ({ op: "reorder", order: order.map(stepId), reason });

export const amend = (target: string, description: string): EditOperation => ({
  op: "amend",
  step: stepId(target),
  description,
  reason,
});

export const restart = (target: string, description = "another way"): EditOperation => ({
  op: "restart",
  step: stepId(target),
  description,
  reason: "it was wrong",
});

/** A report that requests edits. */
export const asks = (...operations: EditOperation[]): Said => ({ edits: { operations, notes: [] } });
