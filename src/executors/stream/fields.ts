// Reads fields of what an agent printed without trusting it. A field that is missing or has another type counts as empty: an agent
// that changes its format must not end a step.

export type Fields = Readonly<Record<string, unknown>>;

const nothing: Fields = Object.freeze({ __proto__: null });

export function fieldsOf(value: unknown): Fields {
  return typeof value === "object" && value !== null ? (value as Fields) : nothing;
}

export function listOf(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : [];
}

export function textOf(value: unknown): string {
  return typeof value === "string" ? value : "";
}

/** Null for an empty text too: an empty id names nothing. */
export function nameOf(value: unknown): string | null {
  return typeof value === "string" && value !== "" ? value : null;
}

export function numberOf(value: unknown): number | null {
  return typeof value === "number" && Number.isFinite(value) ? value : null;
}

/** Tokens and the like: never negative, never a fraction. */
export function countOf(value: unknown): number {
  const number = numberOf(value);
  return number === null || number < 0 ? 0 : Math.min(Math.round(number), Number.MAX_SAFE_INTEGER);
}

/** Texts of content blocks as APIs write them: a text, or a list of `{ type: "text", text }`. */
export function contentText(value: unknown): string {
  if (typeof value === "string") return value;
  return listOf(value)
    .map((block) => textOf(fieldsOf(block)["text"]))
    .join("");
}
