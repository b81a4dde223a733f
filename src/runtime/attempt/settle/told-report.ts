// Reads what the files of a protocol report as a report of the attempt. Pure. The protocol has read the files.

import type { PerformedWork } from "../../../domain/definition.ts";
import type { CompletedReport, UnfinishedReport } from "../../../domain/report.ts";
import { readGiven } from "../../../prompts/report.ts";
import type { ToldReport } from "../../../protocols/protocol.ts";
import { unfinished } from "./outcomes.ts";

export function reportTold(
  definition: PerformedWork,
  told: ToldReport,
  known: readonly string[],
): CompletedReport | UnfinishedReport {
  const { verdict, feedback, outputs = {}, notes, summary } = told;
  if (verdict.kind === "unreadable") return { ...unfinished("invalid_output", verdict.why, null), notes };
  if (verdict.kind === "asked") {
    const asked = { question: verdict.question, options: [] };
    return { ...unfinished("failed", `it asks: ${verdict.question}`, null), notes, asked };
  }
  const { decide } = definition;
  // A key decides where the step has one: that it went well says nothing about the way to take.
  if (decide !== null && verdict.kind === "passed") {
    const read = readGiven(definition, { outcome: outputs[decide], outputs, summary }, known);
    return { ...read, notes: [...notes, ...read.notes] };
  }
  const said = { outcome: "completed", verdict, outputs, stories: null, feedback, notes } as const;
  return summary === undefined ? said : { ...said, summary };
}
