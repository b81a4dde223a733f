// The members of a JSON document with their places, and what can be told of a document without knowing what it is about.

import { itemsOf, membersOf, type Span } from "../../files/json-places.ts";

export type ResultObject = Readonly<Record<string, unknown>>;

/** A value in the file and its JSON Pointer. */
export interface Place {
  /** An entry of a list has the key of its list. */
  readonly key: string;
  readonly value: unknown;
  readonly pointer: string;
}

export interface OwnedPlace extends Place {
  /** The object that has it; an entry of a list has none. */
  readonly owner: ResultObject | null;
  /** The key of that object. */
  readonly ownerKey: string;
}

export function isObject(value: unknown): value is ResultObject {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** Every member of every object, and every entry of every list. No recursion: a file may be nested as deep as it likes. */
export function placesIn(document: unknown): readonly OwnedPlace[] {
  const found: OwnedPlace[] = [];
  const open: Place[] = [{ key: "", value: document, pointer: "" }];
  for (let at = 0; at < open.length; at += 1) {
    const { key: ownerKey, value, pointer } = open[at] ?? { key: "", value: null, pointer: "" };
    const isList = Array.isArray(value);
    const members: readonly (readonly [string, unknown])[] = isObject(value)
      ? Object.entries(value)
      : isList
        ? value.map((item: unknown, index) => [String(index), item] as const)
        : [];
    for (const [name, item] of members) {
      const key = isList ? ownerKey : name;
      const place = { key, value: item, pointer: pointerTo(pointer, name) };
      found.push({ ...place, owner: isObject(value) ? value : null, ownerKey });
      if (isNested(item)) open.push(place);
    }
  }
  return found;
}

export function isTop({ pointer }: Place): boolean {
  return pointer.lastIndexOf("/") === 0;
}

export function isNested(value: unknown): boolean {
  return typeof value === "object" && value !== null;
}

/** The pointer of a key that its object has twice, where a later one would silently win. */
export function repeatedKey(text: string, root: Span): string | null {
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

export function pointerTo(parent: string, key: string): string {
  return `${parent}/${key.replaceAll("~", "~0").replaceAll("/", "~1")}`;
}
