// Reads commands as they are typed, and the variables (`env`) that give them values. Nothing is replaced in the text of a command:
// a shell would run what an agent or a person wrote.

import { engineKeys } from "../../domain/context.ts";
import { fillTemplate, type Placeholder, placeholdersIn } from "../../domain/template.ts";
import type { Path } from "../document/problem.ts";
import { type Reading, refuse } from "../document/reading.ts";
import { wrongName } from "./environment.ts";
import type { StepInput } from "./step-schema.ts";

/** The command with its escapes undone. A placeholder in it is refused, with the form that works. */
export function readCommand(reading: Reading, step: string, command: string, path: Path): string {
  const found = placeholdersIn(command).filter(({ isEscaped }) => !isEscaped);
  const [first] = found;
  if (first) {
    refuse(reading, path, {
      message: `Step '${step}': nothing in a command is replaced, and this one has \`${first.text}\``,
      expected: "a command as it is typed; values come in variables, which no shell runs",
      hint: `write \`env: { ${variablesFor(found)} }\` beside it, and in the command \`${withVariables(command, found)}\`; \`\\${first.text}\` keeps the braces`,
      text: first.text,
    });
  }
  return fillTemplate(command, () => null);
}

/** The variables of a step's command and checks, as templates. */
export function readVariables(
  reading: Reading,
  { id, env, command, checks = [] }: StepInput,
  path: Path,
): { readonly env?: Readonly<Record<string, string>> } {
  if (env === undefined) return {};
  if (command === undefined && checks.length === 0) {
    refuse(reading, [...path, "env"], {
      message: `Step '${id}': \`env\` has no effect: the step runs no command`,
      expected: "`env` beside `command` or `checks`",
      hint: "an agent reads its values in its `input`",
    });
  }
  for (const name of Object.keys(env)) {
    const wrong = wrongName(name);
    if (wrong === null) continue;
    refuse(reading, [...path, "env", name], {
      message: `Step '${id}': \`env\`: ${wrong}`,
      expected: "a map from names of variables to texts",
      hint: 'for example `env: { VERSION: "{{version}}" }`, and in the command `"$VERSION"`',
    });
  }
  return { env: Object.fromEntries(Object.entries(env).map(([name, value]) => [name, String(value)])) };
}

/** Keys that a command could print and that would never be set. */
export function refuseUnprintable(reading: Reading, { id, produces = [] }: StepInput, path: Path): void {
  produces.forEach((name, index) => {
    const key = name.trim().toLowerCase();
    const wrong =
      key === "status"
        ? "a command says with its exit code whether it passed, and `STATUS` sets no key"
        : engineKeys.has(key)
          ? `only Pawl sets \`${key}\``
          : /^[a-z_][a-z0-9_]{0,63}$/.test(key) && /[a-z]/.test(key) && key !== "__proto__"
            ? null
            : `"${name}" is not a key that a line \`KEY: value\` can have`;
    if (wrong === null) return;
    refuse(reading, [...path, "produces", index], {
      message: `Step '${id}': ${wrong}`,
      expected: "keys of letters, digits and `_` that the command prints",
      hint: `choose a name of its own: \`produces: [${id.replace(/\W+/g, "_").toLowerCase()}_result]\``,
    });
  });
}

function variablesFor(found: readonly Placeholder[]): string {
  const names = new Map(found.map((placeholder) => [nameOf(placeholder), placeholder.text]));
  return [...names].map(([name, text]) => `${name}: "${text.replaceAll('"', "'")}"`).join(", ");
}

/** Outside of double quotes a value would be split at its spaces. */
function withVariables(command: string, found: readonly Placeholder[]): string {
  let text = "";
  let from = 0;
  for (const placeholder of found) {
    text += command.slice(from, placeholder.index);
    const isQuoted = (text.split('"').length - 1) % 2 === 1;
    text += isQuoted ? `\${${nameOf(placeholder)}}` : `"$${nameOf(placeholder)}"`;
    from = placeholder.index + placeholder.text.length;
  }
  return text + command.slice(from);
}

function nameOf({ key }: Placeholder): string {
  const name = key.toUpperCase().replace(/[^A-Z0-9]+/g, "_");
  return wrongName(name) === null ? name : `V_${name}`;
}
