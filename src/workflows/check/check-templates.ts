// Checks every text that is a template: whether some step sets the keys that it names, and whether it means what it says.

import type { Definition, StepDefinition } from "../../domain/definition.ts";
import { looksForeign, type Placeholder, placeholdersIn } from "../../domain/template.ts";
import { nearest, type Path } from "../document/problem.ts";
import { type Reading, warn } from "../document/reading.ts";
import { originOf } from "./checked.ts";
import { gatesOf } from "./exits.ts";
import { looksSaid, partsOf, performedSteps } from "./templates.ts";

interface Template {
  readonly step: string;
  readonly text: string;
  readonly path: Path;
}

export function checkTemplates(definition: Definition, reading: Reading): void {
  const known = new Set(definition.knownKeys);
  const isOwn = definition.dialect === "pawl";
  const questions = new Set(questionTemplates(definition.steps, reading));
  for (const template of [...attemptTemplates(definition.steps, reading), ...questions]) {
    // check-strict.ts refuses what is only a warning elsewhere.
    const isRefused = definition.templates === "strict" && !questions.has(template);
    for (const placeholder of placeholdersIn(template.text)) {
      const key = placeholder.key.toLowerCase();
      if (isRefused || known.has(key) || placeholder.isEscaped || placeholder.fallback !== undefined) continue;
      // check-said.ts checks the names of what stories said.
      if (isOwn && looksSaid(placeholder.key, definition.steps)) continue;
      if (!isOwn && looksForeign(template.text, placeholder)) continue;
      known.add(key);
      warnUnset(reading, template, placeholder, definition.knownKeys);
    }
    if (isOwn) warnAboutText(reading, template, known);
  }
}

export function templatesOf(steps: readonly StepDefinition[], reading: Reading): readonly Template[] {
  return [...attemptTemplates(steps, reading), ...questionTemplates(steps, reading)];
}

function questionTemplates(steps: readonly StepDefinition[], reading: Reading): readonly Template[] {
  const all = steps.flatMap((step) => (step.kind === "stories" ? [step, ...step.body] : [step]));
  return all.flatMap((step) =>
    gatesOf(step).map((asking) => {
      const origin = originOf(reading, asking, step);
      return { step: step.name, text: asking.question, path: "kind" in asking ? [...origin, "gate"] : origin };
    }),
  );
}

/** The texts that are filled in for an attempt, without questions to people. */
export function attemptTemplates(steps: readonly StepDefinition[], reading: Reading): readonly Template[] {
  const inputs = performedSteps(steps).map((step) => ({
    step: step.name,
    text: step.input,
    path: [...originOf(reading, step), "input"],
  }));
  const ofParts = performedSteps(steps).flatMap((step) =>
    partsOf(step).flatMap(({ input }, index) =>
      input === undefined
        ? []
        : [{ step: step.name, text: input, path: [...originOf(reading, step), "parts", index, "input"] }],
    ),
  );
  const variables = performedSteps(steps).flatMap((step) =>
    Object.entries(step.env ?? {}).map(([name, text]) => ({
      step: step.name,
      text,
      path: [...originOf(reading, step), "env", name],
    })),
  );
  const paths = performedSteps(steps).flatMap((step) =>
    Object.entries({ reads: step.reads, writes: step.writes }).flatMap(([key, each = []]) =>
      each.map((text, index) => ({ step: step.name, text, path: [...originOf(reading, step), key, index] })),
    ),
  );
  const files = performedSteps(steps).flatMap((step) =>
    step.kind === "decision" && step.source && "file" in step.source
      ? [{ step: step.name, text: step.source.file, path: [...originOf(reading, step), "decision", "file"] }]
      : [],
  );
  return [...inputs, ...ofParts, ...variables, ...paths, ...files];
}

function warnUnset(
  reading: Reading,
  { step, path, text: template }: Template,
  placeholder: Placeholder,
  knownKeys: readonly string[],
): void {
  const key = placeholder.key.toLowerCase();
  const meant = nearest(key, knownKeys);
  const escape = `to keep it as typed, write \`\\${placeholder.text}\``;
  // An agent that declares no keys may print any: then it is the file that does not say so.
  const printed = `if a step prints it, show that in its input, as a line \`${key.toUpperCase()}: …\`; else `;
  const otherwise = looksForeign(template, placeholder)
    ? escape
    : `${/^\w+$/.test(key) ? printed : ""}it will read "[missing: ${key}]"; ${escape}`;
  warn(reading, path, {
    message: `Step '${step}': \`{{${key}}}\` is never set`,
    expected: "a key that a step produces, that `context` has, or that every run has",
    hint: meant ? `did you mean \`{{${meant}}}\`?` : otherwise,
    text: placeholder.text,
  });
}

/** Words of other template languages around a key, and braces that are not closed: nothing replaces them. */
function warnAboutText(reading: Reading, { step, text, path }: Template, known: ReadonlySet<string>): void {
  const almost = [
    ...text.matchAll(/\{\{\s*(?:[#/^]\s*[\w.-]+[^{}\n]*|([\w.-]+)\s*\|(?!\s*default\s*:)[^{}\n]*)\}\}/g),
    ...text.matchAll(/\{\{\s*([\w.-]+)\s*\}?(?![\w.-]|\s*[|}])/g),
  ].filter(([, key]) => key === undefined || known.has(key.toLowerCase()));
  for (const [found] of almost) {
    warn(reading, path, {
      message: `Step '${step}': \`${found.trim()}\` is not a placeholder and stays as it is typed`,
      expected: '`{{key}}`, or `{{key | default: "text"}}`',
      hint: "a template has no conditions, loops or other filters; let the step read the whole value",
      text: found,
    });
  }
}
