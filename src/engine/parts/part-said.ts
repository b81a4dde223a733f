// What later steps read of a part by name (`STEP.PART.KEY`): only the keys that they name. The context gets nothing of a part.

import type { Header } from "../../domain/run.ts";
import type { Step } from "../../domain/step.ts";
import { cutEnd } from "../../prompts/plaintext.ts";

/** A header is written with every transition of its chain, so what it holds has a limit. */
const longest = 16 * 1024;

/** null: no step reads anything of it. */
export function saidByPart(
  { definition }: Header,
  { name }: Step,
  outputs: Readonly<Record<string, string>>,
): Readonly<Record<string, string>> | null {
  const keys = definition.collects?.[name];
  if (!keys) return null;
  const values = keys.flatMap((key) => (Object.hasOwn(outputs, key) ? [[key, outputs[key] ?? ""] as const] : []));
  return Object.fromEntries(values.map(([key, value]) => [key, cutEnd(value, longest)]));
}
