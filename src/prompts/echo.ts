// Echoes: finds what an answer only repeats of its prompt, and leaves it out. Examples stand in prompts ("Reply with STATUS: done"),
// so an agent that prints its prompt again would say what it was asked to say. What counts as an echo:
//
// - E1 Only what the workflow and its role files wrote makes an echo. The values in a prompt (a path, a branch, an issue of the last
//   review) may be repeated.
// - E2 A line that was asked for counts: `STATUS: done` alone stands in every prompt. Such a line is an echo only together with prose
//   of the prompt beside it, or with an example that was left as it is (`CHANGES: what you changed, and in which files`).
// - E3 Words are compared, not lines: an echo may be quoted, indented, or wrapped anew.

import { readKeyLine } from "./keyline.ts";
import { cleanText } from "./plaintext.ts";

/** What an agent was told. */
export interface Told {
  readonly text: string;
  /** What of it the workflow and the role files wrote, with its placeholders. */
  readonly written: string;
}

interface Own {
  /** The answer without its echoes. */
  readonly text: string;
  /** It has an echo, or half of its words stand in the prompt in the same order: more than a quotation. */
  readonly repeats: boolean;
}

/** How a word of a prompt counts: `none` is a value, a key, or a short line that an honest answer may share. */
type Weight = "none" | "short" | "prose";

interface Word {
  readonly text: string;
  readonly line: number;
  /** It begins a key line. */
  readonly isKey: boolean;
}

/** Shorter runs are shared by chance. */
const seedLength = 4;
const proseAfterKey = 4;
const proseWithKey = 20;
const proseWithoutKey = 40;
/** How many words a value has that is an example rather than the answer itself. */
const exampleWords = 4;
const maxPlaces = 16;
/** Keeps the work bounded whatever was printed; what comes after it counts as the agent's own. */
const maxSteps = 5_000_000;

export function withoutEcho(answer: string, told: Told): Own {
  const whole = { text: answer, repeats: false };
  const lines = cleanText(answer).text.split("\n");
  const said = wordsOf(lines);
  const prompt = said.length < seedLength ? [] : wordsOf(cleanText(told.text).text.split("\n"));
  const runs = runsIn(said, prompt);
  if (runs.length === 0) return whole;
  const weights = weightsOf(told);
  const repeated = runs.filter((run) => isEcho(run, said, prompt, weights));
  const shared = runs.reduce((sum, { length }) => sum + length, 0);
  if (repeated.length === 0) return { ...whole, repeats: 2 * shared >= said.length };
  const left = new Map<number, number>();
  for (const { line } of said) left.set(line, (left.get(line) ?? 0) + 1);
  for (const { from, length } of repeated)
    for (const { line } of said.slice(from, from + length)) left.set(line, (left.get(line) ?? 0) - 1);
  return { text: lines.filter((_, line) => left.get(line) !== 0).join("\n"), repeats: true };
}

/** A value that was given by itself, by a tool: an example that was left as it is says nothing. */
export function isExample(value: string, told: Told): boolean {
  const said = wordsOf(cleanText(value).text.split("\n"));
  if (said.length < exampleWords) return false;
  const run = runsIn(said, wordsOf(cleanText(told.text).text.split("\n"))).at(0);
  return run?.length === said.length && count(weightsOf(told), run.at, run.length, "prose") >= exampleWords;
}

interface Run {
  /** Where it begins in the answer, and where in the prompt. */
  readonly from: number;
  readonly at: number;
  readonly length: number;
}

/** The longest runs of words that stand in the prompt, one after the other. */
function runsIn(said: readonly Word[], prompt: readonly Word[]): readonly Run[] {
  const places = placesOf(prompt);
  const runs: Run[] = [];
  let steps = 0;
  for (let from = 0; from + seedLength <= said.length && steps < maxSteps; ) {
    let best: Run | null = null;
    for (const at of places.get(seedAt(said, from)) ?? []) {
      let length = seedLength;
      while (said[from + length] !== undefined && said[from + length]?.text === prompt[at + length]?.text) length++;
      steps += length;
      if (length > (best?.length ?? 0)) best = { from, at, length };
    }
    if (best) runs.push(best);
    from += best?.length ?? 1;
  }
  return runs;
}

function isEcho(
  { from, at, length }: Run,
  said: readonly Word[],
  prompt: readonly Word[],
  weights: readonly Weight[],
): boolean {
  const prose = count(weights, at, length, "prose");
  if (length >= 0.9 * weights.length || prose >= proseWithoutKey) return true;
  const words = said.slice(from, from + length);
  const key = words.findIndex(({ isKey }) => isKey);
  if (key < 0) return false;
  if (prose >= proseWithKey) return true;
  // A line that the prompt asks for in the middle of a sentence ("output STATUS: skipped, nothing to do") is no example.
  const line = words[key]?.line;
  const isExampleLine = prompt[at + key]?.isKey === true;
  const rest = isExampleLine ? key : words.findIndex((word, index) => index > key && word.line !== line);
  if (rest < 0) return false;
  if (length === said.length && prose + count(weights, at, length, "short") > 0) return true;
  return count(weights, at + rest, length - rest, "prose") >= proseAfterKey;
}

function count(weights: readonly Weight[], at: number, length: number, weight: Weight): number {
  return weights.slice(at, at + length).filter((each) => each === weight).length;
}

function placesOf(words: readonly Word[]): ReadonlyMap<string, readonly number[]> {
  const places = new Map<string, number[]>();
  for (let at = 0; at + seedLength <= words.length; at++) {
    const seed = seedAt(words, at);
    const known = places.get(seed);
    if (known === undefined) places.set(seed, [at]);
    else if (known.length < maxPlaces) known.push(at);
  }
  return places;
}

function seedAt(words: readonly Word[], at: number): string {
  return words
    .slice(at, at + seedLength)
    .map(({ text }) => text)
    .join(" ");
}

function wordsOf(lines: readonly string[]): readonly Word[] {
  return lines.flatMap((raw, line) => {
    const isKey = readKeyLine(raw)?.upper === true;
    return foldWords(raw).map((text, at): Word => ({ text, line, isKey: isKey && at === 0 }));
  });
}

/** One for each word of the prompt. */
function weightsOf({ text, written }: Told): readonly Weight[] {
  const counting = writtenLines(written);
  return cleanText(text)
    .text.split("\n")
    .flatMap((line) => {
      const isKey = readKeyLine(line)?.upper === true;
      const words = foldWords(line);
      const weight = counting.has(words.join(" ")) ? weightOf(line, isKey, words.length) : "none";
      return words.map((_, at) => (isKey && at === 0 ? "none" : weight));
    });
}

function weightOf(line: string, isKey: boolean, words: number): Weight {
  const isData = isKey || /^\s*["[{\]}]/.test(line);
  if (words - (isData ? 1 : 0) >= exampleWords) return "prose";
  return isData ? "none" : "short";
}

/** Lines that have no placeholder: with one, a line has a value in it. */
function writtenLines(written: string): ReadonlySet<string> {
  const lines = cleanText(written).text.split("\n");
  return new Set(lines.filter((line) => !line.includes("{{")).map((line) => foldWords(line).join(" ")));
}

/** Words as they are compared: without marks, quotes and bullets around them. */
function foldWords(line: string): readonly string[] {
  return line
    .toLowerCase()
    .split(/\s+/)
    .map((word) => word.replace(/^[^\p{L}\p{N}/]+|[^\p{L}\p{N}/]+$/gu, ""))
    .filter((word) => word !== "");
}
