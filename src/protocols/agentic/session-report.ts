// What a session reported in a file: the same for a hand-off and for an executor-result, whatever words it used.

import { type StorySize, storySizes } from "../../workflows/rules/story-size.ts";
import type { Field } from "../files/front-matter.ts";
import { isNothing, type Reason, reasonOfWord, type SessionStatus, statusOfWord, stepOfWord } from "./aliases.ts";

export interface SessionReport {
  /** Which session it says it is about; null: it does not say. */
  readonly story: string | null;
  readonly step: string | null;
  readonly attempt: number | null;
  /** null: it cannot be read, and `why` says so. It is never taken as a pass. */
  readonly status: SessionStatus | null;
  readonly reason: Reason | null;
  readonly tests: TestCounts | null;
  readonly failingTests: readonly string[];
  readonly filesChanged: readonly string[];
  readonly summary: string;
  /** What the session left open, as a question to a person. */
  readonly unresolved: string;
  /** How large the session found the story, and how many of its tasks can be worked on at once; null: it does not say. */
  readonly complexity: StorySize | null;
  readonly parallel: number | null;
  readonly source: ReportSource;
  /** What was changed, left out or not understood, for a person. */
  readonly notes: readonly string[];
  /** Why there is no status; empty: there is one. */
  readonly why: string;
}

type ReportSource = "executor_result" | "front_matter" | "free_text";

interface TestCounts {
  readonly pass: number;
  readonly fail: number;
  readonly skip: number;
}

type ReportValues = Readonly<Record<string, Field>>;

export function unreadable(source: ReportSource, why: string, body = ""): SessionReport {
  return { ...nothing, unresolved: unresolvedIn(body), source, why, notes: [why] };
}

const nothing: SessionReport = {
  story: null,
  step: null,
  attempt: null,
  status: null,
  reason: null,
  tests: null,
  failingTests: [],
  filesChanged: [],
  summary: "",
  unresolved: "",
  complexity: null,
  parallel: null,
  source: "free_text",
  notes: [],
  why: "",
};

/** Markers in a hand-off without front matter. Only capitals count: a text may well say that there is no scope warning. */
const markers: Readonly<Record<string, Reason>> = {
  "CONSTITUTION VIOLATION": "constitution_violation",
  "NEEDS CLARIFICATION": "needs_clarification",
  "SCOPE WARNING": "scope_warning",
};

/** A text alone can say why a session did not pass, and never that it did. */
export function reportOfText(body: string): SessionReport {
  const found = Object.keys(markers).find((marker) => body.includes(marker));
  const reason = found === undefined ? undefined : markers[found];
  if (reason === undefined)
    return { ...unreadable("free_text", "it has no front matter, and its text names no reason", body) };
  return { ...nothing, status: "failing", reason, unresolved: unresolvedIn(body), source: "free_text" };
}

/** `steps`: the names of the project's table. */
export function reportOfValues(
  values: ReportValues,
  source: Exclude<ReportSource, "free_text">,
  body: string,
  steps: readonly string[],
): SessionReport {
  const reading = new Reading(values);
  const stepWord = reading.word("step");
  const step = stepWord === null ? null : stepOfWord(stepWord, steps);
  if (stepWord !== null && step !== stepWord) reading.notes.push(`step "${stepWord}" is read as ${step}`);
  const about = { story: reading.word("story"), step, attempt: reading.count("attempt") };
  const tests = testsIn(reading);
  const failingTests = reading.list("failing_tests");
  const filesChanged = reading.list("files_changed");
  const [complexity, parallel] = [sizeIn(reading), reading.count("parallel")];
  const said = withReason(statusIn(reading), reading);
  return {
    ...about,
    ...said,
    tests,
    failingTests,
    filesChanged,
    summary: reading.text("summary"),
    unresolved: unresolvedIn(body),
    complexity,
    parallel,
    source,
    notes: said.why === "" ? reading.notes : [...reading.notes, said.why],
  };
}

function statusIn(reading: Reading): Pick<SessionReport, "status" | "why" | "reason"> {
  const word = reading.word("status");
  if (reading.problem !== null) return { status: null, reason: null, why: reading.problem };
  if (word === null) return { status: null, reason: null, why: "it has no status" };
  const status = statusOfWord(word);
  if (status !== null) {
    if (status !== word) reading.notes.push(`status "${shortly(word)}" is read as ${status}`);
    return { status, reason: null, why: "" };
  }
  const reason = reasonOfWord(word);
  // Some write the reason in the place of the status.
  if (reason === null)
    return { status: null, reason: null, why: `its status "${shortly(word)}" is no word of this protocol` };
  reading.notes.push(`status "${shortly(word)}" is read as failing with that reason`);
  return { status: "failing", reason, why: "" };
}

/** A reason is one against the work. A session that gives one and says pass has obeyed half of its prompt. */
function withReason(said: Pick<SessionReport, "status" | "why" | "reason">, reading: Reading): typeof said {
  const reason = said.reason ?? reasonIn(reading);
  if (said.status !== "pass" || reason === null) return { ...said, reason };
  reading.notes.push(`status pass with the reason ${reason} is read as failing with that reason`);
  return { ...said, status: "failing", reason };
}

function reasonIn(reading: Reading): Reason | null {
  const word = reading.word("reason");
  if (word === null) return null;
  const reason = reasonOfWord(word);
  if (reason === null) reading.notes.push(`reason "${shortly(word)}" is not known and counts as none`);
  return reason;
}

/** `M` or `[M]`. */
function sizeIn(reading: Reading): StorySize | null {
  const word = reading.text("complexity");
  if (word === "") return null;
  const [, letter] = /^\[?([SML])\]?$/i.exec(word) ?? [];
  const size = storySizes.find((each) => each === letter?.toUpperCase()) ?? null;
  if (size === null)
    reading.notes.push(`complexity "${shortly(word)}" is none of ${storySizes.join(", ")} and says nothing`);
  return size;
}

function testsIn(reading: Reading): TestCounts | null {
  const [pass, fail, skip] = [reading.count("tests_pass"), reading.count("tests_fail"), reading.count("tests_skip")];
  if (pass === null && fail === null && skip === null) return null;
  return { pass: pass ?? 0, fail: fail ?? 0, skip: skip ?? 0 };
}

/** Reads values and notes what it could not use. A list in the place of a word is a problem of its own. */
class Reading {
  readonly notes: string[] = [];
  readonly #values: ReportValues;
  /** Why the report as a whole cannot be read. */
  problem: string | null = null;

  constructor(values: ReportValues) {
    this.#values = values;
  }

  /** null: there is none. */
  word(key: "story" | "step" | "status" | "reason"): string | null {
    const value = this.#value(key);
    if (value === undefined) return null;
    if (value.kind === "word") return isNothing(value.text) ? null : value.text.trim();
    const why = `its ${key} is ${value.kind === "list" ? "a list" : value.what}, not a word`;
    if (key === "reason") this.notes.push(why);
    else this.problem ??= why;
    return null;
  }

  text(key: string): string {
    const value = this.#value(key);
    return value?.kind === "word" && !isNothing(value.text) ? value.text.trim() : "";
  }

  count(key: string): number | null {
    const value = this.#value(key);
    if (value === undefined || (value.kind === "word" && isNothing(value.text))) return null;
    const number = value.kind === "word" && /^\d{1,9}$/.test(value.text.trim()) ? Number(value.text) : null;
    if (number === null) {
      const why = `its ${key} is not a number`;
      if (key === "attempt") this.problem ??= why;
      else this.notes.push(why);
    }
    return number;
  }

  list(key: string): readonly string[] {
    const value = this.#value(key);
    if (value === undefined || (value.kind === "word" && isNothing(value.text))) return [];
    if (value.kind === "list") return value.items.filter((item) => !isNothing(item));
    if (value.kind === "word")
      return value.text
        .split(",")
        .map((item) => item.trim())
        .filter((item) => item !== "");
    this.notes.push(`its ${key} is not a list`);
    return [];
  }

  #value(key: string): Field | undefined {
    return Object.hasOwn(this.#values, key) ? this.#values[key] : undefined;
  }
}

/** The section of the body for what is still open. */
function unresolvedIn(body: string): string {
  const lines = body.split(/\r?\n/);
  const start = lines.findIndex((line) =>
    /^#{1,6}\s+(?:not yet resolved|unresolved|open questions?)\s*:?\s*$/i.test(line),
  );
  if (start < 0) return "";
  const rest = lines.slice(start + 1);
  const end = rest.findIndex((line) => /^#{1,6}\s/.test(line));
  return rest
    .slice(0, end < 0 ? undefined : end)
    .join("\n")
    .trim();
}

function shortly(word: string): string {
  const line = word.replace(/\s+/g, " ");
  return line.length > 80 ? `${line.slice(0, 79)}…` : line;
}
