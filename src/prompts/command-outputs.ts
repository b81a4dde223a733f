// Reads the keys that a command declares from what it printed: `KEY: value` lines, or one JSON object. The rest of its output is a
// log. A value takes one line, because what a program prints next belongs to no key.

import { readKeyLine } from "./keyline.ts";
import { cleanText, cutEnd, fits } from "./plaintext.ts";

const maxValueBytes = 64 * 1024;

interface CommandOutputs {
  /** The declared keys that it printed. */
  readonly outputs: Readonly<Record<string, string>>;
  /** The declared keys that it did not print. */
  readonly missing: readonly string[];
  readonly notes: readonly string[];
}

/** `declared`: the keys in lower case. The output may spell them in any case; the last value of a key counts. */
export function readCommandOutputs(text: string, declared: readonly string[]): CommandOutputs {
  const cleaned = cleanText(text).text;
  const notes = new Set<string>();
  const values = new Map<string, string>();
  for (const [key, value] of objectIn(cleaned) ?? linesIn(cleaned)) {
    if (!declared.includes(key)) continue;
    if (values.has(key)) notes.add(`${key.toUpperCase()} was given more than once; the last one counts`);
    const isCut = !fits(value, maxValueBytes);
    if (isCut) notes.add(`${key.toUpperCase()} was cut to 64 KiB`);
    values.set(key, isCut ? cutEnd(value, maxValueBytes) : value);
  }
  return {
    outputs: Object.fromEntries(values),
    missing: declared.filter((key) => !values.has(key)),
    notes: [...notes],
  };
}

/** What is wrong and what the command has to print. */
export function missingOutputs(missing: readonly string[]): string {
  const keys = missing.map((key) => key.toUpperCase());
  const lines = keys.map((key) => `\`${key}: value\``).join(" and ");
  const [line, it] = keys.length === 1 ? ["line", "it"] : ["lines", "them"];
  return `it did not print ${keys.join(", ")}, which \`produces\` declares: print the ${line} ${lines}, or one JSON object with ${it}`;
}

type Pairs = readonly (readonly [key: string, value: string])[];

/** The whole output as one JSON object; null: it is none. A key with null has no value. */
function objectIn(text: string): Pairs | null {
  if (!text.trimStart().startsWith("{")) return null;
  const parsed = parsedJson(text);
  if (typeof parsed !== "object" || parsed === null || Array.isArray(parsed)) return null;
  return Object.entries(parsed).flatMap(([key, value]) =>
    value === null
      ? []
      : [[key.trim().toLowerCase(), typeof value === "string" ? value : JSON.stringify(value)] as const],
  );
}

function parsedJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
}

function linesIn(text: string): Pairs {
  return text.split("\n").flatMap((line) => {
    const found = readKeyLine(line);
    return found?.spaced && !found.nested ? [[found.key, found.value] as const] : [];
  });
}
