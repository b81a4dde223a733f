// The inputs that a file declares, and what stands for each of them where the file is included.

import { engineKeys, generalKeys } from "../../domain/context.ts";
import { foldValue } from "../../domain/route.ts";
import { placeholdersIn } from "../../domain/template.ts";
import { nearest, type Path } from "../document/problem.ts";
import { type Reading, refuse } from "../document/reading.ts";
import type { WorkflowInput } from "../format/schema.ts";
import type { StepInput } from "../format/step-schema.ts";

export interface DeclaredInput {
  readonly name: string;
  /** null: it must be given. */
  readonly fallback: string | null;
}

/** What a key of an included file is in the file that includes it: one key, or a text with several. */
export type Binding = { readonly key: string } | { readonly text: string };

/** `path`: where the file stands. */
export function readInputs(
  reading: Reading,
  { inputs = {} }: Pick<WorkflowInput, "inputs">,
  path: Path = [],
): readonly DeclaredInput[] {
  const isList = Array.isArray(inputs);
  const entries = isList
    ? inputs.map((name, index) => [name, null, index] as const)
    : Object.entries(inputs).map(([name, given]) => [name, given, name] as const);
  return entries.map(([written, given, place]) => {
    const name = foldValue(written);
    const at = [...path, "inputs", place];
    const wrong = wrongKey(name);
    if (wrong !== null) {
      refuse(reading, at, {
        message: `the input "${written}" ${wrong}`,
        expected: "a key of letters, digits and `_` that Pawl does not set itself",
        hint: "choose a name such as `subject`",
      });
    }
    const fallback = given?.default === undefined ? null : String(given.default);
    return { name, fallback };
  });
}

function wrongKey(name: string): string | null {
  if (engineKeys.has(name) || generalKeys.includes(name)) return "is a key that every run has";
  return /^[a-z_][a-z0-9_]{0,63}$/.test(name) && name !== "__proto__" ? null : "cannot be a key";
}

/** The binding of each input. `constants` gets the texts, which become keys of the context under the id of the include. */
export function bindInputs(
  reading: Reading,
  { step, path, workflow }: { readonly step: StepInput; readonly path: Path; readonly workflow: string },
  declared: readonly DeclaredInput[],
  constants: Record<string, string>,
): ReadonlyMap<string, Binding> {
  const given = new Map(Object.entries(step.inputs ?? {}).map(([name, value]) => [foldValue(name), String(value)]));
  const known = declared.map(({ name }) => name);
  for (const name of Object.keys(step.inputs ?? {})) {
    if (known.includes(foldValue(name))) continue;
    const meant = nearest(name, known);
    refuse(reading, [...path, "inputs", name], {
      message: `Step '${step.id}': '${workflow}' has no input \`${name}\``,
      expected: known.length === 0 ? "no `inputs`" : `one of: ${known.join(", ")}`,
      hint: meant ? `did you mean \`${meant}\`?` : `declare it in that file: \`inputs: [${name}]\``,
    });
  }
  return new Map(
    declared.map(({ name, fallback }): [string, Binding] => {
      const text = given.get(name) ?? fallback;
      if (text === null) {
        refuse(reading, path, {
          message: `Step '${step.id}': the input \`${name}\` of '${workflow}' is missing`,
          expected: `\`inputs: { ${name}: … }\``,
          hint: `give it a text, or a key of this file: \`inputs: { ${name}: "{{task}}" }\``,
        });
      }
      return [name, bindingOf(text ?? "", `${step.id}.${name}`, constants)];
    }),
  );
}

function bindingOf(text: string, key: string, constants: Record<string, string>): Binding {
  const found = placeholdersIn(text);
  const [only] = found;
  if (only && found.length === 1 && only.text === text.trim() && only.fallback === undefined) return { key: only.key };
  if (found.length > 0) return { text };
  constants[key] = text;
  return { key };
}
