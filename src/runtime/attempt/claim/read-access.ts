// What a step that may only read may do all the same.

import { contextOf } from "../../../domain/run.ts";
import { agentOf } from "./agent-of.ts";
import type { Claim } from "./claim.ts";

export function mayOnlyRead(claim: Claim): boolean {
  return claim.definition.access === "read" || agentOf(claim)?.access === "read";
}

/** Keys under which a project's commands are known, from its configuration or from the agent that planned. */
const commandKeys = /^(?:build|test|typecheck|lint)_(?:cmd|command)$/;
const longestCommand = 200;

/** The commands that it may run all the same: a judge that cannot run the tests has not verified. Plain words only, part by part. */
export function commandsFor(claim: Claim): readonly string[] {
  if (!mayOnlyRead(claim)) return [];
  const { run, attempt } = claim;
  const known = contextOf(run, attempt.story);
  const written = Object.entries(known).flatMap(([key, text]) => (commandKeys.test(key) ? [text] : []));
  const parts = written.flatMap((text) => text.split(/&&|\|\||[;|\n]/)).map((part) => part.trim());
  return [...new Set(parts.filter((part) => /^[\w@%+=:./ -]+$/.test(part) && part.length <= longestCommand))];
}
