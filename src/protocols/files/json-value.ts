// Decides by one word of a JSON file: a JSON Pointer names the place, a table the words that mean each value. Spelling is read
// generously, meaning is not: what the table does not have is unknown.

import type { DecisionSource, DecisionWord } from "../../domain/definition.ts";
import { errorText } from "../../domain/error.ts";
import { unknownValue } from "../../domain/evidence.ts";
import type { DecisionRead } from "../protocol.ts";
import { readEvidence } from "./evidence.ts";
import { itemsOf, Lines, membersOf, openJson, type Span } from "./json-places.ts";

export function decideByJson(workspace: string, file: string, { at = "", words = {} }: DecisionSource): DecisionRead {
  const read = readEvidence(workspace, file);
  if (read.kind !== "text") return unknown(read.why, [read.evidence]);
  const found = placeIn(read.text, file, at);
  const evidence = [{ ...read.evidence, place: found.place }];
  if ("why" in found) return unknown(found.why, evidence);
  const { word } = found;
  const value = Object.keys(words).find((each) => words[each]?.some((meant) => isSame(meant, word)));
  const said = `${file} says ${JSON.stringify(word)}${at === "" ? "" : ` at ${at}`}`;
  if (value === undefined) return unknown(`${said}, which means none of: ${Object.keys(words).join(", ")}`, evidence);
  return { value, why: said, evidence };
}

function unknown(why: string, evidence: DecisionRead["evidence"]): DecisionRead {
  return { value: unknownValue, why, evidence };
}

type Found = { readonly place: string; readonly word: DecisionWord } | { readonly place: string; readonly why: string };

function placeIn(source: string, file: string, at: string): Found {
  const place = at === "" ? "the whole document" : at;
  try {
    const { text, root } = openJson(source, file, "");
    const span = at === "" ? root : spanAt(text, root, at);
    if (typeof span === "string") return { place, why: `${file} ${span}` };
    const where = `${place} (${new Lines(text).placeOf(span.start)})`;
    const value: unknown = JSON.parse(text.slice(span.start, span.end));
    if (isWord(value)) return { place: where, word: value };
    return {
      place: where,
      why: `${file} has ${Array.isArray(value) ? "a list" : "an object"} at ${place}, not a word`,
    };
  } catch (error) {
    return { place, why: errorText(error) };
  }
}

/** The text of the value at a JSON Pointer (RFC 6901), or why there is none. A key that occurs twice means nothing. */
function spanAt(text: string, root: Span, pointer: string): Span | string {
  let span = root;
  let way = "";
  for (const token of pointer.slice(1).split("/")) {
    const key = token.replaceAll("~1", "/").replaceAll("~0", "~");
    const inside =
      text[span.start] === "{" ? valuesOf(text, span, key) : text[span.start] === "[" ? items(text, span, key) : [];
    way += `/${token}`;
    if (inside.length > 1) return `has ${way} twice`;
    if (inside[0] === undefined) return `has nothing at ${way}`;
    span = inside[0];
  }
  return span;
}

function valuesOf(text: string, object: Span, key: string): readonly Span[] {
  return membersOf(text, object)
    .filter((member) => member.key === key)
    .map(({ value }) => value);
}

function items(text: string, array: Span, key: string): readonly Span[] {
  if (!/^(?:0|[1-9]\d{0,8})$/.test(key)) return [];
  const item = itemsOf(text, array)[Number(key)];
  return item === undefined ? [] : [item];
}

function isWord(value: unknown): value is DecisionWord {
  return value === null || typeof value === "string" || typeof value === "number" || typeof value === "boolean";
}

function isSame(meant: DecisionWord, said: DecisionWord): boolean {
  if (typeof meant !== "string" || typeof said !== "string") return meant === said;
  return meant.trim().toLowerCase() === said.trim().toLowerCase();
}
