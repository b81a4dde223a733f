// Folds the steps of included workflows: each workflow is one line, with how far it is and the step that it is at.

import type { StepDocument } from "../../contracts/run-documents.ts";

/** One line of a chain: a step, or a workflow that stands in it as a step. */
export interface FoldedStep extends Pick<StepDocument, "id" | "status" | "attempts"> {
  /** How many of its steps are over, of how many, and the one that it is at. */
  readonly progress: string;
}

export function foldSteps(steps: readonly StepDocument[]): readonly FoldedStep[] {
  const lines: FoldedStep[] = [];
  for (let index = 0; index < steps.length; ) {
    const step = steps[index];
    if (!step) break;
    const behind = steps.slice(index).findIndex(({ include }) => include !== step.include);
    const count = step.include === undefined ? 1 : behind < 0 ? steps.length - index : behind;
    lines.push(
      step.include === undefined ? { ...step, progress: "" } : fold(step.include, steps.slice(index, index + count)),
    );
    index += count;
  }
  return lines;
}

function fold(id: string, steps: readonly StepDocument[]): FoldedStep {
  const over = steps.filter(isOver);
  const current = steps.find((step) => !isOver(step));
  const isBegun = over.length > 0 || (current !== undefined && current.status !== "waiting");
  const isSkipped = steps.every(({ status }) => status === "skipped");
  const at = current === undefined || !isBegun ? "" : ` at ${current.id.slice(id.length + 1)}`;
  return {
    id,
    status: isSkipped
      ? "skipped"
      : current === undefined
        ? "done"
        : over.length > 0 && current.status === "waiting"
          ? "running"
          : current.status,
    attempts: Math.max(0, ...steps.map(({ attempts }) => attempts)),
    progress: isSkipped ? "" : `${over.length}/${steps.length}${at}`,
  };
}

function isOver({ status }: StepDocument): boolean {
  return status === "done" || status === "skipped";
}
