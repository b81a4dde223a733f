// The words that executors really write, and what they mean: statuses, reasons and step names. What is in no table means nothing.

import { sessionReasons } from "../../workflows/rules/session-reasons.ts";

/** How a session says it ended. */
export type SessionStatus = "pass" | "failing" | "needs_human";

/** Why a session did not pass. A failure without one of these follows the default route. */
export const reasons = sessionReasons;

export type Reason = (typeof reasons)[number];

const statusWords: Readonly<Record<SessionStatus, readonly string[]>> = {
  pass: [
    "pass",
    "passes",
    "passed",
    "passing",
    "ok",
    "done",
    "complete",
    "completed",
    "success",
    "successful",
    "succeeded",
    "green",
  ],
  failing: ["failing", "fail", "fails", "failed", "failure", "error", "red", "incomplete", "partial"],
  needs_human: [
    "needs_human",
    "needs_a_human",
    "human",
    "human_needed",
    "needs_review",
    "needs_input",
    "blocked",
    "waiting_for_human",
  ],
};

const reasonWords: Readonly<Record<Reason, readonly string[]>> = {
  constitution_violation: ["constitution_violation", "constitution_violated", "violates_constitution"],
  needs_clarification: ["needs_clarification", "need_clarification", "clarification_needed", "unclear"],
  nfr_missing: ["nfr_missing", "missing_nfr"],
  scope_warning: ["scope_warning", "out_of_scope", "non_goal", "non_goals"],
  test_timeout: ["test_timeout", "tests_timeout", "tests_timed_out", "test_timed_out"],
};

/** By the name of the step in the table; a project's own steps have no other names. */
const stepWords: Readonly<Record<string, readonly string[]>> = {
  bdd: ["bdd-scenarios", "write-bdd"],
  "sdd-delta": ["sdd", "delta", "delta-spec", "sdd-delta-spec"],
  contract: ["api-contract", "contract-update", "api-contract-update", "contracts"],
  review: ["human-review"],
  scaffold: ["scaffolding", "test-scaffolding", "test-scaffold"],
  impl: ["implementation", "implement"],
  verify: ["verification", "quality-gate"],
  "update-memory": ["memory-update", "memory"],
  commit: ["commit-changes"],
};

/** null: the word is in no table. */
export function statusOfWord(word: string): SessionStatus | null {
  return lookUp(statusWords, underscored(word));
}

/** null: it is none of the known reasons. */
export function reasonOfWord(word: string): Reason | null {
  return lookUp(reasonWords, underscored(word));
}

/** The step that a word means. A name of the table means itself; a word that is unknown stays as it is, in lower case. */
export function stepOfWord(word: string, steps: readonly string[] = []): string {
  const dashed = word
    .trim()
    .toLowerCase()
    .replace(/[\s_]+/g, "-");
  const own = steps.find((step) => step.toLowerCase() === dashed || step === word.trim());
  if (own !== undefined) return own;
  return Object.entries(stepWords).find(([, words]) => words.includes(dashed))?.[0] ?? dashed;
}

/** A value that stands for none. */
export function isNothing(word: string): boolean {
  return ["", "~", "null", "none", "nil", "n/a", "-"].includes(word.trim().toLowerCase());
}

/** `Needs-Human`, `needs human` and `✅ needs_human.` are the same word. */
function underscored(word: string): string {
  return word
    .trim()
    .toLowerCase()
    .replace(/^[^\p{L}]+|[^\p{L}\p{N}]+$/gu, "")
    .replace(/[\s-]+/g, "_");
}

function lookUp<Key extends string>(table: Readonly<Record<Key, readonly string[]>>, word: string): Key | null {
  const keys = Object.keys(table) as Key[];
  return keys.find((key) => table[key].includes(word)) ?? null;
}
