// What a prompt adds where the workflow does not say how to answer: an agent that obeys its prompt must be able to pass. In prose, so
// that repeating it says nothing.

import type { PerformedWork } from "../domain/definition.ts";
import { expectedLines } from "../domain/expectation.ts";
import { decidedValues } from "../domain/route.ts";
import { flatten } from "./plaintext.ts";

interface Asking {
  /** The input as it is written and the role files. */
  readonly told: string;
  /** The step is the last that can plan the stories behind it, and there are none yet. */
  readonly mustPlan: boolean;
}

/** "" where the input and the role files say everything. */
export function replyHelp(step: PerformedWork, { told, mustPlan }: Asking): string {
  if (step.kind !== "agent") return "";
  const said = flatten(told);
  const plan = mustPlan ? planHelp(said) : [];
  return [...statusHelp(step, said), ...decisionHelp(step, said), ...expectedHelp(step, said), ...plan].join("\n");
}

function statusHelp(step: PerformedWork, said: string): readonly string[] {
  const mayLeaveOut = step.summary && !expectsStatus(step);
  if (mayLeaveOut || /(?<![\w])status\s?:/.test(said)) return [];
  const canReject = step.decide === null && step.on.rejected !== undefined && step.on.rejected.route.to !== "again";
  return [
    "When you have done what is asked, write `STATUS: done` on a line of its own at the end of your reply.",
    ...(canReject
      ? [
          "If the work that you judge is not good enough, write `STATUS: retry` there, and `ISSUES:` with what has to change.",
        ]
      : []),
    "If you could not do it, write `STATUS: failed` there, and `REASON:` with what stopped you.",
  ];
}

function decisionHelp({ decide, on }: PerformedWork, said: string): readonly string[] {
  if (decide === null || said.includes(`${decide.toLowerCase()}:`)) return [];
  const values = decidedValues(on);
  const among = values.length === 0 ? "" : `; it is one of: ${values.join(", ")}`;
  return [`Write your decision behind \`${decide.toUpperCase()}:\` on a line of its own${among}.`];
}

function expectedHelp({ expects }: PerformedWork, said: string): readonly string[] {
  return expectedLines(expects).flatMap((line) => {
    if (line.kind === "text")
      return flatten(line.text) === "" || isStatus(line.text) || said.includes(flatten(line.text))
        ? []
        : [`Your reply must contain the text ${JSON.stringify(line.text)}.`];
    const key = /^\W*([A-Z][A-Z0-9_]*):/.exec(line.source)?.[1];
    const isKnown = isStatus(line.source) || (key !== undefined && said.includes(`${key.toLowerCase()}:`));
    return isKnown ? [] : [`Your reply must have a line that matches the regular expression \`${line.source}\`.`];
  });
}

/** Without an example: it could be repeated as a plan. */
function planHelp(said: string): readonly string[] {
  if (said.includes("stories_json")) return [];
  return [
    "Plan the stories that the next steps work on: write `STORIES_JSON:` on a line of its own in your reply, and below it a JSON array with at most 20 objects, in the order of the work. Each has `id` (such as `US-001`), `title`, `description` and `acceptanceCriteria`, a list of texts.",
  ];
}

function expectsStatus({ expects }: PerformedWork): boolean {
  return expectedLines(expects).some((line) => isStatus(line.kind === "text" ? line.text : line.source));
}

function isStatus(text: string): boolean {
  return /^\W*STATUS\b/i.test(text);
}
