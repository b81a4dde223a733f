// Reads a table of step rules: recognises it, merges a project's own rules into the bundled table, and lowers the result.

import type { Definition } from "../../domain/definition.ts";
import { parseDocument, type WorkflowDocument } from "../document/document.ts";
import { once } from "../document/once.ts";
import type { Path } from "../document/problem.ts";
import type { Reading } from "../document/reading.ts";
import { validate } from "../document/validate.ts";
import { type CheckCommands, configuredCommands } from "./checks.ts";
import { lowerRules } from "./lower-rules.ts";
import { isMap, mergeRules } from "./merge.ts";
import { rulesJsonSchema, rulesSchema } from "./rules-schema.ts";

const json = once(rulesJsonSchema);

export interface RulesOptions {
  /** The text of the table that a project's rules are merged into; absent: every table stands alone. */
  readonly base?: string | undefined;
  /** Default: what the project configures. */
  readonly commands?: CheckCommands | undefined;
  /** false: one executor performs every step, since there is one folder for all. Default: true. */
  readonly teams?: boolean | undefined;
  /** The caller knows that it is one, whatever the file looks like. */
  readonly isTable?: boolean;
}

/** By its first key, by its name, or by a map of steps of which one says where it leads. */
export function isRulesTable({ file, value }: Pick<WorkflowDocument, "file" | "value">): boolean {
  const { pawl_rules, pawl, steps } = value;
  if (pawl_rules !== undefined) return true;
  if (pawl !== undefined || Array.isArray(steps)) return false;
  const isNamed = /(?:^|[\\/])step-rules\.ya?ml$/.test(file);
  return isNamed || (isMap(steps) && Object.values(steps).some((step) => isMap(step) && "next_on_pass" in step));
}

export function standsAlone(value: Readonly<Record<string, unknown>>, { base }: Pick<RulesOptions, "base">): boolean {
  return base === undefined || value["pawl_rules"] !== undefined;
}

/** The table that holds: a file with `pawl_rules` alone, any other merged into the base. */
export function effectiveRules(
  value: Readonly<Record<string, unknown>>,
  base: string | undefined,
): Readonly<Record<string, unknown>> {
  const below = standsAlone(value, { base }) ? null : parseDocument(base ?? "", "step-rules.yml").document;
  return mergeRules(below?.value ?? {}, value);
}

export function lowerTable(
  reading: Reading,
  { base, commands = configuredCommands, teams = true }: RulesOptions = {},
): Definition | null {
  const { value } = reading.document;
  const table = effectiveRules(value, base);
  const names = isMap(table["steps"]) ? Object.keys(table["steps"]) : [];
  const hintFor = (key: string, path: Path) => {
    if (path.length === 1 && names.includes(key)) return `\`${key}\` is a step: write it below \`steps:\``;
    return hints[key] ?? null;
  };
  const file = validate({ schema: rulesSchema, json, unknownKeys: "error", hintFor }, table, reading);
  return file && lowerRules(reading, file, commands, teams);
}

/** Keys of our other format, and what is written here instead. */
const hints: Readonly<Record<string, string>> = {
  checks: "write `post_check: COMMAND`; several commands are joined with &&",
  timeout: "write `timeout_min: MINUTES`",
  input: "write `instruction: TEXT`",
  on: "write `on_fail: { default: STEP, REASON: STEP }`",
  reads: "write `claude_reads: [FILES]`",
  writes: "write `claude_writes: [FILES]`",
  gate: "write `requires_human: true`",
};
