// A result file in JSON: parsed strictly, and searched for the statements that readers judge, at any depth.

import { AppError } from "../../../domain/error.ts";
import { itemsOf, membersOf, openJson, type Span } from "../../files/json-places.ts";
import { type ResultReading, reading } from "./reading.ts";
import { isCritical, isMild, type Tone, toneOf } from "./words.ts";

export type ResultObject = Readonly<Record<string, unknown>>;

/** A value in the file and its JSON Pointer. */
export interface Place {
  readonly key: string;
  readonly value: unknown;
  readonly pointer: string;
}

/** The keys that say how the whole of something ended. */
const verdictKeys = ["passed", "status", "verdict", "result", "overall_status"] as const;
/** The keys that say it of a part. `verified` and `pass` are words of parts alone. */
const partKeys = new Set<string>([...verdictKeys, "pass", "verified", "outcome"]);
/** Numbers and lists that must be zero or empty where everything is well. */
const troubleKeys = new Set([
  "failed",
  "failures",
  "blockers",
  "must_have_failures",
  "constraint_violations",
  "failed_tests",
]);

/** Reads a file whose content is one JSON object, or tells why nobody can. */
export function readJsonResult(text: string, judge: (document: ResultObject) => ResultReading): ResultReading {
  if (text.trim() === "") return reading("unknown", "the file is empty");
  let document: unknown;
  let twice: string | null;
  try {
    const json = openJson(text, "the file", "");
    document = json.value;
    twice = repeatedKey(json.text, json.root);
  } catch (error) {
    if (!(error instanceof AppError)) throw error;
    return reading("unknown", error.message.replace(/^the file:/, "line "));
  }
  if (!isObject(document)) return reading("unknown", "the file is not a JSON object");
  if (twice !== null) return reading("unknown", "a key is there twice, and only one of them can be meant", [twice]);
  const blank = Object.keys(document).find((key) => isBlank(document[key]));
  if (blank !== undefined) return reading("unknown", "it is a template that nobody filled in", [pointerTo("", blank)]);
  const found = judge(document);
  return found.verdict === "proceed" ? unlessContradicted(found, document) : found;
}

/** No reader goes on over a part that failed, a gap that may not stay open, or something critical, wherever the file says so. */
function unlessContradicted(found: ResultReading, document: ResultObject): ResultReading {
  const [against] = [...failedParts(document), ...graveGaps(document), ...criticals(document)];
  if (against === undefined) return found;
  const sentence = `it contradicts itself: ${found.why}, but see ${against.pointer}`;
  return reading("unknown", sentence, [...found.places.slice(0, 1), against.pointer]);
}

/** The statements about the whole: words at the top of the file. */
export function topWords(document: ResultObject): readonly (Place & { readonly tone: Tone })[] {
  return verdictKeys
    .filter(
      (key) =>
        key in document && document[key] !== null && typeof document[key] !== "number" && !isNested(document[key]),
    )
    .map((key) => ({ key, value: document[key], pointer: pointerTo("", key), tone: toneOf(document[key]) }));
}

/** Statements below the top that something failed. A file that passed and has one contradicts itself. */
export function failedParts(document: ResultObject): readonly Place[] {
  return placesIn(document).filter(({ key, value, pointer }) => {
    if (troubleKeys.has(key)) return typeof value === "number" ? value > 0 : Array.isArray(value) && value.length > 0;
    return pointer.lastIndexOf("/") > 0 && partKeys.has(key) && toneOf(value) === "fail";
  });
}

/** Findings that are critical, at any depth, and counts of them. */
export function criticals(document: ResultObject): readonly Place[] {
  return placesIn(document).filter(
    ({ key, value }) =>
      (key === "severity" && isCritical(value)) || (key === "critical" && typeof value === "number" && value > 0),
  );
}

/** Gaps that are more than medium, or do not tell. */
function graveGaps(document: ResultObject): readonly Place[] {
  return gapLists(document)
    .flatMap(gapsOf)
    .filter(({ value }) => !(isObject(value) && isMild(value["severity"])));
}

export function gapsOf({ value, pointer }: Place): readonly Place[] {
  if (!Array.isArray(value)) return [];
  return value.map((gap: unknown, index) => ({ key: "gaps", value: gap, pointer: `${pointer}/${index}` }));
}

/** Every list of gaps in the file: at the top, and in its parts. */
export function gapLists(document: ResultObject): readonly Place[] {
  return placesIn(document).filter(({ key, value }) => key === "gaps" && value !== null);
}

export function isObject(value: unknown): value is ResultObject {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** Every member of every object. No recursion: a file may be nested as deep as it likes. */
function placesIn(document: unknown): readonly Place[] {
  const found: Place[] = [];
  const open: { readonly value: unknown; readonly pointer: string }[] = [{ value: document, pointer: "" }];
  for (let at = 0; at < open.length; at += 1) {
    const { value, pointer } = open[at] ?? { value: null, pointer: "" };
    if (Array.isArray(value)) {
      value.forEach((item, index) => void open.push({ value: item, pointer: `${pointer}/${index}` }));
    } else if (isObject(value)) {
      for (const [key, item] of Object.entries(value)) {
        const place = pointerTo(pointer, key);
        found.push({ key, value: item, pointer: place });
        if (isNested(item)) open.push({ value: item, pointer: place });
      }
    }
  }
  return found;
}

function isNested(value: unknown): boolean {
  return typeof value === "object" && value !== null;
}

/** A placeholder as templates of these files have them: `{status}`, `<verdict>`, `{{ phase }}`. */
function isBlank(value: unknown): boolean {
  return typeof value === "string" && /^(?:\{[^{}]*\}|\{\{[^{}]*\}\}|<[^<>]*>)$/.test(value.trim());
}

/** The pointer of a key that its object has twice, where a later one would silently win. */
function repeatedKey(text: string, root: Span): string | null {
  const open: { readonly span: Span; readonly pointer: string }[] = [{ span: root, pointer: "" }];
  for (let next = open.pop(); next !== undefined; next = open.pop()) {
    const { span, pointer } = next;
    if (text[span.start] === "{") {
      const seen = new Set<string>();
      for (const { key, value } of membersOf(text, span)) {
        if (seen.has(key)) return pointerTo(pointer, key);
        seen.add(key);
        open.push({ span: value, pointer: pointerTo(pointer, key) });
      }
    } else if (text[span.start] === "[") {
      itemsOf(text, span).forEach((item, index) => void open.push({ span: item, pointer: `${pointer}/${index}` }));
    }
  }
  return null;
}

function pointerTo(parent: string, key: string): string {
  return `${parent}/${key.replaceAll("~", "~0").replaceAll("/", "~1")}`;
}
