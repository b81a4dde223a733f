// How the end of a program is described, whichever executor started it.

import { counted } from "../domain/counted.ts";
import type { ProcessEnd, ProcessFacts } from "../system/process/call.ts";

const shownOfOutput = 2_000;

/** `logError`: why the log is not complete; null: it is. */
export function processNotes(end: ProcessFacts, logError: string | null): readonly string[] {
  return [
    ...(end.strays > 0
      ? [
          `${counted(end.strays, "process", "processes")} outlived the agent and ${end.strays === 1 ? "was" : "were"} killed`,
        ]
      : []),
    ...(end.straysLeft > 0
      ? [`${counted(end.straysLeft, "process", "processes")} of the agent could not be killed`]
      : []),
    ...(logError === null ? [] : [`the log is not complete: ${logError}`]),
  ];
}

export function timeLimit({ limit, durationMs }: Extract<ProcessEnd, { kind: "timed_out" }>): string {
  const seconds = Math.round(durationMs / 1000);
  return limit === "wall"
    ? `stopped at its time limit after ${seconds} s`
    : `stopped after ${seconds} s because it had gone quiet`;
}

/** A signal that Pawl did not send: from a person, from the kernel when memory is short, or from the program itself. */
export function diedBy(signal: string): string {
  return `it died by ${signal}, which Pawl did not send`;
}

/** The end of what it printed, which usually has the reason: `: no such model`, or nothing. */
export function lastWords(...streams: readonly string[]): string {
  const said = streams.map((text) => text.trim()).find((text) => text !== "") ?? "";
  return said === "" ? "" : `: ${said.slice(-shownOfOutput)}`;
}
