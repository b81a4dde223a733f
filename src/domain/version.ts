// Versions of Pawl, in their order.

/** Numbers are compared as numbers. A version with a suffix is older than the one without. */
export function isNewer(version: string, than: string): boolean {
  const [a, b] = [version, than].map((text) => text.split("-"));
  const [left, right] = [a, b].map((each) => (each?.[0] ?? "").split(".").map(Number));
  for (let at = 0; at < 3; at += 1) {
    const [x, y] = [left?.[at] ?? 0, right?.[at] ?? 0];
    if (x !== y) return x > y;
  }
  return a?.[1] === undefined && b?.[1] !== undefined;
}
