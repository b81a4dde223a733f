// Tests of the five ways of working that say nothing about workers on a server, each with the reason.

const reasons: readonly (readonly [test: string, why: string])[] = [
  ["[B52 B64]", "it copies the home to try every answer on the same run, and the store is not in the home"],
  [
    "[C67 C79 C80 C81 C82 C110 PF2]",
    "it looks at a story after `retry` and before `resume`, and workers begin at once",
  ],
  [
    "[CM81]",
    "its agent finds the store in the home; on a server it must be given its address (docs/guides/move-a-store.md)",
  ],
  ["[DR10]", "it interrupts the process that drives; workers and disk space: test/e2e/workers.postgres.test.ts"],
];

/** Why this test is left out; null: it is not. */
export function leftOut(name: string): string | null {
  return reasons.find(([test]) => name.startsWith(test))?.[1] ?? null;
}
