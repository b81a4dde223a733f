// Reads what an agent printed, or gave by a tool, as a verdict, or as the reason why there is none. Unknown is never a
// pass. Which outputs reach the context and where a verdict leads is decided elsewhere.

import type { Verdict } from "../domain/attempt.ts";
import type { PerformedWork } from "../domain/definition.ts";
import type { CompletedReport, UnfinishedReport } from "../domain/report.ts";
import { anyOtherValue, decidedValues } from "../domain/route.ts";
import { isExample, type Told, withoutEcho } from "./echo.ts";
import { type Expectation, expectationOf } from "./expectation.ts";
import { lastOfEach, type PrintedKey, readEntries } from "./output.ts";
import { asIdentifier, cleanText, cutBeginning, cutEnd, flatten, foldWord } from "./plaintext.ts";
import { contradicts, denialIn, meaningOf, type StatusMeaning } from "./status.ts";
import { readStories } from "./stories.ts";
import { hasSummary, labelSummary, readSummary } from "./summary.ts";

const maxFeedbackBytes = 16 * 1024;
const maxWhyBytes = 4 * 1024;
const maxReasonLength = 200;
/** As much as of a printed value. */
const maxGivenBytes = 64 * 1024;
const keyPattern = /^[a-z_][a-z0-9_]{0,63}$/;
const nothingTold: Told = { text: "", written: "" };
const feedbackKeys = ["issues", "review_issues", "failures", "feedback", "problems"];

/**
 * `known`: keys that the workflow speaks of; they are read in more forms than the others. `told`: what the agent was told, where that
 * is known; what only repeats it does not count.
 */
export function readReport(
  step: PerformedWork,
  answer: string,
  known: readonly string[],
  told: Told = nothingTold,
): CompletedReport | UnfinishedReport {
  const allKnown = knownTo(step, known);
  const { text, repeats } = withoutEcho(answer, told);
  const labelled = step.summary ? labelSummary(text) : text;
  const reading = readingOf(step, text, readEntries(labelled, allKnown, step.decide), allKnown, repeats);
  return withSummary(
    step,
    text,
    report(reading, () => readStories(text)),
  );
}

/** What an agent gives one by one, by a tool, instead of printing it. */
export interface Given {
  /** The value of the deciding key where the step has one, else the word of a STATUS line. */
  readonly outcome?: string | undefined;
  readonly reason?: string | undefined;
  readonly summary?: string | undefined;
  readonly outputs?: Readonly<Record<string, unknown>> | undefined;
  /** An array, or its JSON. */
  readonly stories?: unknown;
}

/** Nothing has to be found in a text; what it means is judged as what is printed. */
export function readGiven(
  step: PerformedWork,
  given: Given,
  known: readonly string[],
  told: Told = nothingTold,
): CompletedReport | UnfinishedReport {
  const notes = new Set<string>();
  const entries = entriesOf(step, given, notes).filter(({ key, value }) => {
    if (key === step.decide || !isExample(value, told)) return true;
    notes.add(`${key.toUpperCase()} was left out: it repeats the prompt`);
    return false;
  });
  const lines = entries.flatMap(({ key, value }) => (key === "summary" ? [] : [`${key.toUpperCase()}: ${value}`]));
  const text = [given.summary ?? "", ...lines].join("\n");
  const reading = readingOf(step, text, { entries, notes: [...notes], aside: null }, knownTo(step, known), false);
  const { stories } = given;
  const json = typeof stories === "string" ? stories : JSON.stringify(stories ?? null);
  const isPlan = stories !== undefined && stories !== null;
  const read = report(reading, () => (isPlan ? readStories(`STORIES_JSON: ${json}`) : { kind: "none" }));
  return withSummary(step, `SUMMARY:\n${given.summary ?? ""}`, read);
}

/** Where a step ends with a summary, its steps after it get that; the rest of its prose sets no keys. */
function withSummary(
  step: PerformedWork,
  text: string,
  said: CompletedReport | UnfinishedReport,
): CompletedReport | UnfinishedReport {
  if (!step.summary || said.outcome !== "completed") return said;
  const { summary, note } = readSummary(text);
  const isDeclared = ([key]: readonly [string, string]) => key === step.decide || step.produces?.includes(key);
  const outputs = Object.fromEntries(Object.entries(said.outputs).filter(isDeclared));
  const feedback = said.verdict.kind === "passed" ? "" : said.feedback;
  return { ...said, outputs, feedback, summary, notes: note === null ? said.notes : [...said.notes, note] };
}

function report(reading: Reading, readPlan: () => ReturnType<typeof readStories>): CompletedReport | UnfinishedReport {
  const judgement = judge(reading);
  if (judgement.kind === "failed") return unfinished("failed", judgement.why, reading);
  if (judgement.kind === "unreadable") return unfinished("invalid_output", judgement.why, reading);

  const planned = readPlan();
  if (planned.kind === "invalid") return unfinished("invalid_output", planned.problem, reading);
  const decidesByStatus = reading.step.decide === "status";
  const outputs = [...reading.values].filter(([key]) => key !== "status" || decidesByStatus);
  return {
    outcome: "completed",
    verdict: judgement.verdict,
    outputs: Object.fromEntries(outputs),
    stories: planned.kind === "stories" ? planned.stories : null,
    feedback: feedbackOf(reading),
    notes: [...reading.notes, ...(planned.kind === "stories" ? planned.notes : [])],
  };
}

interface Reading {
  readonly step: PerformedWork;
  readonly text: string;
  readonly entries: readonly PrintedKey[];
  readonly values: ReadonlyMap<string, string>;
  readonly expected: Expectation | null;
  /** A STATUS in prose behind all others that says no. */
  readonly aside: string | null;
  /** Much of it only repeats the prompt. */
  readonly repeats: boolean;
  /** Grows while the output is judged. */
  readonly notes: string[];
}

type Judgement =
  | { readonly kind: "verdict"; readonly verdict: Verdict }
  | { readonly kind: "failed"; readonly why: string }
  | { readonly kind: "unreadable"; readonly why: string };

function knownTo(step: PerformedWork, known: readonly string[]): readonly string[] {
  return [...known, ...(step.produces ?? []), ...(step.summary ? ["summary"] : [])];
}

function readingOf(
  step: PerformedWork,
  raw: string,
  found: ReturnType<typeof readEntries>,
  known: readonly string[],
  repeats: boolean,
): Reading {
  const read = lastOfEach(found, known);
  const text = cleanText(raw).text.trim();
  const expected = expectationOf(step.expects);
  const { entries, aside } = found;
  return { step, text, entries, aside, values: read.values, expected, repeats, notes: [...read.notes] };
}

/** As they would have been printed: the outputs, what is said of them, and last the verdict. */
function entriesOf(step: PerformedWork, given: Given, notes: Set<string>): readonly PrintedKey[] {
  // A summary that says no is a verdict as well: it contradicts an outcome that says yes.
  const said = readEntries(given.summary ?? "", [], null).entries;
  const entries = said.filter(
    ({ key, value, fenced }) => key === "status" && !fenced && (meaningOf(value) ?? denialIn(value)) !== null,
  );
  const add = (key: string, given: unknown) => {
    const value = valueOf(given);
    const cut = cutEnd(value, maxGivenBytes);
    if (cut !== value) notes.add(`${key.toUpperCase()} was cut to 64 KiB`);
    entries.push({ key, value: cut, fenced: false });
  };
  for (const [name, value] of Object.entries(given.outputs ?? {})) {
    const key = asIdentifier(name.trim()).toLowerCase();
    if (!keyPattern.test(key) || key === "__proto__") notes.add(`left out ${shortly(name)}: it is not a key`);
    else if (value !== null && value !== undefined) add(key, value);
  }
  const isGiven = (key: string) => entries.some((entry) => entry.key === key);
  const { outcome, reason = "", summary = "" } = given;
  const keepsSummary = step.produces === null || step.produces.includes("summary");
  if (summary !== "" && keepsSummary && !isGiven("summary")) add("summary", summary);
  if (reason !== "") add("reason", reason);
  if (outcome === undefined) return entries;
  // A rejection by tool has its reasons in `summary`.
  if (meaningOf(outcome) === "rejected" && !feedbackKeys.some(isGiven)) add("issues", summary);
  if (step.decide !== null && step.decide !== "status" && !isGiven("status")) add("status", "done");
  add(step.decide ?? "status", outcome);
  return entries;
}

function valueOf(given: unknown): string {
  return cleanText(typeof given === "string" ? given : JSON.stringify(given)).text.trim();
}

function judge(reading: Reading): Judgement {
  const { step, text, expected } = reading;
  // A command that printed nothing has still ended well; an agent that printed nothing has said nothing.
  if (!/[\p{L}\p{N}]/u.test(text) && step.kind === "agent") {
    const nothing = reading.repeats ? "the output only repeats the prompt" : "the output is empty";
    return unreadable(`${nothing}: ${wanted(reading)}`);
  }
  if (step.decide === "status") return decide(reading, step.decide);

  const status = statusOf(reading);
  if (status !== null && typeof status === "object") return status;
  if (status === "failed") return { kind: "failed", why: whyFailed(reading) };
  if (status === "rejected" && step.decide === null) return rejected(reading);
  const missing = expected?.missingIn(text, status === "passed" || status === "rejected") ?? [];
  if (missing.length > 0) {
    if (status === null) return unreadable(`no STATUS line: ${wanted(reading)}`);
    return unreadable(`the output does not contain ${missing.join(" and ")}, which was expected`);
  }
  if (step.decide !== null) return decide(reading, step.decide, status);
  if (status === "passed") return verdict({ kind: "passed" });
  if (expected !== null) return noted(reading, `no STATUS line; the output contains ${expected.words}`);
  if (step.summary && reading.repeats && !hasSummary(text))
    return unreadable(`beside the repeated prompt there is no SUMMARY and no STATUS line: ${wanted(reading)}`);
  if (step.summary) return verdict({ kind: "passed" });
  if (step.kind === "command") return noted(reading, "no STATUS line; the command ended well");
  return unreadable(`no STATUS line: ${wanted(reading)}`);
}

/** null: no STATUS line. */
function statusOf(reading: Reading): StatusMeaning | null | Judgement {
  const said = reading.entries
    .filter(({ key }) => key === "status")
    .map(({ value, fenced }) => {
      const isExpected = reading.expected?.acceptsStatus(value) === true || isAskedFor(value, reading);
      return { value, fenced, meaning: meaningOf(value) ?? (isExpected ? ("passed" as const) : null) };
    });
  const last = said.at(-1);
  const { aside } = reading;
  if (!last)
    return aside === null ? null : unreadable(`STATUS ${shortly(aside)} is part of a line: ${wanted(reading)}`);
  const denied = said.map((each) => ({ ...each, meaning: each.meaning ?? denialIn(each.value) }));
  if (contradicts(denied, (meaning) => meaning === "passed")) return twoVerdicts("STATUS", said);
  if (aside !== null && last.meaning === "passed") return twoVerdicts("STATUS", [...said, { value: aside }]);
  if (last.meaning === null) return unreadable(`unknown STATUS ${shortly(last.value)}: ${wanted(reading)}`);
  return last.meaning;
}

/** Where `expects` names no word of a STATUS, what the input asks for word by word is one that passes: `STATUS: skipped`. */
function isAskedFor(value: string, { step, expected }: Reading): boolean {
  if (expected === null || !expected.takesAnyStatus || foldWord(value) === "") return false;
  return flatten(step.input).includes(flatten(`STATUS: ${foldWord(value)}`)) && !denies(value);
}

/** It begins with a word that does not pass. */
function denies(value: string): boolean {
  const meaning = meaningOf(value.split(/\s/)[0] ?? "");
  return meaning === "rejected" || meaning === "failed";
}

function decide(reading: Reading, key: string, status: StatusMeaning | null = null): Judgement {
  const name = key.toUpperCase();
  const { on } = reading.step;
  const options = decidedValues(on);
  const takesAny = options.length === 0 || on[anyOtherValue] !== undefined;
  const said = reading.entries
    .filter((entry) => entry.key === key)
    .map(({ value, fenced }) => ({ value, fenced, meaning: optionOf(value, options, takesAny) }));
  const last = said.at(-1);
  if (!last) return unreadable(`Decision key '${name}' not found in step output`);
  if (contradicts(said, () => true)) return twoVerdicts(name, said);
  if (last.meaning === null) {
    const unknown = `Unknown decision value: '${cutEnd(foldWord(last.value), 200)}' for key '${name}'`;
    return unreadable(`${unknown}; expected one of: ${options.join(", ")}`);
  }
  if (last.meaning !== last.value) reading.notes.push(`read ${name} ${shortly(last.value)} as ${last.meaning}`);
  if (status === "rejected" && meaningOf(last.value) === "passed")
    return unreadable(`two verdicts: STATUS asks to try again, and ${name} is ${shortly(last.value)}; say one of both`);
  if (status === "rejected") reading.notes.push(`STATUS asks to try again, but ${name} decides`);
  if (status === null && key !== "status") reading.notes.push(`no STATUS line; ${name} decides`);
  return verdict({ kind: "value", value: last.meaning });
}

/** The word among the options that was meant; null when none was and another word does not count. */
function optionOf(value: string, options: readonly string[], takesAny: boolean): string | null {
  const word = foldWord(value);
  if (options.includes(word)) return word;
  const meant = options.find((option) => asIdentifier(option) === asIdentifier(word));
  if (meant !== undefined) return meant;
  // `<one of: a | b>` is the form that a prompt shows, not an answer.
  const isWord = word !== "" && !/[|<>{}]/.test(value);
  return takesAny && isWord ? cutEnd(word, maxReasonLength) : null;
}

function rejected({ step, values }: Reading): Judgement {
  const reasons = Object.keys(step.on).flatMap((rule) => (rule.startsWith("rejected:") ? [rule.slice(9)] : []));
  const given = foldWord((values.get("reason") ?? "").split("\n")[0] ?? "").slice(0, maxReasonLength);
  const reason = given === "" ? null : (optionOf(given, reasons, true) ?? given);
  return verdict({ kind: "rejected", reason });
}

function whyFailed({ text, values }: Reading): string {
  const said = ["error", "reason", "issues"].map((key) => values.get(key) ?? "").find((value) => value !== "");
  return said === undefined ? cutBeginning(text, maxWhyBytes) : cutEnd(said, maxWhyBytes);
}

function feedbackOf({ text, values }: Reading): string {
  const said = feedbackKeys.map((key) => values.get(key) ?? "").find((value) => value !== "");
  return said === undefined ? cutBeginning(text, maxFeedbackBytes) : cutEnd(said, maxFeedbackBytes);
}

function wanted({ step, expected }: Reading): string {
  const done = expected?.statusWord ? `STATUS: ${expected.statusWord}` : "STATUS: done";
  const others = expected?.others ?? [];
  const also = others.length === 0 ? "" : ` (and ${others.join(" and ")} somewhere in the output)`;
  const decision = step.decide === null ? "" : ` and \`${step.decide.toUpperCase()}: …\``;
  return `reply with \`${done}\`${decision} on a line of its own${also}, or with \`STATUS: retry\` and \`ISSUES: …\``;
}

function verdict(said: Verdict): Judgement {
  return { kind: "verdict", verdict: said };
}

function noted(reading: Reading, note: string): Judgement {
  reading.notes.push(note);
  return verdict({ kind: "passed" });
}

function unreadable(why: string): Judgement {
  return { kind: "unreadable", why };
}

function twoVerdicts(name: string, said: readonly { readonly value: string }[]): Judgement {
  const words = [...new Set(said.map(({ value }) => shortly(value)))].slice(-4);
  return unreadable(`two verdicts: ${name} is given as ${words.join(" and as ")}; give it once`);
}

function shortly(value: string): string {
  return value.length > 60 ? `"${value.slice(0, 60)}…"` : `"${value}"`;
}

function unfinished(outcome: "failed" | "invalid_output", why: string, { notes }: Reading): UnfinishedReport {
  return { outcome, why, retryAt: null, notes };
}
