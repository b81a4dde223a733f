// Warns of words that a key never has, as far as the file says which words there are: they are typos.

import { namesOf } from "../../domain/gate.ts";
import { contextKey } from "../../domain/include.ts";
import { anyOtherValue, decidedValues } from "../../domain/route.ts";
import { nearest, type Path } from "../document/problem.ts";
import { type Reading, warn } from "../document/reading.ts";
import { gatesOf } from "./exits.ts";
import { type AuthorStep, keysSetBy } from "./templates.ts";

/** `steps`: those that may have set the key. */
export function warnUnsaid(
  reading: Reading,
  { label, path }: { readonly label: string; readonly path: Path },
  steps: readonly AuthorStep[],
  key: string,
  values: readonly string[],
): void {
  const authors = steps.filter((step) => keysSetBy(step).includes(key));
  const deciders = authors.filter(
    (author) =>
      author.kind !== "gate" &&
      author.decide !== null &&
      contextKey(author, author.decide) === key &&
      !(anyOtherValue in author.on),
  );
  if (deciders.length < authors.length || authors.length === 0) return;
  const said = new Set(deciders.flatMap(wordsOf));
  for (const value of values) {
    if (said.has(value)) continue;
    const meant = nearest(value, said);
    warn(reading, path, {
      message: `${label}: '${authors[0]?.name}' never says "${value}"`,
      expected: `one of: ${[...said].join(", ")}`,
      hint: meant ? `did you mean \`${meant}\`?` : "remove it",
    });
  }
}

/** The values that have a route, and what a person may answer in place of the step. */
function wordsOf(author: AuthorStep): readonly string[] {
  return [
    ...(author.kind === "gate" ? [] : decidedValues(author.on)),
    ...gatesOf(author).flatMap(({ options }) => namesOf(options)),
  ];
}
