// Reads an answer as a report. Pure: `pawl workflow simulate` reads its answers here as well. None of it decides anything.

import type { CommandStep, PerformedWork } from "../../../domain/definition.ts";
import type { CompletedReport, UnfinishedReport } from "../../../domain/report.ts";
import { type ExecutionEnd, hasDied } from "../../../executors/executor.ts";
import { missingOutputs, readCommandOutputs } from "../../../prompts/command-outputs.ts";
import type { Told } from "../../../prompts/echo.ts";
import { readEntries } from "../../../prompts/output.ts";
import { readReport } from "../../../prompts/report.ts";
import type { ToldReport } from "../../../protocols/protocol.ts";
import type { Answer, ToolReport } from "../execute/answer.ts";
import { unfinished } from "./outcomes.ts";
import { reportTold } from "./told-report.ts";

/** What the files of a protocol add to an answer. */
export interface FilesSaid {
  readonly told: ToldReport | null;
  /** An agent that ended well and reported nothing is judged by the checks of its step. */
  readonly checksDecide: boolean;
  /** Why they report nothing, in the words of the protocol; null: it has none. */
  readonly unreported?: string | null;
}

const noFiles: FilesSaid = { told: null, checksDecide: false };

/**
 * In the order of trust: what an agent reported by tools, what its files report, what it printed. `known`: keys that its outputs may
 * have. `prompt`: what the agent was told, where that is known.
 */
export function readAnswer(
  definition: PerformedWork,
  answer: Answer,
  known: readonly string[],
  prompt?: Told,
  { told, checksDecide, unreported = null }: FilesSaid = noFiles,
): CompletedReport | UnfinishedReport {
  if (answer.kind === "performed") return answer.report;
  const { end, reported } = answer;
  const inFiles = reportedInFiles(definition, told, known, end);
  const given = reportedByTools(reported, end) ?? (told?.isLast === true ? null : inFiles);
  if (given !== null) return given;
  const printed = readEnd(definition, end, known, prompt);
  if (!isSilent(end, printed)) return printed;
  if (inFiles !== null) return inFiles;
  const silent = unreported === null ? printed : { ...printed, why: unreported };
  return checksDecide && told === null ? leftToChecks(definition, silent) : silent;
}

/** An agent that ended well and printed no verdict. A STATUS that cannot be read is not silence. */
function isSilent(
  end: ExecutionEnd,
  printed: CompletedReport | UnfinishedReport,
): printed is UnfinishedReport & { readonly outcome: "invalid_output" } {
  return printed.outcome === "invalid_output" && end.outcome === "ran" && !saysStatus(end.text);
}

function reportedByTools({ report }: ToolReport, end: ExecutionEnd): CompletedReport | UnfinishedReport | null {
  return standing(report, end);
}

function reportedInFiles(
  definition: PerformedWork,
  told: ToldReport | null,
  known: readonly string[],
  end: ExecutionEnd,
): CompletedReport | UnfinishedReport | null {
  if (told === null || definition.kind !== "agent") return null;
  return standing(reportTold(definition, told, known), end);
}

/** Silence is no verdict, and green checks are one. */
function leftToChecks(definition: PerformedWork, printed: UnfinishedReport): CompletedReport | UnfinishedReport {
  if (definition.checks.length === 0 || definition.decide !== null) return printed;
  const notes = [...printed.notes, "it reported nothing: its checks decide"];
  return { outcome: "completed", verdict: { kind: "passed" }, outputs: {}, stories: null, feedback: "", notes };
}

function saysStatus(text: string): boolean {
  return readEntries(text, [], null).entries.some(({ key }) => key === "status");
}

/**
 * A report by tools or in files stands, also when the process then ended badly: the work was done before. An agent that was stopped,
 * ran out of time or was killed has not finished, whatever it had reported.
 */
function standing(
  report: CompletedReport | UnfinishedReport | null,
  end: ExecutionEnd,
): CompletedReport | UnfinishedReport | null {
  if (report === null || end.outcome === "ran") return report;
  if (end.outcome === "cancelled" || end.outcome === "timed_out" || hasDied(end)) return null;
  // An agent that was denied what it needed has not done its work; that the work cannot be done is believed.
  if (end.outcome === "failed" && end.kind === "denied" && report.outcome === "completed") return null;
  return { ...report, notes: [...report.notes, `after its report it ended badly: ${end.why}`] };
}

function readEnd(
  definition: PerformedWork,
  end: ExecutionEnd,
  known: readonly string[],
  told: Told | undefined,
): CompletedReport | UnfinishedReport {
  if (definition.kind === "command") return readCommand(definition, end);
  return end.outcome === "ran" ? readReport(definition, end.text, known, told) : readFailure(end);
}

/**
 * The verdict of a command step is its exit code; one that died by a signal has none. A command that passes without a key that it
 * declares has not said what later steps read.
 */
function readCommand({ produces }: CommandStep, end: ExecutionEnd): CompletedReport | UnfinishedReport {
  const { outputs, missing, notes } = readCommandOutputs(end.text, produces ?? []);
  const said = { outcome: "completed", outputs, stories: null, notes } as const;
  if (end.outcome === "ran" && missing.length > 0)
    return { ...unfinished("invalid_output", missingOutputs(missing), null), notes };
  if (end.outcome === "ran") return { ...said, verdict: { kind: "passed" }, feedback: end.text };
  if (end.outcome === "failed" && !hasDied(end))
    return { ...said, verdict: { kind: "rejected", reason: "exit" }, feedback: `${end.why}\n${end.text}`.trim() };
  return readFailure(end);
}

const blockedBy = {
  auth: "The agent may not work",
  context: "The prompt is too long for the agent",
  permission: "The agent needs a permission",
} as const;

/** An agent that is blocked needs a person who logs in, or makes the work smaller. */
function readFailure(end: Exclude<ExecutionEnd, { readonly outcome: "ran" }>): UnfinishedReport {
  if (end.outcome !== "blocked")
    return unfinished(end.outcome, end.why, end.outcome === "rate_limited" ? end.retryAt : null);
  const what = blockedBy[end.kind];
  return { ...unfinished("failed", end.why, null), asks: `${what}: ${end.why} Continue when that is fixed?` };
}
