// A result file in JSON: parsed strictly, and judged by a reader whose pass nothing in the file may speak against.

import { AppError } from "../../../domain/error.ts";
import { openJson } from "../../files/json-places.ts";
import { type Allowance, type Objection, objectionsIn, verdictKeys } from "./against.ts";
import { keyMeaning } from "./keys.ts";
import {
  isNested,
  isObject,
  isTop,
  type Place,
  placesIn,
  pointerTo,
  type ResultObject,
  repeatedKey,
} from "./places.ts";
import { type ResultReading, reading } from "./reading.ts";
import { type Tone, toneOf } from "./words.ts";

/** Reads a file whose content is one JSON object, or tells why nobody can. */
export function readJsonResult(
  text: string,
  judge: (document: ResultObject) => ResultReading,
  allowed: Allowance = {},
): ResultReading {
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
  const blank = placesIn(document).find(isUnfilled);
  if (blank !== undefined) return reading("unknown", "it is a template that nobody filled in", [blank.pointer]);
  const found = judge(document);
  return found.verdict === "proceed" ? unlessContradicted(found, document, allowed) : found;
}

/** No reader goes on over something that speaks against it, wherever the file says so. */
function unlessContradicted(found: ResultReading, document: ResultObject, allowed: Allowance): ResultReading {
  const [against] = objectionsIn(document, allowed);
  if (against === undefined) return found;
  const sentence = `it contradicts itself: ${found.why}, but ${against.why} in ${against.pointer}`;
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

/** Statements that something failed: parts, numbers and lists. */
export function failedParts(document: ResultObject): readonly Objection[] {
  return objectionsIn(document, { findings: true }).filter(({ key }) => {
    const { trouble, isEnd } = keyMeaning(key);
    return isEnd || trouble === "failed" || trouble === "grave";
  });
}

/** Findings that are critical, at any depth, and counts of them. */
export function criticals(document: ResultObject): readonly Objection[] {
  return objectionsIn(document, { findings: true }).filter(({ isGrave }) => isGrave);
}

export function gapsOf({ value, pointer }: Place): readonly Place[] {
  if (!Array.isArray(value)) return [];
  return value.map((gap: unknown, index) => ({ key: "gaps", value: gap, pointer: `${pointer}/${index}` }));
}

/** Every list of gaps in the file: at the top, and in its parts. */
export function gapLists(document: ResultObject): readonly Place[] {
  return placesIn(document).filter(({ key, value, owner }) => key === "gaps" && owner !== null && value !== null);
}

/** At the top a placeholder for anything; in a part, where prose may look like one, for how it ended. */
function isUnfilled(place: Place): boolean {
  const { isEnd, isSeverity } = keyMeaning(place.key);
  return (isTop(place) || isEnd || isSeverity) && isBlank(place.value);
}

/** A placeholder as templates of these files have them: `{status}`, `<verdict>`, `{{ phase }}`. */
function isBlank(value: unknown): boolean {
  return typeof value === "string" && /^(?:\{[^{}]*\}|\{\{[^{}]*\}\}|<[^<>]*>)$/.test(value.trim());
}
