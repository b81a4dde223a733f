// The building blocks of contracts: objects that allow no other key, lists, times. Contracts describe what Pawl prints with
// `--json`, its events, and what the library returns. Code that builds a document imports its type alone (`import type`), so that
// no ordinary command loads zod for it.

import { z } from "zod";

/**
 * The version of all contracts together. A new key or a new kind of event does not change it: readers ignore what they do not
 * know. A key that goes away, or that means something else, does.
 */
export const contractVersion = 1;

export function object<Shape extends z.ZodRawShape>(shape: Shape) {
  return z.strictObject(shape).readonly();
}

export function list<Item extends z.ZodType>(item: Item) {
  return z.array(item).readonly();
}

export const text = z.string();
/** A count, or a 1-based number. */
export const count = z.int().min(0);
export const usd = z.number();
export const texts = list(text);
export const textMap = z.record(z.string(), z.string()).readonly();
/** ISO 8601 in UTC. */
export const time = z.iso.datetime();
/** Milliseconds since 1970. Only inside events, which keep such times as they were recorded. */
export const milliseconds = z.number();
