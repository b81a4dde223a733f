// Decides by a file with test results: passed, failed, or unknown where no test says anything.

import type { ResultForm } from "../../domain/check.ts";
import { counted } from "../../domain/counted.ts";
import { unknownValue } from "../../domain/evidence.ts";
import { resultReader } from "../../results/readers.ts";
import type { TestResults } from "../../results/result.ts";
import type { DecisionRead } from "../protocol.ts";
import { readEvidence } from "./evidence.ts";

/** A person reads the first of them; all names are in the file. */
const mostShown = 50;

export function decideByTests(workspace: string, file: string, form: ResultForm): DecisionRead {
  const read = readEvidence(workspace, file);
  const evidence = [read.evidence];
  if (read.kind !== "text") return { value: unknownValue, why: read.why, evidence };
  const reader = resultReader(form);
  reader.add(read.text);
  const results = reader.end();
  if (results.kind === "unreadable") return { value: unknownValue, why: `${file}: ${results.why}`, evidence };
  const { pass, fail, skip, failing, notes } = results;
  const facts = { tests: { pass, fail, skip }, failing_tests: failing.slice(0, mostShown) };
  const why = `${file}: ${counted(pass, "test")} passed, ${fail} failed, ${skip} skipped`;
  return { value: valueOf(results), why, evidence, facts, notes, ...feedbackOf(why, results) };
}

/** A report in which nothing ran says nothing, whatever it was meant to say. */
function valueOf({ pass, fail, broken }: TestResults): string {
  if (fail > 0 || broken.length > 0) return "failed";
  return pass > 0 ? "passed" : unknownValue;
}

function feedbackOf(why: string, { failing, broken }: TestResults): Pick<DecisionRead, "feedback"> {
  const names = [...failing, ...broken.map((name) => `${name} (outside of a test)`)].slice(0, mostShown);
  return names.length === 0 ? {} : { feedback: [`${why}:`, ...names.map((name) => `- ${name}`)].join("\n") };
}
