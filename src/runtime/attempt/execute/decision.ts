// Performs a decision: its reader looks at files, or at what stories said, in process, and its answer becomes a report. Reading changes nothing, so a crash
// before the report is stored only reads again.

import type { DecisionStep } from "../../../domain/definition.ts";
import { type Evidence, evidenceText, type SaidEvidence, unknownValue } from "../../../domain/evidence.ts";
import type { CompletedReport, Facts, UnfinishedReport } from "../../../domain/report.ts";
import { readerOf } from "../../../protocols/files/readers.ts";
import type { DecisionRead, DecisionReader } from "../../../protocols/protocol.ts";
import type { Parts } from "../../parts.ts";
import type { StopSwitch } from "../../stop-switch.ts";
import { renderedPaths } from "../prepare/step-paths.ts";
import { templateValues } from "../prepare/values.ts";
import type { Answer } from "./answer.ts";
import type { Work } from "./work.ts";

type DecisionPorts = Pick<Parts, "store" | "home" | "protocols" | "clock">;

/** Files of a bounded size are read in less than a second. */
const longestReadMs = 60_000;

export async function readDecision(parts: DecisionPorts, { begun, log, stop }: Work): Promise<Answer> {
  const { claim, workspace } = begun;
  const { run, attempt, definition } = claim;
  if (definition.kind !== "decision") throw new Error(`${definition.name} is not a decision`);
  const reader = readerOf(parts.protocols.of(run.header.definition), definition);
  const file = await fileOf(parts, begun, definition);
  const work = { run, attempt, definition, aheadMs: parts.clock.aheadMs, workspace: workspace.path, file };
  const read = await withinTime(parts, stop, async () => reader.read(work));
  if (read === null) return { kind: "performed", report: late(definition), isChecked: true };
  const decided = withKnownValue(definition, reader, read);
  for (const line of linesOf(decided)) log.note(line);
  const report = decisionReport(definition, decided, attempt.story !== null);
  return { kind: "performed", report, isChecked: true, facts: factsOf(definition, decided) };
}

async function fileOf(
  parts: DecisionPorts,
  { claim }: Work["begun"],
  definition: DecisionStep,
): Promise<string | null> {
  if (definition.source === undefined || "vote" in definition.source) return null;
  const { file } = definition.source;
  const values = await templateValues(parts, claim, file);
  return renderedPaths(definition, [file], values, claim.attempt.story)[0] ?? null;
}

/** null: its reader did not answer in time. What it still does later reaches nothing. */
async function withinTime<T>({ clock }: DecisionPorts, stop: StopSwitch, read: () => Promise<T>): Promise<T | null> {
  const over = new AbortController();
  const stopped = new Promise<never>((_, reject) => stop.register((reason) => reject(new Error(reason))));
  try {
    return await Promise.race([read(), stopped, clock.sleep(longestReadMs, over.signal).then(() => null)]);
  } finally {
    over.abort();
  }
}

function late({ reader }: DecisionStep): UnfinishedReport {
  const why = `the reader ${reader} did not answer within ${longestReadMs / 1_000} s`;
  return { outcome: "timed_out", why, retryAt: null, notes: [] };
}

const mostEvidence = 20;

/** A value that the reader does not declare, or that the frozen workflow has no route for, decides nothing. */
function withKnownValue({ on }: DecisionStep, { values }: DecisionReader, read: DecisionRead): DecisionRead {
  const value = read.value.trim().toLowerCase();
  const evidence = read.evidence.slice(0, mostEvidence);
  if (value === unknownValue) return { ...read, value, evidence };
  const isDeclared = values.includes(value);
  if (isDeclared && on[`=${value}`] !== undefined) return { ...read, value, evidence };
  const lack = isDeclared ? "the workflow has no route for" : "its reader does not declare";
  return { ...read, value: unknownValue, evidence, why: `${read.why}: "${value}", which ${lack}` };
}

function linesOf({ value, why, evidence }: DecisionRead): readonly string[] {
  return [`${value}: ${why}`, ...evidence.map(evidenceText)];
}

/** The report of a decision, also of one that is only simulated. */
export function decisionReport(definition: DecisionStep, read: DecisionRead, inStory: boolean): CompletedReport {
  const { value, why, evidence, outputs = {}, feedback, stories = null, notes = [] } = read;
  const seen = evidence.map(evidenceText).join("\n");
  const ignored = inStory && stories !== null ? ["its stories were ignored: only a step of the run itself plans"] : [];
  return {
    outcome: "completed",
    verdict: { kind: "value", value },
    outputs: {
      ...outputs,
      evidence: seen === "" ? why : seen,
      ...(definition.decide === null ? {} : { [definition.decide]: value }),
    },
    stories,
    feedback: feedback ?? [why, seen].filter((text) => text !== "").join("\n"),
    notes: [...linesOf(read), ...notes, ...ignored],
  };
}

function factsOf({ reader }: DecisionStep, { value, why, evidence, facts }: DecisionRead): Facts {
  return { ...facts, decision: { reader, value, why, evidence: evidence.map(plain) } };
}

function plain(evidence: Evidence | SaidEvidence): Facts {
  if ("value" in evidence) return { ...evidence };
  const { file, sha256, place } = evidence;
  return { file, sha256, place };
}
