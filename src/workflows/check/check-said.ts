// Finds where a file names what stories or parts said (`STEP.STORY.KEY`, `STEP.PART.KEY`, `STEP.*.KEY`), and checks that they have said
// it when a step in that place reads it.

import {
  type Definition,
  isPerformed,
  type PerformedDefinition,
  type StepDefinition,
} from "../../domain/definition.ts";
import { unknownValue } from "../../domain/evidence.ts";
import type { StepName } from "../../domain/ids.ts";
import { contextKey } from "../../domain/include.ts";
import { decidedValues } from "../../domain/route.ts";
import { readSaidName, saidText } from "../../domain/said.ts";
import { placeholdersIn } from "../../domain/template.ts";
import type { Vote } from "../../domain/vote.ts";
import { nearest, type Path } from "../document/problem.ts";
import { type Finding, type Reading, refuse, warn } from "../document/reading.ts";
import { templatesOf } from "./check-templates.ts";
import { originOf } from "./checked.ts";
import { authorsIn, keysSetBy, looksSaid, partsOf } from "./templates.ts";
import { warnUnsaid } from "./unsaid.ts";

/** A name at its place. */
interface Use {
  readonly step: string;
  /** The index of its step in the run's own chain, or of the `stories` step whose body it stands in. */
  readonly at: number;
  readonly name: string;
  readonly path: Path;
  /** Points at this text inside of the value. */
  readonly text: string;
  /** What a vote decides by: its words. Its key must be declared; null: a template, in which a value may be missing. */
  readonly words: readonly string[] | null;
}

/** What stories and parts must keep for other steps, and the names as templates spell them, in lower case. */
export function collectedBy(
  steps: readonly StepDefinition[],
  reading: Reading,
): { readonly collects?: Definition["collects"]; readonly names: readonly string[] } {
  const collects: Record<StepName, string[]> = {};
  const names = new Set<string>();
  for (const { name } of usesIn(steps, reading)) {
    const read = readSaidName(name, speakersIn(allIn(steps)));
    if (read === null) continue;
    names.add(name.toLowerCase());
    const keys = (collects[read.step] ??= []);
    if (!keys.includes(read.key)) keys.push(read.key);
  }
  return names.size === 0 ? { names: [] } : { collects, names: [...names] };
}

export function checkSaid({ steps, dialect }: Definition, reading: Reading): void {
  if (dialect !== "pawl") return;
  for (const use of usesIn(steps, reading)) checkUse(steps, reading, use);
}

function usesIn(steps: readonly StepDefinition[], reading: Reading): readonly Use[] {
  return steps.flatMap((top, at) => [...namedIn(top, at, steps, reading), ...votesIn(top, at, reading)]);
}

function namedIn(top: StepDefinition, at: number, steps: readonly StepDefinition[], reading: Reading): readonly Use[] {
  return templatesOf([top], reading).flatMap(({ step, path, text }) =>
    placeholdersIn(text).flatMap(({ key, isEscaped, text: shown }) =>
      isEscaped || !looksSaid(key, steps) ? [] : [{ step, at, name: key, path, text: shown, words: null }],
    ),
  );
}

/** Conditions and decisions over what stories or parts said. */
function votesIn(top: StepDefinition, at: number, reading: Reading): readonly Use[] {
  const inner = top.kind === "stories" ? [top, ...top.body] : [top];
  return inner.flatMap((step) => {
    const origin = originOf(reading, step);
    const uses: Use[] = [];
    const add = (vote: Vote, path: Path, words: readonly string[]) => {
      const name = saidText(vote.of);
      uses.push({ step: step.name, at, name, path: [...path, "of"], text: name, words });
    };
    for (const condition of [step.if, ...(step.entries ?? []).map((entry) => entry.if)]) {
      if (condition && "vote" in condition)
        add(condition, [...originOf(reading, condition, step), condition.vote], condition.values);
    }
    if (step.kind === "decision" && step.source && "vote" in step.source)
      add(
        step.source,
        origin,
        decidedValues(step.on).filter((value) => value !== unknownValue),
      );
    return uses;
  });
}

/** The steps whose stories or parts can be named. */
function speakersIn(steps: readonly StepDefinition[]): readonly StepName[] {
  return steps.flatMap((step) => (step.kind === "stories" || hasParts(step) ? [step.name] : []));
}

function hasParts(step: StepDefinition): step is PerformedDefinition {
  return isPerformed(step) && step.parts !== undefined;
}

function allIn(steps: readonly StepDefinition[]): readonly StepDefinition[] {
  return steps.flatMap((step) => (step.kind === "stories" ? [step, ...step.body] : [step]));
}

type Say = (tell: typeof refuse, problem: string, expected: string, hint: string) => void;

function checkUse(steps: readonly StepDefinition[], reading: Reading, use: Use): void {
  const { step, name, path, text } = use;
  const say: Say = (tell, problem, expected, hint) => {
    const finding: Finding = { message: `Step '${step}': \`${name}\`: ${problem}`, expected, hint, text };
    tell(reading, path, finding);
  };
  const top = steps[use.at];
  const body = top?.kind === "stories" ? top.body : [];
  const inner = readSaidName(name, speakersIn(body));
  const read = inner ?? readSaidName(name, speakersIn(steps));
  if (read === null) return refuseStep(steps, name, say);
  const chain = inner === null ? steps : body;
  const at = inner === null ? use.at : body.findIndex((other) => other.name === step);
  const home = chain.findIndex((other) => other.name === read.step);
  const speaker = chain[home];
  if (!speaker) return;
  const who = speaker.kind === "stories" ? "story" : "part";
  if (at <= home) {
    const where = at === home ? "it stands in that step" : `it stands before '${read.step}'`;
    const own =
      at === home && who === "story"
        ? `write \`{{${read.key}}}\` for the story's own value`
        : `move it behind '${read.step}'`;
    return say(refuse, `${where}, where no ${who} has said it yet`, `a step behind '${read.step}'`, own);
  }
  if (hasParts(speaker) && isUnknownPart(speaker, read.by)) return refusePart(speaker, read.by, say);
  const authors = speaker.kind === "stories" ? authorsIn(speaker.body) : hasParts(speaker) ? [speaker] : [];
  const keys = authors.flatMap(keysSetBy);
  const key = contextKey(speaker, read.key);
  if (keys.includes(key)) {
    const label = `Step '${step}': \`${name}\``;
    return warnUnsaid(reading, { label, path }, authors, key, use.words ?? []);
  }
  // An agent that declares nothing may print it.
  const isOpen = use.words === null && authors.some((author) => author.kind === "agent" && author.produces === null);
  const meant = nearest(read.key, keys);
  const author = who === "story" ? "a step of the body" : `'${read.step}'`;
  say(
    isOpen ? warn : refuse,
    who === "story" ? `no step of '${read.step}' sets \`${read.key}\`` : `'${read.step}' does not set \`${read.key}\``,
    keys.length === 0 ? `a key that ${author} declares` : `one of: ${[...new Set(keys)].join(", ")}`,
    meant ? `did you mean \`${meant}\`?` : `let ${author} declare it: \`produces: [${read.key}]\``,
  );
}

/** Names from the context are not known before the run. Templates are read without regard to case. */
function isUnknownPart(step: PerformedDefinition, name: string): boolean {
  const known = partsOf(step);
  return name !== "*" && known.length > 0 && !known.some((part) => part.name.toLowerCase() === name.toLowerCase());
}

function refusePart(step: PerformedDefinition, name: string, say: Say): void {
  const names: readonly string[] = partsOf(step).map((part) => part.name);
  const meant = nearest(name, names);
  say(
    refuse,
    `'${step.name}' has no part '${name}'`,
    `* or one of: ${names.join(", ")}`,
    meant ? `did you mean \`${meant}\`?` : "`*` reads what all of them said",
  );
}

function refuseStep(steps: readonly StepDefinition[], name: string, say: Say): void {
  const known = speakersIn(steps);
  const [first = ""] = name.split(".");
  const home = steps.find((other) => other.kind === "stories" && other.body.some((inner) => inner.name === first));
  const meant = home?.name ?? nearest(first, known);
  const isStep = steps.some((other) => other.name === first);
  say(
    refuse,
    home
      ? `'${first}' is a step of the body of '${home.name}'`
      : isStep
        ? `'${first}' has no stories and no parts`
        : `there is no step '${first}'`,
    known.length === 0
      ? "the id of a step with stories or parts, and the file has none"
      : `one of: ${known.join(", ")}`,
    meant
      ? `write \`${[meant, ...name.split(".").slice(1)].join(".")}\``
      : "a step of the run's own chain is read by its key alone",
  );
}
