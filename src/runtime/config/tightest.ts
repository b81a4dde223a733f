// The tighter of two limits: a file that says nothing loosens nothing.

/** null: neither file says anything. */
export function tightest(own: number | null, theirs: number | null): number | null {
  const values = [own, theirs].filter((value) => value !== null);
  return values.length === 0 ? null : Math.min(...values);
}
