// The effective rules of a project: the bundled table with its `.ai/step-rules.yaml`, as a table for people and as a definition.

import type { ProtocolFacts } from "../../domain/protocol.ts";
import { parseDocument } from "../document/document.ts";
import { type LoadedWorkflow, loadWorkflow } from "../load.ts";
import { effectiveRules, type RulesOptions } from "./read-rules.ts";
import type { RulesTable } from "./rules-schema.ts";

export interface EffectiveRules extends LoadedWorkflow {
  /** As it holds after the merge; null if there is any error. */
  readonly table: RulesTable | null;
}

export interface RulesSource {
  /** The project's own rules; null: it has none. */
  readonly text: string | null;
  /** Their file, for messages. */
  readonly file: string;
  /** The text of the bundled table. */
  readonly base: string;
}

export function rulesFor(
  { text, file, base }: RulesSource,
  protocols: readonly ProtocolFacts[],
  { commands, teams }: Pick<RulesOptions, "commands" | "teams"> = {},
): EffectiveRules {
  // A file of comments alone changes nothing.
  const changes = text === null || /^(?:\s*(?:#.*)?(?:\r?\n|$))*$/.test(text) ? null : text;
  const written = changes ?? base;
  const loaded = loadWorkflow(written, changes === null ? "step-rules.yml" : file, protocols, {
    rules: { base, commands, teams, isTable: true },
  });
  if (loaded.definition === null) return { ...loaded, table: null };
  const { document } = parseDocument(written, file);
  return { ...loaded, table: effectiveRules(document?.value ?? {}, base) as RulesTable };
}

export interface RulesCommand {
  /** `step-rules impl.post_check`. */
  readonly key: string;
  readonly command: string;
}

/** Every command that a project's own rules would run, whether or not the rest of the file is right. */
export function commandsInRules(text: string): readonly RulesCommand[] {
  const steps = parseDocument(text, "step-rules.yaml").document?.value["steps"];
  if (typeof steps !== "object" || steps === null) return [];
  return Object.entries(steps).flatMap(([name, step]: [string, unknown]) => {
    const command = (Object(step) as { readonly post_check?: unknown }).post_check;
    return typeof command === "string" ? [{ key: `step-rules ${name}.post_check`, command }] : [];
  });
}
