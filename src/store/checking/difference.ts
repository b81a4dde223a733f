// Finds the first field in which two documents differ.

export interface Difference {
  /** `header.chain[2].state.status`. */
  readonly field: string;
  readonly one: unknown;
  readonly other: unknown;
}

/** null: they are the same. A key without a value and a key that is missing are the same, as in JSON. */
export function firstDifference(one: unknown, other: unknown, field: string): Difference | null {
  if (Object.is(one, other) || areSameNumber(one, other)) return null;
  if (!isObject(one) || !isObject(other) || Array.isArray(one) !== Array.isArray(other)) return { field, one, other };
  const keys = new Set([...Object.keys(one), ...Object.keys(other)]);
  for (const key of keys) {
    const found = firstDifference(one[key], other[key], Array.isArray(one) ? `${field}[${key}]` : `${field}.${key}`);
    if (found !== null) return found;
  }
  return null;
}

/** Short, and without what may be a secret: an agent reports with the token of its attempt. */
export function shownValue(field: string, value: unknown): string {
  if (field.endsWith(".token")) return "another token";
  const text = value === undefined ? "nothing" : (JSON.stringify(value) ?? "nothing");
  return text.length > mostShown ? `${text.slice(0, mostShown)}…` : text;
}

const mostShown = 60;

/** Costs are sums that the database and the engine add up in different orders. */
function areSameNumber(one: unknown, other: unknown): boolean {
  if (typeof one !== "number" || typeof other !== "number") return false;
  if (one === other) return true;
  const isCount = Number.isInteger(one) && Number.isInteger(other);
  return !isCount && Math.abs(one - other) <= 1e-9 * Math.max(1, Math.abs(one), Math.abs(other));
}

function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === "object" && value !== null;
}
