// Finds the reader of a decision: one of the run's protocol, or a general one that reads the file which the step names, or what
// stories or parts said.

import { resultForms } from "../../domain/check.ts";
import type { DecisionStep } from "../../domain/definition.ts";
import { AppError } from "../../domain/error.ts";
import { unknownValue } from "../../domain/evidence.ts";
import { decidedValues } from "../../domain/route.ts";
import { saidPlaces } from "../../domain/run.ts";
import type { CompleteProtocol } from "../complete-protocol.ts";
import type { DecisionReader } from "../protocol.ts";
import { decideByJson } from "./json-value.ts";
import { decideByTests } from "./test-results.ts";
import { decideByVote } from "./vote.ts";

export function readerOf(protocol: CompleteProtocol, step: DecisionStep): DecisionReader {
  const reader = step.source === undefined ? protocol.readers[step.reader] : generalReader(step);
  if (reader) return reader;
  throw new AppError("PROTOCOL_MISSING", `${step.name}: there is no reader "${step.reader}"`, {
    hint: `this Pawl has: ${[...Object.keys(protocol.readers), "json", ...resultForms].join(", ")}`,
  });
}

function generalReader({ reader, source, on }: DecisionStep): DecisionReader | undefined {
  const values = decidedValues(on);
  if (source === undefined) return undefined;
  if ("vote" in source) {
    const known = values.filter(isKnown);
    return { values, read: ({ run, attempt }) => decideByVote(saidPlaces(run, attempt.story), source, known) };
  }
  if (reader === "json")
    return { values, read: ({ workspace, file }) => decideByJson(workspace, file ?? source.file, source) };
  const form = resultForms.find((each) => each === reader);
  return form && { values, read: ({ workspace, file }) => decideByTests(workspace, file ?? source.file, form) };
}

function isKnown(value: string): boolean {
  return value !== unknownValue;
}
