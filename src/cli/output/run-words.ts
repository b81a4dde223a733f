// Words about runs as the command line prints them.

import type { RunDocument } from "../../contracts/run-documents.ts";

export const noRunYet = 'There is no run yet. Start one: pawl demo, or pawl run feature-dev "…"';

/** The status for people: a run that nothing moves is shown as that. */
export function statusText({ status, driver }: Pick<RunDocument, "status" | "driver">): string {
  return status === "running" && driver === null ? "running (no driver)" : status;
}
