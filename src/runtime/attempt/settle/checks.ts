// Checks. Owns: running lint, tests and type check after an agent says it is done. Verification is not self-report.

import type { PerformedDefinition } from "../../../domain/definition.ts";
import type { CompletedReport, Report } from "../../../domain/report.ts";
import { attemptMarker } from "../../../executors/executor.ts";
import type { OutputSink } from "../../../system/process/call.ts";
import { allowedEnvironment } from "../../../system/process/environment.ts";
import { supervise } from "../../../system/process/supervise.ts";

const checkWallMs = 30 * 60_000;
const shownBytes = 12_000;

export interface Red {
  readonly command: string;
  readonly output: string;
}

/** Only a step that says yes, in whatever words, is checked. */
export function needsChecks<R extends Report>(
  definition: PerformedDefinition,
  report: R,
): report is R & CompletedReport {
  return definition.checks.length > 0 && report.outcome === "completed" && report.verdict.kind !== "rejected";
}

/** "Done", with a red check, is a rejection; what the check printed is the feedback. */
export function rejectedBy<R extends CompletedReport>(red: Red, report: R): R {
  return { ...report, verdict: { kind: "rejected", reason: "checks" }, feedback: `A check is red.\n\n${red.output}` };
}

export interface Where {
  readonly cwd: string;
  readonly attempt: string;
  readonly sink: OutputSink;
  /** What whoever works in that tree knows besides: ports, names. */
  readonly env?: Readonly<Record<string, string>>;
}

/** Given the way to stop what runs now, each time that something else does. */
export type Control = (stop: (reason: string) => void) => void;

/** The first check that is red; null when all are green. */
export async function firstRed(commands: readonly string[], where: Where, onStart: Control): Promise<Red | null> {
  for (const command of commands) {
    const running = supervise({
      command: ["sh", "-c", command],
      cwd: where.cwd,
      env: { ...allowedEnvironment(process.env, []), ...where.env },
      marker: { name: attemptMarker, value: where.attempt },
      input: "",
      limits: { wallMs: checkWallMs, quietMs: null, captureBytes: shownBytes },
      onOutput: where.sink,
    });
    onStart((reason) => running.stop(reason));
    const end = await running.ended;
    if (end.kind === "exited" && end.code === 0) continue;
    const how = end.kind === "exited" ? `exit code ${end.code}` : end.kind.replaceAll("_", " ");
    return { command, output: `\`${command}\`: ${how}\n\n${end.stdout}${end.stderr}`.trim() };
  }
  return null;
}
