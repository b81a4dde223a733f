// Checks a workflow with strict templates: every key that an attempt is told has a value before the chain gets there, as far as the
// file shows it. What a step leaves out, or a jump skips, shows when the step starts.

import { engineKeys, projectValueKeys } from "../../domain/context.ts";
import type { Definition, StepDefinition } from "../../domain/definition.ts";
import { type Placeholder, placeholdersIn } from "../../domain/template.ts";
import { nearest } from "../document/problem.ts";
import { type Reading, refuse } from "../document/reading.ts";
import { isOfProtocol } from "./check-condition.ts";
import { attemptTemplates } from "./check-templates.ts";
import type { Checked } from "./checked.ts";
import { type AuthorStep, authorsIn, keysSetBy, looksSaid } from "./templates.ts";

export function checkStrict(definition: Definition, reading: Reading): void {
  checkChain({ definition, reading, chain: definition.steps, bodyOf: null }, []);
  definition.steps.forEach((step, index) => {
    if (step.kind !== "stories") return;
    const before = definition.steps.slice(0, index).filter(({ kind }) => kind !== "stories");
    checkChain({ definition, reading, chain: step.body, bodyOf: step }, before);
  });
}

/** `before`: the steps of the run whose words a story reads, too. */
function checkChain(checked: Checked, before: readonly StepDefinition[]): void {
  const { chain, reading, definition } = checked;
  chain.forEach((step, index) => {
    if (step.kind === "stories") return;
    const authors = authorsIn([...before, ...(step.spare ? chain : chain.slice(0, index)), ...spares(chain)]);
    for (const { text, path } of attemptTemplates([step], reading)) {
      for (const placeholder of placeholdersIn(text)) {
        if (isFilled(checked, placeholder, authors)) continue;
        const meant = nearest(placeholder.key.toLowerCase(), authors.flatMap(keysSetBy));
        refuse(reading, path, {
          message: `Step '${step.name}': \`{{${placeholder.key}}}\` has no value here, and templates are strict`,
          expected: "a key that a step before it declares in `produces`, or that `context` has",
          hint: meant ? `did you mean \`{{${meant}}}\`?` : fillHint(definition, placeholder.key),
          text: placeholder.text,
        });
      }
    }
  });
}

function spares(chain: readonly StepDefinition[]): readonly StepDefinition[] {
  return chain.filter(({ spare }) => spare === true);
}

function isFilled(checked: Checked, placeholder: Placeholder, authors: readonly AuthorStep[]): boolean {
  const { definition } = checked;
  const key = placeholder.key.toLowerCase();
  if (placeholder.isEscaped || placeholder.fallback !== undefined) return true;
  if (engineKeys.has(key) || isOfProtocol(checked, key) || Object.hasOwn(definition.context, key)) return true;
  // They are known when a run starts, and not before.
  if (key === "branch" || projectValueKeys.includes(key)) return true;
  return looksSaid(placeholder.key, definition.steps) || authors.some((author) => keysSetBy(author).includes(key));
}

function fillHint({ steps }: Definition, key: string): string {
  const later = authorsIn(steps).find((step) => keysSetBy(step).includes(key.toLowerCase()));
  const set = later ? `'${later.name}' sets it, but not before this step` : "nothing sets it";
  return `${set}: declare it in \`produces\` of an earlier step, or write \`{{${key} | default: "text"}}\``;
}
