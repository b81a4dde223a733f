// Validates a document's data against a schema; each mismatch is a problem at its line. Unknown keys are
// errors in our own files and warnings in antfarm's, where the rest of the file still counts.

import type * as z from "zod";
import { counted } from "../../domain/counted.ts";
import { kindOf } from "./document.ts";
import { nearest, type Path } from "./problem.ts";
import { type Finding, type Reading, refuse, warn } from "./reading.ts";
import { type JsonSchema, shapeAt } from "./shape.ts";

export interface Format<T> {
  readonly schema: z.ZodType<T>;
  /** Asked for when something is wrong, to say what was expected: making it takes longer than reading a file that is right. */
  readonly json: () => JsonSchema;
  readonly unknownKeys: "error" | "warning";
  /** Why an unknown key is an error although others are warnings; null when it is not. */
  readonly refusalOf?: (key: string, value: unknown, spelled: string) => Pick<Finding, "message" | "hint"> | null;
  /** A better hint for a key that belongs somewhere else; null when there is none. */
  readonly hintFor: (key: string, path: Path) => string | null;
}

/** The typed data; null when it has errors, which are then in the reading. */
export function validate<T>(format: Format<T>, value: unknown, reading: Reading): T | null {
  let data = value;
  for (;;) {
    const parsed = format.schema.safeParse(data);
    // The schemas change nothing, and a parsed copy would lose the author's order of keys, which gates show.
    if (parsed.success) return data as T;
    const issues = parsed.error.issues.flatMap((issue) => flatten(issue, []));
    const unknown = issues.flatMap((issue) =>
      issue.code === "unrecognized_keys" ? issue.keys.map((key) => [...issue.path, key]) : [],
    );
    const strict = format.unknownKeys === "error";
    if (strict) for (const path of unknown) refuse(reading, path, unknownKey(format, path, value, reading));
    else reportLenient(format, unknown, value, reading);
    if (strict || unknown.length === 0) {
      const seen = new Set<string>();
      for (const issue of issues) {
        const place = JSON.stringify(issue.path);
        if (issue.code === "unrecognized_keys" || seen.has(place)) continue;
        seen.add(place);
        refuse(reading, issue.path, wrongValue(format.json(), issue, value));
      }
      return null;
    }
    data = withoutAll(data, unknown);
  }
}

type Issue = z.core.$ZodIssue & { path: (string | number)[] };

/** Of a union that matched nowhere, the alternative that came closest: of the right kind, with the fewest complaints. */
function flatten(issue: z.core.$ZodIssue, above: Path): Issue[] {
  const path = [...above, ...issue.path.map((part) => (typeof part === "symbol" ? String(part) : part))];
  if (issue.code === "invalid_union") {
    const fitting = issue.errors
      .map((inner) => inner.flatMap((each) => flatten(each, path)))
      .filter((inner) => !inner.some((each) => each.path.length === path.length && each.code !== "unrecognized_keys"))
      .toSorted((left, right) => weight(left) - weight(right));
    if (fitting[0]) return fitting[0];
  }
  return [{ ...issue, path }];
}

function weight(issues: readonly Issue[]): number {
  return issues.reduce((sum, issue) => sum + (issue.code === "unrecognized_keys" ? issue.keys.length : 1), 0);
}

/** A key that is ignored does no harm, unless the file means something else with it. */
function reportLenient<T>(format: Format<T>, unknown: readonly Path[], value: unknown, reading: Reading): void {
  const harmless = unknown.filter((path) => {
    const refusal =
      format.refusalOf?.(String(path.at(-1)), lookUp(value, path), reading.document.spelled(path)) ?? null;
    if (refusal === null) return true;
    const finding = { message: stepAt(value, path) + refusal.message, expected: "no such key", hint: refusal.hint };
    refuse(reading, path, finding);
    return false;
  });
  warnOnce(format, harmless, value, reading);
}

/** A foreign file has the same unknown key in every step; said ten times it would hide what matters. */
function warnOnce<T>(format: Format<T>, unknown: readonly Path[], value: unknown, reading: Reading): void {
  const places = Map.groupBy(unknown, (path) => path.filter((part) => typeof part === "string").join("."));
  for (const [first, ...others] of places.values()) {
    if (!first) continue;
    const finding = unknownKey(format, first, value, reading);
    const more = others.length === 0 ? "" : ` (and in ${counted(others.length, "more place")})`;
    warn(reading, first, { ...finding, message: finding.message + more });
  }
}

function unknownKey<T>(format: Format<T>, path: Path, value: unknown, reading: Reading): Finding {
  const key = String(path.at(-1));
  const { keys } = shapeAt(format.json(), path.slice(0, -1));
  const meant = nearest(key, keys);
  const effect = format.unknownKeys === "warning" ? "; it has no effect" : "";
  return {
    message: `${stepAt(value, path)}unknown key \`${reading.document.spelled(path)}\`${effect}`,
    expected: keys.length > 0 ? `one of: ${keys.join(", ")}` : "no such key",
    hint: format.hintFor(key, path) ?? (meant ? `did you mean \`${meant}\`?` : "remove it"),
  };
}

function wrongValue(json: JsonSchema, issue: Issue, value: unknown): Finding {
  const field =
    issue.path
      .map(String)
      .filter((part) => !/^\d+$/.test(part))
      .at(-1) ?? "the file";
  const shape = shapeAt(json, issue.path);
  const found = lookUp(value, issue.path);
  const words = shape.expected.split(/, or |, /);
  const meant =
    nearestKey(json, issue.path) ??
    (typeof found === "string" ? (synonymIn(found, words) ?? nearest(found, words)) : null);
  const hint = meant ? `did you mean \`${meant}\`?` : (slipIn(field, found, shape.expected) ?? shape.purpose);
  return {
    message: `${stepAt(value, issue.path)}\`${field}\` ${wrongness(issue, found)}`,
    expected: issue.code === "too_small" && isEmpty(found) ? "at least one" : shape.expected,
    hint: hint || "see the schema of workflow files",
  };
}

function wrongness(issue: Issue, found: unknown): string {
  if (found === undefined) return "is missing";
  return issue.code === "too_small" && isEmpty(found) ? "is empty" : `cannot be ${kindOf(found)}`;
}

function isEmpty(value: unknown): boolean {
  return value === "" || (Array.isArray(value) && value.length === 0);
}

/** Words of other systems, with the route that has their meaning. */
const routeSynonyms: Readonly<Record<string, string>> = {
  retry: "again",
  repeat: "again",
  continue: "next",
  done: "next",
  finish: "end",
  exit: "end",
  stop: "fail",
  abort: "fail",
  human: "gate",
  ask: "gate",
  escalate: "gate",
  approval: "gate",
};

function synonymIn(found: string, words: readonly string[]): string | null {
  const meant = routeSynonyms[found.trim().toLowerCase()];
  return meant !== undefined && words.includes(meant) ? meant : null;
}

/** What an author meant whose value is of another kind; null where nothing is certain. */
function slipIn(field: string, found: unknown, expected: string): string | null {
  if (expected.includes("a list") && typeof found === "object" && found !== null && !Array.isArray(found))
    return `\`${field}\` is a list: begin each entry with \`- \`, as in \`- id: NAME\``;
  if (expected.startsWith("a text") && typeof found === "object" && found !== null && !Array.isArray(found))
    return "a text that begins with braces or has a colon needs quotes";
  const [, amount, unit] = /^(\d+)\s*(s|m|h|d)[a-z]+$/i.exec(typeof found === "string" ? found.trim() : "") ?? [];
  return amount !== undefined && unit !== undefined && expected.includes("a time")
    ? `write "${amount}${unit.toLowerCase()}"`
    : null;
}

/** Where any key may stand (`on`, `rejected`), a misspelt field looks like a word of the author's with a wrong value. */
function nearestKey(json: JsonSchema, path: Path): string | null {
  const key = path.at(-1);
  const { keys } = shapeAt(json, path.slice(0, -1));
  return typeof key === "string" && !keys.includes(key) ? nearest(key, keys) : null;
}

/** `Step 'review': `, so that a message names its step without a look at the line. */
function stepAt(value: unknown, path: Path): string {
  const at = path.findLastIndex(
    (part, index) => typeof part === "number" && (path[index - 1] === "steps" || path[index - 1] === "body"),
  );
  if (at < 0 || at === path.length - 1) return "";
  const id = lookUp(value, [...path.slice(0, at + 1), "id"]);
  return typeof id === "string" ? `Step '${id}': ` : "";
}

function lookUp(value: unknown, path: Path): unknown {
  return path.reduce<unknown>(
    (inner, part) =>
      typeof inner === "object" && inner !== null && Object.hasOwn(inner, part)
        ? inner[part as keyof typeof inner]
        : undefined,
    value,
  );
}

/** All of them in one pass: a foreign file may have thousands. */
function withoutAll(value: unknown, paths: readonly Path[]): unknown {
  if (typeof value !== "object" || value === null || paths.length === 0) return value;
  const below = Map.groupBy(paths, ([first]) => first);
  const isDropped = (key: string | number) => below.get(key)?.some((path) => path.length === 1) ?? false;
  const rest = (key: string | number) => (below.get(key) ?? []).map((path) => path.slice(1));
  if (Array.isArray(value)) return value.map((item, index) => withoutAll(item, rest(index)));
  const entries = Object.entries(value).filter(([key]) => !isDropped(key));
  return Object.fromEntries(entries.map(([key, item]) => [key, withoutAll(item, rest(key))]));
}
