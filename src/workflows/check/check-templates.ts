// Checks every text that is a template: whether some step sets the keys that it names, and whether it means what it says.

import type { Definition, StepDefinition } from "../../domain/definition.ts";
import { looksForeign, type Placeholder, placeholdersIn } from "../../domain/template.ts";
import { nearest, type Path } from "../document/problem.ts";
import { type Reading, warn } from "../document/reading.ts";
import { originOf } from "./checked.ts";
import { gatesOf } from "./exits.ts";
import { performedSteps } from "./templates.ts";

interface Template {
  readonly step: string;
  readonly text: string;
  readonly path: Path;
}

export function checkTemplates(definition: Definition, reading: Reading): void {
  const known = new Set(definition.knownKeys);
  const isOwn = definition.dialect === "pawl";
  for (const template of templatesOf(definition.steps, reading)) {
    for (const placeholder of placeholdersIn(template.text)) {
      const key = placeholder.key.toLowerCase();
      if (known.has(key) || placeholder.isEscaped || placeholder.fallback !== undefined) continue;
      if (!isOwn && looksForeign(template.text, placeholder)) continue;
      known.add(key);
      warnUnset(reading, template, placeholder, definition.knownKeys);
    }
    if (isOwn) warnAboutText(reading, template, known);
  }
}

function templatesOf(steps: readonly StepDefinition[], reading: Reading): readonly Template[] {
  const inputs = performedSteps(steps).map((step) => ({
    step: step.name,
    text: step.input,
    path: [...originOf(reading, step), "input"],
  }));
  const all = steps.flatMap((step) => (step.kind === "stories" ? [step, ...step.body] : [step]));
  const questions = all.flatMap((step) =>
    gatesOf(step).map((asking) => {
      const origin = originOf(reading, asking, step);
      return { step: step.name, text: asking.question, path: "kind" in asking ? [...origin, "gate"] : origin };
    }),
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
    step.kind === "decision" && step.source
      ? [{ step: step.name, text: step.source.file, path: [...originOf(reading, step), "decision", "file"] }]
      : [],
  );
  return [...inputs, ...variables, ...paths, ...files, ...questions];
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
  const otherwise = looksForeign(template, placeholder) ? escape : `it will read "[missing: ${key}]"; ${escape}`;
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
