// Renders the variables of a step's command and checks. They are the only way for a value into a command: no shell parses them.

import { AppError } from "../../../domain/error.ts";
import { renderTemplate } from "../../../prompts/template.ts";
import type { Claim } from "../claim/claim.ts";
import { templateValues, type ValuePorts } from "./values.ts";

/** Linux takes 128 KiB in one variable, with its name. */
const longest = 100 * 1024;

/** Throws if a key has no value: `git tag "v$VERSION"` without a version would do something else. */
export async function commandVariables(parts: ValuePorts, claim: Claim): Promise<Readonly<Record<string, string>>> {
  const { env } = claim.definition;
  if (env === undefined) return {};
  const values = await templateValues(parts, claim, Object.values(env).join("\n"));
  const { name } = claim.definition;
  return Object.fromEntries(
    Object.entries(env).map(([variable, template]) => {
      const { text, missing } = renderTemplate(template, values, []);
      if (missing[0] !== undefined) {
        throw new AppError("INPUT_INVALID", `${name}: ${variable} needs {{${missing[0]}}}, which no step has set`, {
          hint: `let a step before it print ${missing[0].toUpperCase()}, or write \`{{${missing[0]} | default: "text"}}\``,
        });
      }
      const value = text.replaceAll("\0", "");
      if (Buffer.byteLength(value) > longest) {
        throw new AppError("INPUT_INVALID", `${name}: ${variable} has more than 100 KiB, too much for a variable`, {
          hint: "let the step that prints the value write it to a file, and read the file in the command",
        });
      }
      return [variable, value];
    }),
  );
}
