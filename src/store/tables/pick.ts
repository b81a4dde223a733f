// Picks the fields of a value that a row keeps as JSON.

export function pick<T, K extends keyof T>(value: T, keys: readonly K[]): Pick<T, K> {
  const picked: Partial<T> = {};
  for (const key of keys) if (value[key] !== undefined) picked[key] = value[key];
  return picked as Pick<T, K>;
}
