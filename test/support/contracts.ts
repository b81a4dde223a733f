// Contracts in tests. Every document that a test reads from the command line must fit the contract of its command, strictly.

import { expect } from "vitest";
import { type Contract, contracts } from "../../src/contracts/contracts.ts";
import { eventContract } from "../../src/contracts/events.ts";

/** A command may have several: `run` prints a status, or only that it recorded a run. */
export function expectDocument(args: readonly string[], document: unknown): void {
  const candidates = [...contractsOf(args), contracts["error"] as Contract];
  const problems = candidates.map(({ schema }) => schema.safeParse(document).error?.message ?? null);
  if (problems.includes(null)) return;
  expect({ command: args.slice(0, 2).join(" "), document, problems }).toBe("a document that fits its contract");
}

export function expectEvent(document: unknown): void {
  const { error } = eventContract.safeParse(document);
  if (error) expect({ document, problem: error.message }).toBe("an event that fits its contract");
}

function contractsOf(args: readonly string[]): readonly Contract[] {
  const words = args[0] === "--store" ? args.slice(2) : args;
  return Object.values(contracts).filter(({ commands }) =>
    commands.some((command) => {
      const path = command.split(" ").filter((word) => /^[a-z]/.test(word));
      return path.every((word, index) => words[index] === word);
    }),
  );
}
