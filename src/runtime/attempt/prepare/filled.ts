// Refuses an attempt whose texts name a key without a value, where its workflow wants that (`templates: strict`).

import { engineKeys } from "../../../domain/context.ts";
import { AppError } from "../../../domain/error.ts";
import { unfilledKeys } from "../../../prompts/template.ts";
import type { Claim } from "../claim/claim.ts";
import { templateValues, type ValuePorts } from "./values.ts";

export async function assertFilled(parts: ValuePorts, claim: Claim): Promise<void> {
  const { definition, run } = claim;
  if (run.header.definition.templates !== "strict") return;
  const { input, env = {}, reads = [], writes = [] } = definition;
  const text = [input, ...Object.values(env), ...reads, ...writes].join("\n");
  // What Pawl itself sets may be empty: there is no feedback at the first attempt.
  const own = new Set([...engineKeys, ...parts.protocols.of(run.header.definition).templateKeys]);
  const [key, ...others] = unfilledKeys(text, await templateValues(parts, claim, text), (name) => own.has(name));
  if (key === undefined) return;
  const more = others.length === 0 ? "" : ` and ${others.map((other) => `{{${other}}}`).join(", ")}`;
  throw new AppError("INPUT_MISSING", `${definition.name} needs {{${key}}}${more}, which has no value`, {
    hint: `let a step before it print ${key.toUpperCase()}, or write \`{{${key} | default: "text"}}\``,
  });
}
