// Checks what an agent claims: runs the checks of its step, and gives the report their verdict and their facts.

import { baseOf, hasEnded } from "../../../domain/attempt.ts";
import type { PerformedWork } from "../../../domain/definition.ts";
import type { CompletedReport, Report } from "../../../domain/report.ts";
import { attemptsOf } from "../../../domain/run.ts";
import type { StepWork } from "../../../results/judgement.ts";
import { namedIn } from "../../../results/new-tests.ts";
import { addedSince, changedSince } from "../../../workspaces/trees/changes.ts";
import type { Parts } from "../../parts.ts";
import type { StopSwitch } from "../../stop-switch.ts";
import { isKept, runChecks } from "../../trees/checks.ts";
import type { BegunAttempt } from "../begin/begin.ts";
import type { Answer } from "../execute/answer.ts";
import { checkVariables } from "../execute/call.ts";
import { openLog } from "../logs.ts";
import { withFacts, withReported } from "./facts.ts";
import { replaceOutcome } from "./outcomes.ts";

type CheckPorts = Pick<Parts, "home" | "secrets" | "protocols">;

/** A claim to be done is not a verification: with a red check it is a rejection, with the output of the check as its feedback. */
export async function checkAnswer(
  parts: CheckPorts,
  begun: BegunAttempt,
  answer: Answer,
  report: Report,
  stop: StopSwitch,
): Promise<Report> {
  const { run, attempt, definition } = begun.claim;
  if (report.outcome !== "completed" || (answer.kind === "performed" && answer.isChecked)) return report;
  const isDecided = isRejection(definition, report);
  const checks = definition.checks.filter((check) => !isDecided || isKept(check));
  if (checks.length === 0) return report;
  const log = openLog(parts, run.header, attempt);
  try {
    const { path: cwd, env } = begun.workspace;
    const site = {
      cwd,
      attempt: attempt.id,
      sink: log.sink,
      work: () => workOf(begun),
      env: { ...env, ...checkVariables(parts, begun.claim) },
    };
    const { red, facts } = await runChecks(checks, site, stop.register);
    if (stop.reason !== null) return replaceOutcome(report, { outcome: "cancelled", why: stop.reason, retryAt: null });
    const checked = withFacts(report, facts);
    // The next attempt needs what is red as well, beside what the agent itself said.
    if (isDecided && red !== null) return { ...checked, feedback: [report.feedback, redText(red)].join("\n\n").trim() };
    if (isDecided) return checked;
    if (red === null) return passedByChecks(checked);
    const rejected = { kind: "rejected", reason: "checks" } as const;
    return withReported({ ...checked, verdict: rejected, feedback: redText(red) }, answer);
  } finally {
    await log.close();
  }
}

function redText(red: string): string {
  return `A check is red.\n\n${red}`;
}

/**
 * Only a step that passes can become red by its checks: a rejection stays, with its reason. But "failing" without a reason is what an
 * agent may well say of a step whose tests must fail.
 */
function isRejection(definition: PerformedWork, { verdict }: CompletedReport): boolean {
  if (verdict.kind !== "rejected") return false;
  return verdict.reason !== null || !definition.checks.some(({ must }) => must === "fail");
}

function passedByChecks<R extends Report & CompletedReport>(report: R): R {
  if (report.verdict.kind !== "rejected") return report;
  const note = "it said that tests fail, as they must after this step: the checks are green";
  return { ...report, verdict: { kind: "passed" }, notes: [...report.notes, note] };
}

/** What the step has written since it began, over all of its attempts since it last passed. */
async function workOf({ claim, workspace }: BegunAttempt): Promise<StepWork> {
  const { run, attempt } = claim;
  const own = attemptsOf(run, attempt.story).filter(
    ({ id, name, part }) => name === attempt.name && part === attempt.part && id !== attempt.id,
  );
  const lastPassed = own.findLastIndex(
    (each) => hasEnded(each) && each.state.outcome === "completed" && each.state.verdict?.kind === "passed",
  );
  const first = own.slice(lastPassed + 1).find((each) => baseOf(each) !== null);
  const base = (first && baseOf(first)) ?? workspace.base;
  const isLaterVisit = lastPassed !== -1;
  const added = base === null ? null : await addedSince(workspace.path, base);
  if (base === null || added === null) return { isLaterVisit, isNew: null, hasChanges: true };
  return { isLaterVisit, isNew: namedIn(added), hasChanges: (await changedSince(workspace.path, base)).length > 0 };
}
