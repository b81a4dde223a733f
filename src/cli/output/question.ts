// A question. Owns: what a person reads of an open gate: what the step before said, the question, the answers, the deadline.

import type { GateDocument } from "../../contracts/run-documents.ts";
import { durationText } from "./table.ts";

const mostLines = 20;

/** Lines below the question. */
export function aboutQuestion({ feedback, deadline, cause, tree }: GateDocument, now: number): readonly string[] {
  const lines = feedback.trim() === "" ? [] : feedback.trim().split("\n");
  const more = lines.length > mostLines ? [`… ${lines.length - mostLines} more lines in --json`] : [];
  const causes = causeWords[cause];
  return [
    ...[...lines.slice(0, mostLines), ...more].map((line) => `  | ${line}`),
    ...(causes === "" ? [] : [`  ${causes}`]),
    ...(tree === null ? [] : [`  shown: git tree ${tree.slice(0, 12)}`]),
    ...(deadline === null
      ? []
      : [`  without an answer: ${deadline.option} ${untilText(Date.parse(deadline.at) - now)}`]),
  ];
}

const causeWords: Readonly<Record<GateDocument["cause"], string>> = {
  step: "",
  route: "",
  exhausted: "because a limit is used up",
  unreadable: "because the answer of the agent could not be read",
  cap: "because a cap of the run is reached",
  asked: "the agent asks this",
  waits: "before it starts",
  stopped: "because a person stopped it",
};

function untilText(ms: number): string {
  return ms <= 0 ? "now" : `in ${durationText(ms)}`;
}
