// Lowers `if`: the one key that a step asks for, or a vote over what stories said, and the values with which the step runs.

import type { Condition } from "../../domain/condition.ts";
import { foldValue } from "../../domain/route.ts";
import { isVoteName, voteNames } from "../../domain/vote.ts";
import { nearest, type Path } from "../document/problem.ts";
import { from, type Reading, refuse } from "../document/reading.ts";
import type { StepInput } from "./step-schema.ts";
import { readVote } from "./vote.ts";

const form = "`if: { KEY: VALUE }`, `if: { KEY: [VALUE, VALUE] }`, or `if: { any: { of: STEP.*.KEY, is: VALUE } }`";

type Given = NonNullable<StepInput["if"]>[string];
type Asked = Extract<Given, { readonly of: string }>;

export function readIf(reading: Reading, written: StepInput, path: Path): { readonly if?: Condition } {
  if (written.if === undefined) return {};
  const at = [...path, "if"];
  const [first, ...others] = Object.entries(written.if);
  if (first === undefined || others.length > 0) {
    refuse(reading, at, {
      message: `Step '${written.id}': \`if\` asks for ${first === undefined ? "nothing" : `${1 + others.length} keys`}`,
      expected: `exactly one key: ${form}`,
      hint: "two conditions are two steps, or one key that says both",
    });
    return {};
  }
  const [key, value] = first;
  const isAsked = (given: Given): given is Asked => typeof given === "object" && !Array.isArray(given);
  const condition = isAsked(value)
    ? readAsked(reading, written.id, { name: key, asked: value }, [...at, key])
    : { key: foldValue(key), values: readWords(reading, written.id, key, value, [...at, key]) };
  return condition === null ? {} : { if: from(reading, at, condition) };
}

/** `any: { of: review.*.verdict, is: rejected }` */
function readAsked(
  reading: Reading,
  step: string,
  { name, asked }: { readonly name: string; readonly asked: Asked },
  path: Path,
): Condition | null {
  if (!isVoteName(name)) {
    const meant = nearest(name, voteNames);
    refuse(reading, path, {
      message: `Step '${step}': \`if\` has no function \`${name}\``,
      expected: `one of: ${voteNames.join(", ")}; or a key with a value`,
      hint: meant ? `did you mean \`${meant}\`?` : "for example `if: { any: { of: review.*.verdict, is: rejected } }`",
    });
    return null;
  }
  const vote = readVote(reading, step, { vote: name, of: asked.of, atLeast: asked.at_least }, path);
  const values = readWords(reading, step, asked.of, asked.is, [...path, "is"]);
  return vote && { ...vote, values };
}

function readWords(reading: Reading, step: string, what: string, given: Asked["is"], path: Path): Condition["values"] {
  const values = [given].flat().map((word) => foldValue(String(word)));
  if (values.includes("")) {
    refuse(reading, path, {
      message: `Step '${step}': \`if\` compares \`${what}\` with an empty text`,
      expected: form,
      hint: "a key without a value is equal to nothing; let a step say a word for it, such as `none`",
    });
  }
  return [...new Set(values)];
}
