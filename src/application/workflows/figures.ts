// Figures of a workflow. Owns: what its runs and steps came to, as a document.

import type { FiguresDocument } from "../../contracts/workflow-documents.ts";
import { noUsage } from "../../domain/attempt.ts";
import { used } from "../../runtime/views/used.ts";
import type { Application } from "../application.ts";
import { statusCounts } from "../looking/status-counts.ts";
import { assertListed } from "./workflows.ts";

/** Attempts before these are not counted: the service must not stand still for a page. */
const limits = { mostRuns: 1_000, mostAttempts: 10_000 };

/** Of a bundled or installed workflow, or of another one that has runs. */
export async function figures(app: Application, workflow: string): Promise<FiguresDocument> {
  const { store } = (await app.read()).parts;
  const { runs, counted, steps } = await store.figures(workflow, limits);
  if (runs.size === 0) assertListed(app, workflow);
  return {
    workflow,
    runs: statusCounts(runs),
    counted,
    steps: steps.map(({ costUsd, estimatedUsd, lostUsd, unreported, ...step }) => {
      const spent = used({ ...noUsage, costUsd, estimatedUsd }, unreported);
      const lost = spent.costUsd === null ? null : used({ ...noUsage, costUsd: lostUsd }, 0).costUsd;
      return { ...step, costUsd: spent.costUsd, estimatedUsd: spent.estimatedUsd, lostUsd: lost, unreported };
    }),
  };
}
