// Checks the condition of a step: some step sets its key before the chain gets there, and can say the value that it waits for.

import type { Condition } from "../../domain/condition.ts";
import { engineKeys, projectValueKeys } from "../../domain/context.ts";
import type { StepDefinition } from "../../domain/definition.ts";
import { isWithin } from "../../domain/include.ts";
import { nearest, type Path } from "../document/problem.ts";
import { type Reading, refuse } from "../document/reading.ts";
import { type Checked, originOf } from "./checked.ts";
import { exitsOf } from "./exits.ts";
import { type AuthorStep, isAuthor, keysSetBy } from "./templates.ts";
import { warnUnsaid } from "./unsaid.ts";

/** Its own condition, and those of the includes that begin with it. */
export function checkConditions(checked: Checked, step: StepDefinition, index: number): void {
  for (const condition of [step.if, ...(step.entries ?? []).map((entry) => entry.if)]) {
    // A vote is checked by its name, with the other names of what stories said.
    if (condition !== undefined && !("vote" in condition)) checkCondition(checked, step, index, condition);
  }
  const { reading, chain } = checked;
  const above = chain.filter(({ include }) => include !== undefined).flatMap(({ entries = [] }) => entries);
  for (const { at, key, include } of repetitionsOf(reading, step)) {
    const wrong = wrongKey(checked, step, index, key);
    if (wrong) {
      refuse(reading, at, {
        message: `Step '${include ?? step.name}' repeat_for ${key}: ${wrong.message}`,
        expected: "a key that a step before it prints as a list, or that `context` has",
        hint: wrong.hint,
      });
    }
    const outer = above.find(
      (entry) => entry.repeatFor !== undefined && entry.include !== include && isInside(step, include, entry.include),
    );
    if (!outer) continue;
    refuse(reading, at, {
      message: `Step '${include ?? step.name}' is repeated inside of '${outer.include}', which is repeated itself`,
      expected: "one list at a time",
      hint: "let a step before it write one list that has every entry",
    });
  }
}

interface AskedList {
  readonly at: Path;
  readonly key: string;
  /** The include that is repeated; null: the step itself. */
  readonly include: string | null;
}

function repetitionsOf(reading: Reading, step: StepDefinition): readonly AskedList[] {
  const own =
    step.repeatFor === undefined
      ? []
      : [{ at: [...originOf(reading, step), "repeat_for"], key: step.repeatFor, include: null }];
  const entered = (step.entries ?? []).flatMap((entry) =>
    entry.repeatFor === undefined
      ? []
      : [{ at: originOf(reading, entry, step), key: entry.repeatFor, include: entry.include }],
  );
  return [...own, ...entered];
}

/** Whether the step, or the include that begins with it, is a part of that other include. */
function isInside(step: StepDefinition, include: string | null, other: string): boolean {
  return include === null ? isWithin(step, other) : include.startsWith(`${other}.`);
}

type OneKey = Extract<Condition, { readonly key: string }>;

function checkCondition(checked: Checked, step: StepDefinition, index: number, condition: OneKey): void {
  const wrong = wrongKey(checked, step, index, condition.key);
  if (wrong === null) return checkValues(checked, step, condition);
  refuse(checked.reading, [...originOf(checked.reading, condition, step), condition.key], {
    message: `Step '${step.name}' if.${condition.key}: ${wrong.message}`,
    expected: "a key that a step before it prints, or that `context` has",
    hint: wrong.hint,
  });
}

interface Wrong {
  readonly message: string;
  readonly hint: string;
}

/** What an attempt is told by the runtime is not known to the chain that asks. */
function wrongKey(checked: Checked, step: StepDefinition, index: number, key: string): Wrong | null {
  const { definition, chain, bodyOf } = checked;
  if (Object.hasOwn(definition.context, key) || key === "branch" || projectValueKeys.includes(key)) return null;
  if (definition.inputs?.includes(key)) return null;
  if (engineKeys.has(key) || isOfProtocol(checked, key))
    return {
      message: "Pawl fills it in when a step starts, so it is not known before",
      hint: `let a command print a key of its own: \`produces: [${step.name.replace(/\W+/g, "_").toLowerCase()}_needed]\``,
    };
  const shared = bodyOf === null ? [] : authorsOf(definition.steps);
  const authors = authorsOf(chain).filter((other) => keysSetBy(other).includes(key));
  if (shared.some((other) => keysSetBy(other).includes(key))) return null;
  if (authors.length > 0)
    return authors.some((author) => mayKnow(checked, author, index)) ? null : tooLate(authors, step);
  const home = definition.steps.find(
    (other) => other.kind === "stories" && other !== bodyOf && other.body.some((inner) => setsKey(inner, key)),
  );
  if (home) return insideStories(home, key);
  const known = [...Object.keys(definition.context), ...authorsOf([...chain, ...shared]).flatMap(keysSetBy)];
  const meant = nearest(key, known);
  return {
    message: "nothing sets this key",
    hint: meant
      ? `did you mean \`${meant}\`?`
      : `let a step before it declare the key: \`produces: [${key}]\`, or give it a value: \`context: { ${key}: … }\``,
  };
}

export function isOfProtocol({ definition, reading }: Checked, key: string): boolean {
  return reading.protocols.some(({ name, templateKeys }) => name === definition.protocol && templateKeys.includes(key));
}

/** Each story says it for itself, so the run has no one value. */
function insideStories(home: StepDefinition, key: string): Wrong {
  return {
    message: `only stories of '${home.name}' set it, each for itself`,
    hint: `ask all of them: \`if: { any: { of: ${home.name}.*.${key}, is: VALUE } }\`, or all, majority, count`,
  };
}

function tooLate(authors: readonly AuthorStep[], step: StepDefinition): Wrong {
  const [author] = authors;
  const who = author?.name === step.name ? "only the step itself sets it" : `'${author?.name}' sets it later`;
  return {
    message: `${who}, and does not lead back to before this step`,
    hint: "ask for a key of an earlier step; going back clears what steps said, but for the step that goes back",
  };
}

/** Set before the step, or kept by a step that goes back to it: only the words of the one that goes back stay. */
function mayKnow({ chain }: Checked, author: AuthorStep, index: number): boolean {
  if (chain.indexOf(author) < index || author.spare || chain[index]?.spare) return true;
  const isBefore = (name: string | undefined) => {
    const at = chain.findIndex((other) => other.name === name);
    return at >= 0 && at <= index;
  };
  return exitsOf(author).some(({ route }) => {
    if (route.to === "back_to") return isBefore(route.step);
    if (route.to !== "insert") return false;
    return isBefore(route.before) || route.steps.some((name) => name === chain[index]?.name);
  });
}

function checkValues(checked: Checked, step: StepDefinition, condition: OneKey): void {
  const { key, values } = condition;
  const { reading, definition, chain, bodyOf } = checked;
  if (Object.hasOwn(definition.context, key)) return;
  const steps = authorsOf(bodyOf === null ? chain : [...chain, ...definition.steps]);
  const path = [...originOf(reading, condition, step), key];
  warnUnsaid(reading, { label: `Step '${step.name}' if.${key}`, path }, steps, key, values);
}

function authorsOf(steps: readonly StepDefinition[]): readonly AuthorStep[] {
  // What parts say does not reach the context.
  return steps.filter(isAuthor).filter((step) => !("parts" in step) || step.parts === undefined);
}

function setsKey(step: StepDefinition, key: string): boolean {
  return authorsOf([step]).some((each) => keysSetBy(each).includes(key));
}
