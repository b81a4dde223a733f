// Decides which outputs of an agent reach the context. Agent output is data: it never sets keys that Pawl or the caller owns.

import { engineKeys } from "../domain/context.ts";
import type { PerformedWork } from "../domain/definition.ts";
import { contextKey } from "../domain/include.ts";
import type { Header } from "../domain/run.ts";

const branchPattern = /^[A-Za-z0-9][A-Za-z0-9._/-]{0,119}$/;

export interface AcceptedOutputs {
  readonly set: Readonly<Record<string, string>>;
  readonly notes: readonly string[];
}

/** The step whose outputs they are. */
type Author = Pick<PerformedWork, "name" | "produces" | "decide" | "include">;

export function acceptOutputs(
  header: Header,
  definition: Author,
  outputs: Readonly<Record<string, string>>,
): AcceptedOutputs {
  const set: Record<string, string> = {};
  const notes: string[] = [];
  for (const [key, value] of Object.entries(outputs)) {
    const refusal = refusalOf(header, definition, key, value);
    if (refusal === null) set[contextKey(definition, key)] = value;
    else notes.push(`${key.toUpperCase()} was ignored: ${refusal}`);
  }
  return { set, notes };
}

/** Keys of a step to remove from the context when it is reset or sets other keys. */
export function clearedKeys(
  produced: readonly string[],
  set: Readonly<Record<string, string>> = {},
): readonly string[] {
  return produced.filter((key) => key !== "branch" && !Object.hasOwn(set, key));
}

function refusalOf(header: Header, definition: Author, key: string, value: string): string | null {
  if (engineKeys.has(key)) return "only Pawl sets it";
  if (header.given.includes(contextKey(definition, key))) return "it was given when the run was started";
  if (definition.produces !== null && !definition.produces.includes(key) && key !== definition.decide) {
    return `the step "${definition.name}" does not declare it in produces`;
  }
  if (key === "branch") {
    const { branch = value } = header.context;
    if (branch !== value) return "the branch is set once and stays";
    if (!isSafeBranch(value)) return "it is not a usable branch name";
  }
  return null;
}

export function isSafeBranch(name: string): boolean {
  return branchPattern.test(name) && !/\.\.|\/\/|\.lock(?:\/|$)|[./]$/.test(name);
}
