// Checks a decision against its reader: every value has a route, no route is for a value that never comes, and what is unknown
// reaches a person and never leads on by itself.

import { resultForms } from "../../domain/check.ts";
import type { DecisionStep } from "../../domain/definition.ts";
import { unknownValue } from "../../domain/evidence.ts";
import { decidedValues, type Route, repeats } from "../../domain/route.ts";
import { isVoteName } from "../../domain/vote.ts";
import { nearest } from "../document/problem.ts";
import { refuse } from "../document/reading.ts";
import { type Checked, labelOf, originOf } from "./checked.ts";

export function checkDecision(checked: Checked, step: DecisionStep): void {
  checkUnknown(checked, step);
  if (step.source && "vote" in step.source) return checkVote(checked, step);
  if (isVoteName(step.reader)) return;
  const values = valuesOf(checked, step);
  if (values === null) return;
  const { reading } = checked;
  const path = originOf(reading, step);
  const given = decidedValues(step.on);
  const missing = values.filter((value) => !given.includes(value));
  if (missing.length > 0) {
    refuse(reading, [...path, "on"], {
      message: `Step '${step.name}': \`${step.reader}\` may answer ${missing.join(", ")}, which has no route`,
      expected: `a route for each of: ${values.join(", ")}`,
      hint: `add \`${missing[0]}: ROUTE\``,
    });
  }
  for (const value of given) {
    if (value === unknownValue || values.includes(value)) continue;
    const meant = nearest(value, values);
    refuse(reading, [...path, "on", value], {
      message: `Step '${step.name}': \`${step.reader}\` never answers "${value}"`,
      expected: `one of: ${[...values, unknownValue].join(", ")}`,
      hint: meant ? `did you mean \`${meant}\`?` : "remove it",
    });
  }
}

/** What is not listed is unknown, so a vote needs some value that can win. Whether stories say it is checked with its name. */
function checkVote({ reading }: Checked, step: DecisionStep): void {
  if (decidedValues(step.on).some((value) => value !== unknownValue)) return;
  refuse(reading, [...originOf(reading, step), "decision"], {
    message: `Step '${step.name}': no answer of the stories has a route`,
    expected: "each value that decides, with its route, the first one first",
    hint: "for example `on: { approved: next, rejected: { back_to: …, at_most: 2, then: gate } }`",
  });
}

/** What its reader may answer besides `unknown`; null: there is no such reader, which is reported here. */
function valuesOf({ definition, reading }: Checked, step: DecisionStep): readonly string[] | null {
  const { source } = step;
  if (source && "words" in source && source.words !== undefined) return Object.keys(source.words);
  if (source !== undefined) return ["passed", "failed"];
  const protocol = reading.protocols.find(({ name }) => name === definition.protocol);
  const readers = protocol?.readers ?? [];
  const found = readers.find(({ name }) => name === step.reader);
  if (found) return found.values;
  const names = [...readers.map(({ name }) => name), "json", ...resultForms];
  // A general reader without a file was reported when it was read.
  if (names.slice(readers.length).includes(step.reader)) return null;
  const meant = nearest(step.reader, names);
  const of =
    definition.protocol === null ? "the file has no `protocol`" : `\`protocol: ${definition.protocol}\` has none`;
  refuse(reading, [...originOf(reading, step), "decision"], {
    message: `Step '${step.name}': there is no reader \`${step.reader}\``,
    expected: `one of: ${names.join(", ")}`,
    hint: meant ? `did you mean \`${meant}\`?` : of,
  });
  return null;
}

/** Unknown is never a pass: only a person may lead on from it. */
function checkUnknown(checked: Checked, step: DecisionStep): void {
  const rule = step.on[`=${unknownValue}`];
  if (!rule) return;
  const ends = repeats(rule.route) ? [rule.limit?.then, step.budget?.then] : [rule.route];
  for (const route of ends) {
    const passing = route && leadsOnAlone(route);
    if (!passing) continue;
    refuse(checked.reading, originOf(checked.reading, passing, step), {
      message: `${labelOf(checked.reading, passing, step)}: what is unknown leads on without a person`,
      expected: "a gate or fail, or a way back that ends with one",
      hint: '`unknown: { gate: "{{evidence}}: what does it say?", options: { … } }`, or no `unknown` for the usual question',
    });
  }
}

/** The route that continues without an answer: itself, or the option of a deadline. */
function leadsOnAlone(route: Route): Route | null {
  if (route.to === "next" || route.to === "go_to" || route.to === "end") return route;
  const late = route.to === "gate" && route.deadline ? route.options[route.deadline.option] : undefined;
  return late ? leadsOnAlone(late) : null;
}
