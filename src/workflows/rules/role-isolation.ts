// What a role of a team leaves unread, so that its work stays independent of the others'.

const texts = {
  impl: "Don't read code that the other executors write now, unless it is a module that you share: you would change the same files.",
  test: "Don't read the implementation. Derive what you expect from the scenarios, the contracts and the non-functional requirements, never from the code.",
  verify:
    "Don't read intermediate work of the implementation. Judge by the scenarios, the design, the contracts, the Constitution and the results of tests.",
} as const;

/** By the words of its name: `test`, `e2e-test`, `verify`; every other role implements. */
export function isolationOf(role: string): string {
  const words = role.toLowerCase().split(/[^a-z0-9]+/);
  if (words.some((word) => word === "test" || word === "tests" || word === "tester")) return texts.test;
  return words.some((word) => word === "verify" || word === "verifier" || word === "review")
    ? texts.verify
    : texts.impl;
}
