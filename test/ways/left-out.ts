// Tests of the five ways of working that say nothing about workers on a server, each with the reason.

const reasons: readonly (readonly [test: string, why: string])[] = [
  [
    "[SC1 SC2 SC3 SC4 SC5 SC6]",
    "the workers end the retried run before `prd run` is called, which then begins another one",
  ],
  ["[B52 B64]", "it copies the home to try every answer on the same run, and the store is not in the home"],
  [
    "[C67 C79 C80 C81 C82 C110 PF2]",
    "it looks at a story after `retry` and before `resume`, and workers begin at once",
  ],
  ["[C106 DR7 PF8 CM8]", "it interrupts the command that drives; here Ctrl-C leaves the run to the workers"],
  ["[DR10]", "it interrupts the process that drives; workers and disk space: test/e2e/workers.postgres.test.ts"],
  ["[AG26 D1 D2 D14]", "the workers go on after `approve`, and `continue` only says that the project is at work"],
  [
    "[TM6 D98 PT4]",
    "the workers take the step over before `continue` looks, which only says that the project is at work",
  ],
];

/** Why this test is left out; null: it is not. */
export function leftOut(name: string): string | null {
  return reasons.find(([test]) => name.startsWith(test))?.[1] ?? null;
}
