// An answer: what `execute` hands to `settle`, however the step was performed.

import type { EditRequest } from "../../../domain/edit.ts";
import type { CompletedReport, Facts, UnfinishedReport } from "../../../domain/report.ts";
import type { ExecutionEnd } from "../../../executors/executor.ts";

export type Answer =
  /** From an agent or a command: its text is still to be read, and its claim to be done is still to be checked. */
  | {
      readonly kind: "executed";
      readonly end: ExecutionEnd;
      readonly reported: ToolReport;
      /** Its driver died after its end, and another one took over the result. */
      readonly isAdopted?: true;
    }
  /** From the runtime itself. `isChecked`: the checks ran as a part of the work, and do not run again. */
  | {
      readonly kind: "performed";
      readonly report: CompletedReport | UnfinishedReport;
      readonly isChecked: boolean;
      readonly facts?: Facts;
    };

/** What an agent reported by tools, beside what it printed. */
export interface ToolReport {
  readonly report: CompletedReport | UnfinishedReport | null;
  readonly edits?: EditRequest;
}

export const noToolReport: ToolReport = { report: null };
