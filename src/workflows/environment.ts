// Variables for agents. Owns: `workspace.env` as it is written: which names and which placeholders may stand there.

import type { Path } from "./problem.ts";
import { type Reading, refuse } from "./reading.ts";
import { foreignIn } from "./templates.ts";

/** What a value may name: facts of ours, and nothing that an agent or a person wrote. */
const known = ["slot", "story", "run"];

/** Why a variable cannot be set like this; null: it can. */
export function wrongVariable(name: string, value: string): string | null {
  if (!/^[A-Za-z_][A-Za-z0-9_]{0,127}$/.test(name)) return `"${name}" is not the name of a variable`;
  if (/^PAWL_/i.test(name)) return `${name}: variables that begin with PAWL_ are set by Pawl itself`;
  if (value.includes("\0")) return `${name}: a value cannot contain a null character`;
  const foreign = foreignIn(value, known);
  return foreign
    ? `${name}: ${foreign.text} is not known here; ${known.map((key) => `{{${key}}}`).join(", ")} are`
    : null;
}

export function readEnvironment(
  reading: Reading,
  written: Readonly<Record<string, string | number | boolean>>,
  path: Path,
): Readonly<Record<string, string>> {
  const entries = Object.entries(written).map(([name, value]) => [name, String(value)] as const);
  for (const [name, value] of entries) {
    const wrong = wrongVariable(name, value);
    if (wrong === null) continue;
    refuse(reading, [...path, name], {
      message: `\`${path.join(".")}\`: ${wrong}`,
      expected: "a map from names of variables to texts",
      hint: 'for example `COMPOSE_PROJECT_NAME: "agent_{{slot}}"`',
    });
  }
  return Object.fromEntries(entries);
}
