// Runs the checks of a step after its agent says that it is done: lint, tests, types. A claim to be done is not a verification.

import type { PerformedDefinition } from "../../../domain/definition.ts";
import type { CompletedReport, Report } from "../../../domain/report.ts";
import type { Parts } from "../../parts.ts";
import { firstRed, type Red } from "../../trees/tree-commands.ts";
import type { BegunAttempt } from "../begin/begin.ts";
import type { Answer } from "../execute/answer.ts";
import { openLog } from "../logs.ts";
import type { StopSwitch } from "../stop-switch.ts";
import { replaceOutcome } from "./outcomes.ts";

/** "Done", with a red check, is a rejection, with the output of the check as its feedback. */
export async function checkAnswer(
  parts: Pick<Parts, "home" | "secrets" | "protocols">,
  { claim, workspace }: BegunAttempt,
  answer: Answer,
  report: Report,
  stop: StopSwitch,
): Promise<Report> {
  const { run, attempt, definition } = claim;
  if (!needsChecks(definition, report)) return report;
  if (answer.kind === "performed" && answer.isChecked) return report;
  const log = openLog(parts, run.header, attempt);
  try {
    const site = { cwd: workspace.path, attempt: attempt.id, sink: log.sink, env: workspace.env };
    const red = await firstRed(definition.checks, site, stop.register);
    if (stop.reason !== null) return replaceOutcome(report, { outcome: "cancelled", why: stop.reason, retryAt: null });
    return red === null ? report : rejectedBy(red, report);
  } finally {
    await log.close();
  }
}

/** Only a step that passes is checked. */
function needsChecks<R extends Report>(definition: PerformedDefinition, report: R): report is R & CompletedReport {
  return definition.checks.length > 0 && report.outcome === "completed" && report.verdict.kind !== "rejected";
}

function rejectedBy<R extends CompletedReport>(red: Red, report: R): R {
  return { ...report, verdict: { kind: "rejected", reason: "checks" }, feedback: `A check is red.\n\n${red.output}` };
}
