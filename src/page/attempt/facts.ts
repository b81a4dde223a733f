// Facts of an attempt's end, as the page shows them. Facts are open: what is not known by name is shown as it is.

import type { AttemptDocument } from "../../contracts/http-documents.ts";
import { plainText } from "../../transcript/plain-text.ts";

interface CheckFact {
  readonly run: string;
  readonly passed: boolean;
}

interface TestFact {
  readonly pass: number;
  readonly fail: number;
  readonly skip: number;
}

export interface ShownFacts {
  readonly checks: readonly CheckFact[];
  readonly tests: TestFact | null;
  readonly failing: readonly string[];
  readonly files: readonly string[];
  readonly said: string;
  /** Outputs that it reported, which did not count. */
  readonly reported: Readonly<Record<string, string>>;
  readonly more: readonly { readonly name: string; readonly text: string }[];
}

const known = new Set(["checks", "tests", "failing_tests", "files", "said", "outputs"]);

export function shownFacts(facts: AttemptDocument["facts"]): ShownFacts {
  return {
    checks: listOf(facts["checks"]).filter(isCheck),
    tests: isTests(facts["tests"]) ? facts["tests"] : null,
    failing: listOf(facts["failing_tests"]).map(textOf),
    files: listOf(facts["files"]).map(textOf),
    said: facts["said"] === undefined ? "" : textOf(facts["said"]),
    reported: Object.fromEntries(
      Object.entries(fieldsOf(facts["outputs"])).map(([key, value]) => [key, textOf(value)]),
    ),
    more: Object.entries(facts)
      .filter(([name]) => !known.has(name))
      .map(([name, value]) => ({ name: plainText(name), text: textOf(value) })),
  };
}

function listOf(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : [];
}

function fieldsOf(value: unknown): Readonly<Record<string, unknown>> {
  return typeof value === "object" && value !== null ? (value as Readonly<Record<string, unknown>>) : {};
}

function textOf(value: unknown): string {
  return plainText(typeof value === "string" ? value : (JSON.stringify(value, null, 2) ?? ""));
}

function isCheck(value: unknown): value is CheckFact {
  const { run, passed } = fieldsOf(value);
  return typeof run === "string" && typeof passed === "boolean";
}

function isTests(value: unknown): value is TestFact {
  const { pass, fail, skip } = fieldsOf(value);
  return [pass, fail, skip].every((each) => typeof each === "number");
}
