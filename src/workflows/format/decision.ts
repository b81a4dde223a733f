// Lowers `decision`: its reader and what that reads, or a vote of stories, a route for `unknown`, and a person where nothing could be read.

import { resultForms } from "../../domain/check.ts";
import type { DecisionSource, DecisionStep, DecisionWord } from "../../domain/definition.ts";
import { unknownValue } from "../../domain/evidence.ts";
import { contextKey } from "../../domain/include.ts";
import { wrongPath } from "../../domain/project-path.ts";
import { anyOtherValue, foldValue, type GateOptions } from "../../domain/route.ts";
import { isVoteName, type VoteName, voteNames } from "../../domain/vote.ts";
import { nearest, type Path } from "../document/problem.ts";
import { type Reading, refuse } from "../document/reading.ts";
import { readBudget } from "./budget.ts";
import { plain, type Rules, valueOptions } from "./default-rules.ts";
import { readFlags } from "./flags.ts";
import { readOnError } from "./on-error.ts";
import { readOn } from "./routes.ts";
import type { StepInput } from "./step-schema.ts";
import { readVote } from "./vote.ts";

/** Readers that every workflow has. */
const generalReaders: readonly string[] = ["json", ...resultForms];

export function readDecisionStep(
  reading: Reading,
  written: StepInput,
  path: Path,
  base: Pick<DecisionStep, "name" | "title" | "if" | "include">,
): DecisionStep {
  const given = readOn(reading, written, path);
  if (Object.hasOwn(given, anyOtherValue)) {
    refuse(reading, [...path, "on", "default"], {
      message: `Step '${base.name}': \`default\` would hide a value that its reader has`,
      expected: "each value of the reader with its route",
      hint: "write each value",
    });
  }
  // A person who is asked what a file says has more to say than that it is unknown.
  const known = Object.fromEntries(Object.entries(given).filter(([key]) => key !== `=${unknownValue}`));
  const options = valueOptions(base.name, known);
  const unknown = given[`=${unknownValue}`] ?? plain(askAbout(base, options));
  const on: Rules = { ...known, [`=${unknownValue}`]: unknown };
  const question = `${base.name} could not be read. What does it say?`;
  return {
    kind: "decision",
    ...base,
    ...readReader(reading, written, [...path, "decision"]),
    input: "",
    produces: null,
    decide: keyOf(base),
    expects: null,
    on,
    ...readOnError(reading, written, path, plain({ to: "gate", question, options })),
    budget: readBudget(reading, written, path, on),
    checks: [],
    wallMs: null,
    quietMs: null,
    ...readFlags(reading, written, path),
  };
}

/** `{{post_verify}}` is what the step `post-verify` decided. */
function keyOf({ name, include }: Pick<DecisionStep, "name" | "include">): string {
  const own = include === undefined ? name : name.slice(include.id.length + 1);
  return own.replace(/\W+/g, "_").toLowerCase();
}

function askAbout(step: Pick<DecisionStep, "name" | "include">, options: GateOptions) {
  const question = `${step.name}: {{${contextKey(step, "evidence")}}}. What does it say?`;
  return { to: "gate", question, options } as const;
}

/** An agent's answer decides by `decide`, a file by `decision`. Both at once is one of the two, misspelled. */
export function refuseTwoDeciders(reading: Reading, written: StepInput, path: Path): void {
  const { id, agent, decide, decision } = written;
  const reader = typeof decision === "string" ? decision : (decision?.reader ?? "");
  const other = agent !== undefined ? "agent" : written.command !== undefined ? "command" : "decide";
  const key = decide ?? reader;
  const hint =
    agent === undefined
      ? `the step reads files itself: keep \`decision: ${reader}\`, and remove \`${other}\``
      : `the answer of \`${agent}\` decides: write \`decide: ${key}\` instead of \`decision\``;
  refuse(reading, [...path, decide === undefined ? "decision" : "decide"], {
    message: `Step '${id}' has \`decision\` and \`${decide === undefined ? other : "decide"}\` at once`,
    expected: "`decision: READER` for a value in files, or an agent with `decide: KEY` for a value in its answer",
    hint,
  });
}

function readReader(reading: Reading, written: StepInput, path: Path): Pick<DecisionStep, "reader" | "source"> {
  const { decision = "" } = written;
  if (typeof decision === "string" && isVoteName(decision) && !isOfProtocol(reading, decision))
    return readVoteReader(reading, written, decision, path);
  for (const field of ["of", "at_least"] as const) {
    if (written[field] === undefined) continue;
    refuse(reading, [...path.slice(0, -1), field], {
      message: `Step '${written.id}': \`${field}\` has no effect on a reader of files`,
      expected: `\`decision\` with one of: ${voteNames.join(", ")}`,
      hint: "`decision: majority` decides by what stories said",
    });
  }
  const { reader, file, at, values } = typeof decision === "string" ? { reader: decision } : decision;
  const say = (where: Path, message: string, expected: string, hint: string) =>
    refuse(reading, where, { message: `Step '${written.id}': ${message}`, expected, hint });
  if (file === undefined) {
    if (generalReaders.includes(reader) && !isOfProtocol(reading, reader))
      say(path, `the reader \`${reader}\` needs a file`, "`file: PATH`", `write \`${example(reader)}\``);
    else if (typeof decision !== "string")
      say(path, `the reader \`${reader}\` finds its files itself`, "its name alone", `write \`decision: ${reader}\``);
    return { reader };
  }
  if (!generalReaders.includes(reader)) {
    const meant = nearest(reader, generalReaders);
    say(
      [...path, "reader"],
      `\`${reader}\` is not a reader that takes a file`,
      `one of: ${generalReaders.join(", ")}`,
      meant ? `did you mean \`${meant}\`?` : `write \`decision: ${reader}\` for a reader of the protocol`,
    );
  }
  const wrong = wrongPath(file);
  if (wrong !== null)
    say([...path, "file"], `"${file}": ${wrong}`, "a path inside of the project", "for example reports/result.json");
  if (at !== undefined && !/^(?:\/(?:[^~/]|~[01])*)*$/.test(at))
    say(
      [...path, "at"],
      `"${at}" is not a JSON Pointer`,
      "`/key/0`, with ~1 for / and ~0 for ~",
      "for example /status",
    );
  const isJson = reader === "json";
  for (const [key, value] of Object.entries({ at, values })) {
    if (isJson || value === undefined) continue;
    say([...path, key], `\`${key}\` has no effect on test results`, "reader and file", "remove it");
  }
  if (isJson && values === undefined)
    say(path, "the reader `json` needs `values`", "each value with its words", `write \`${example("json")}\``);
  const words = readWords(reading, written.id, values ?? {}, [...path, "values"]);
  return { reader, source: { file, ...(at === undefined ? {} : { at }), ...(isJson ? { words } : {}) } };
}

/** Decides by what stories said, without a file. */
function readVoteReader(
  reading: Reading,
  { id, of, at_least: atLeast }: StepInput,
  vote: VoteName,
  path: Path,
): Pick<DecisionStep, "reader" | "source"> {
  if (of === undefined) {
    refuse(reading, path, {
      message: `Step '${id}': \`decision: ${vote}\` needs what stories said`,
      expected: "`of: STEP.*.KEY` beside it",
      hint: "for example `of: review.*.verdict`, with the id of a stories step before it",
    });
    return { reader: vote };
  }
  const source = readVote(reading, id, { vote, of, atLeast }, path.slice(0, -1));
  return { reader: vote, ...(source ? { source } : {}) };
}

function isOfProtocol({ protocols }: Reading, name: string): boolean {
  return protocols.some(({ readers = [] }) => readers.some((reader) => reader.name === name));
}

function example(reader: string): string {
  return reader === "json"
    ? "decision: { reader: json, file: result.json, at: /status, values: { proceed: [passed], fix: [failed] } }"
    : `decision: { reader: ${reader}, file: reports/tests.xml }`;
}

/** A word means one value. What no value has is `unknown`, so nothing else may mean it. */
function readWords(
  reading: Reading,
  step: string,
  values: Readonly<Record<string, readonly DecisionWord[]>>,
  path: Path,
): NonNullable<DecisionSource["words"]> {
  const folded = (word: DecisionWord) => JSON.stringify(typeof word === "string" ? foldValue(word) : word);
  const seen = new Map<string, string>();
  for (const [value, words] of Object.entries(values)) {
    if (foldValue(value) === unknownValue) {
      refuse(reading, [...path, value], {
        message: `Step '${step}': \`unknown\` is what no other value means`,
        expected: "words for the other values",
        hint: "remove it: every word that is not listed is unknown",
      });
    }
    for (const word of words) {
      const other = seen.get(folded(word));
      seen.set(folded(word), value);
      if (other === undefined || other === value) continue;
      refuse(reading, [...path, value], {
        message: `Step '${step}': ${folded(word)} means \`${other}\` and \`${value}\``,
        expected: "each word below one value",
        hint: "remove it from one of the two",
      });
    }
  }
  return Object.fromEntries(Object.entries(values).map(([value, words]) => [foldValue(value), words]));
}
