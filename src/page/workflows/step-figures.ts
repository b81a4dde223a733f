// Figures of a workflow's steps, put to the steps that it has now, and its share of runs that were done.

import type { FiguresDocument } from "../../contracts/workflow-documents.ts";
import type { StaticRow } from "./static-chain.ts";

export type StepFigures = FiguresDocument["steps"][number];

export interface FiguredStep {
  readonly name: string;
  /** Of the chain as it is now; null: the step is no longer in it. */
  readonly row: StaticRow | null;
  /** Null: no attempt of it has begun. */
  readonly figures: StepFigures | null;
}

/** A run freezes its workflow, so there may be figures of steps that the workflow has no more: they come last. */
export function figuredSteps(rows: readonly StaticRow[], figures: readonly StepFigures[]): readonly FiguredStep[] {
  const known = rows.map((row) => ({
    name: row.name,
    row,
    // A step with stories may have the name of a step in its body, and has no attempt itself.
    figures: row.isPerformed ? (figures.find(({ step }) => step === row.name) ?? null) : null,
  }));
  const gone = figures.filter((each) => !known.some(({ figures: its }) => its === each));
  return [...known, ...gone.map((each) => ({ name: each.step, row: null, figures: each }))];
}

/** Runs that ended by themselves. A cancelled one says nothing about the workflow. */
export function runShare({ done, failed }: Pick<FiguresDocument["runs"], "done" | "failed">): Share | null {
  return done + failed === 0 ? null : { good: done, all: done + failed };
}

interface Share {
  readonly good: number;
  readonly all: number;
}

export function allRuns(runs: FiguresDocument["runs"]): number {
  return Object.values(runs).reduce((sum, count) => sum + count, 0);
}
