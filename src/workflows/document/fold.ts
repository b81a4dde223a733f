// Reads `camelCase` keys as `snake_case` before anything is validated, and only where a key is a
// field of the format: names that an author chose (agents, context, decisions, options, files) stay as they are.

import type { Path } from "./problem.ts";

export function foldKey(key: string): string {
  return key.replace(/([a-z0-9])([A-Z])/g, (_, before: string, upper: string) => `${before}_${upper.toLowerCase()}`);
}

/** Maps whose keys are the author's own words. */
const openMaps = new Set([
  "agents",
  "files",
  "context",
  "on",
  "on_decision",
  "options",
  "env",
  "values",
  "if",
  "inputs",
  "outputs",
]);

/** `{ again, at_most: 2 }` is YAML for `{ again: null, at_most: 2 }`: here the key alone says something. */
const wordsAlone = new Set(["next", "again", "end", "fail", "gate", "stories", "integrate"]);

const routeFields = new Set(["back_to", "go_to", "at_most"]);

export interface Folded {
  readonly value: unknown;
  /** Fields that a map spells in both ways. */
  readonly twice: readonly Path[];
}

export function foldKeys(value: unknown): Folded {
  const twice: Path[] = [];
  return { value: fold(value, null, [], twice), twice };
}

function fold(value: unknown, parent: string | null, path: Path, twice: Path[]): unknown {
  if (Array.isArray(value)) return value.map((item, index) => fold(item, null, [...path, index], twice));
  if (typeof value !== "object" || value === null) return value;
  const open = parent !== null && openMaps.has(parent);
  const entries = new Map<string, unknown>();
  for (const [written, item] of Object.entries(value)) {
    const key = open ? written : foldField(written, parent);
    // An empty value means "not given", except where the key alone is the statement or the author's own word.
    if (item === null && !open && parent !== "rejected" && !wordsAlone.has(key)) continue;
    if (entries.has(key)) twice.push([...path, written]);
    const inner = open ? (byReason(parent, key) ? "rejected" : null) : key;
    entries.set(key, fold(item, inner, [...path, key], twice));
  }
  return Object.fromEntries(entries);
}

/** Where routes may stand by reason: under `rejected`, and under each option of a gate. */
function byReason(parent: string, key: string): boolean {
  return parent === "options" || (parent === "on" && key === "rejected");
}

/** There stand either the fields of a route or reasons, which are the author's words. */
function foldField(key: string, parent: string | null): string {
  const folded = foldKey(key);
  return parent === "rejected" && !routeFields.has(folded) ? key : folded;
}
