// What speaks against a pass, anywhere in a file: a part that failed or was left open, something critical, a gap that may not stay,
// numbers that do not fit. A file that says so has not passed, whatever its verdict is.

import { countsTrouble, endOf, isPartOf } from "./ends.ts";
import { type KeyMeaning, keyMeaning } from "./keys.ts";
import { isNested, isObject, isTop, type OwnedPlace, placesIn, type ResultObject } from "./places.ts";
import { beginsCritical, beginsWithFailure, isCritical, isMild, plainWord } from "./words.ts";

/** What files of a kind may say although they passed. */
export interface Allowance {
  /** A review lists what it found: only what is critical, or failed, speaks against it. */
  readonly findings?: boolean;
  /** A test may be skipped with a reason. */
  readonly skipped?: boolean;
  /** Lines of a text: its words for an end are prose, unless they begin with a failure. */
  readonly prose?: boolean;
}

export interface Objection extends OwnedPlace {
  /** For people: `gap_count is 4`. */
  readonly why: string;
  readonly isGrave: boolean;
}

/** At the top of a file these are its verdict, which its reader judges. */
export const verdictKeys = ["passed", "status", "verdict", "result", "overall_status"] as const;
/** Lists without which nothing was looked at. */
const looked = new Set([
  "scenarios",
  "test_cases",
  "truths",
  "must_haves",
  "results",
  "business_rules",
  "business_tests",
  "rules",
]);
/** Longer texts are prose, which may tell of what was before. */
const shortText = 60;
const reasonKeys = ["reason", "reported", "note", "notes", "evidence", "skip_reason", "details"];

export function objectionsIn(document: ResultObject, allowed: Allowance = {}): readonly Objection[] {
  return placesIn(document).flatMap((place) => {
    const meaning = keyMeaning(place.key);
    const grave = graveIn(place, meaning);
    const why = grave ?? otherIn(place, meaning, allowed);
    return why === null ? [] : [{ ...place, why, isGrave: grave !== null }];
  });
}

/** A statement that stands alone, as a line of a text has it. */
export function objectionTo(key: string, text: string): string | null {
  const value = /^\d+$/.test(text) ? Number(text) : text;
  const place: OwnedPlace = { key, value, pointer: "/of/text", owner: {}, ownerKey: "" };
  const meaning = keyMeaning(key);
  return graveIn(place, meaning) ?? otherIn(place, meaning, { prose: true });
}

export function hasReason(result: ResultObject): boolean {
  return reasonKeys.some((key) => typeof result[key] === "string" && result[key].trim() !== "");
}

function graveIn(
  { key, value, owner }: OwnedPlace,
  { isSeverity, trouble, isDenial, isAside }: KeyMeaning,
): string | null {
  if (isSeverity && isCritical(firstWord(value))) {
    // A test of high priority that passed is good news.
    const isNews = plainWord(key) === "priority" && owner !== null && endedWell(owner);
    return isNews ? null : `${key} is ${shown(value)}`;
  }
  if (/^(?:sev|type|category|class|classification|impact|grade)$/.test(key) && isCritical(value))
    return `${key} is ${shown(value)}`;
  if (trouble === "grave" && isThere(value, true) && !isDenial) return `${key} is ${shown(value)}`;
  if (trouble === "finding" && owner === null && typeof value === "string" && beginsCritical(value))
    return `${key} has "${shown(value)}"`;
  return isAside || typeof value !== "string" || !/^\s*\[(?:critical|p0|blocker)\]/i.test(value) ? null : shown(value);
}

function otherIn(place: OwnedPlace, meaning: KeyMeaning, allowed: Allowance): string | null {
  const { key, value, owner } = place;
  const says = `${key} is ${shown(value)}`;
  const isList = owner !== null || !isNested(value);
  if (meaning.trouble !== null && isList && speaksAgainst(place, meaning, allowed)) return says;
  if (meaning.trouble === "finding" && (key === "gaps" || allowed.findings !== true)) {
    const finding = findingIn(place);
    if (finding !== null) return finding;
  }
  if (value === false && (meaning.isGood || meaning.isEnd) && !isVerdict(place)) return says;
  if (meaning.isGood && typeof value === "string" && !isVerdict(place) && isDenied(value)) return says;
  if (meaning.isDenial && meaning.trouble !== null && value === false) return says;
  if (typeof value === "string" && !meaning.isAside && !isVerdict(place) && beginsWithFailure(value)) return says;
  if (/^(?:exit|exit_?(?:code|status)|return_?code|rc)$/i.test(key) && value !== 0 && value !== "0" && value !== null)
    return says;
  if (meaning.isEnd && typeof value === "string" && !isVerdict(place) && asksForMore.test(plainWord(value)))
    return says;
  if (key === "files_reviewed" && Array.isArray(value) && value.length === 0) return `${key} is empty`;
  if (allowed.findings === true) return null;
  if (plainWord(key) === "severity" && typeof value === "string" && !isMild(firstWord(value))) return says;
  return allowed.prose === true ? null : strictlyIn(place, meaning, allowed);
}

/** A part that is to be changed is not approved. */
const asksForMore = /^(?:request_changes|changes_(?:requested|required)|needs_(?:work|changes|rework|fix\w*))$/;
/** A plain no, where nobody asked for an error or a gap. */
const plainNo = /^(?:no|nope|never|partial(?:ly)?|not_[a-z]+)$/;
/** What is well where it is false: `needs_migration`, `skipped`, `is_manual`. */
const wellIfFalse =
  /(?:^|_)(?:needs?|requires?|required|skip\w*|dry|mock\w*|simulated|manual|breaking|deprecated|optional|stale|flaky|dirty|truncated|reopened|changed|modified|interrupted|auto\w*)(?:_|$)/;

/** `approved: no` */
function isDenied(text: string): boolean {
  return /^\W*(?:no|not|false|never|否|未|不)(?![\p{L}])/iu.test(text) || endOf(text) === "bad";
}

/** What only a list of findings may say. */
function strictlyIn(place: OwnedPlace, meaning: KeyMeaning, allowed: Allowance): string | null {
  const { key, value, owner } = place;
  const says = `${key} is ${shown(value)}`;
  if (meaning.isGood && Number(value) === 0 && (typeof value === "number" || value === "0")) return says;
  if (meaning.isTotal && owner !== null) return totalIn(place, owner);
  if (Array.isArray(value) && value.length === 0) return looked.has(plainWord(key)) ? `${key} is empty` : null;
  if (meaning.isRate && !isWhole(value)) return says;
  if (value === false && isAgainstIfFalse(place, meaning)) return says;
  if (Array.isArray(value) && value.length > 0 && meaning.isSkipped && allowed.skipped !== true) return says;
  if (typeof value !== "string" || meaning.isAside) return null;
  if (meaning.trouble === null && !meaning.isDenial && !meaning.isEnd && plainNo.test(plainWord(value))) return says;
  if (countsTrouble(value) && value.length <= shortText) return says;
  if (/^\s*\d+\s*(?:\/|of)\s*\d+(?![\d/.-])/.test(value) && isPartOf(value)) return says;
  const isWord = meaning.isEnd && owner !== null && !isVerdict(place);
  if (!isWord || endOf(value) === "good") return null;
  return isExplained(place, allowed) ? null : says;
}

/** Nobody knows each word for something good, so what is false speaks against a pass unless it is known to be well. */
function isAgainstIfFalse({ key, ownerKey }: OwnedPlace, { trouble, isAside }: KeyMeaning): boolean {
  if (looked.has(plainWord(ownerKey))) return true;
  return trouble === null && !isAside && !wellIfFalse.test(plainWord(key.replace(/(\p{Ll})(\p{Lu})/gu, "$1_$2")));
}

/** The word of a part that may be left open: a test that was skipped with a reason, or a second opinion that was cut short. */
function isExplained({ value, owner, ownerKey }: OwnedPlace, { skipped }: Allowance): boolean {
  if (owner === null || !hasReason(owner)) return false;
  const word = plainWord(String(value));
  if (["skipped", "skip"].includes(word)) return skipped === true;
  return word === "partial" && /_(?:verification|review)$/.test(ownerKey);
}

function speaksAgainst(
  { value }: OwnedPlace,
  { trouble, isPlural, isDenial }: KeyMeaning,
  { findings }: Allowance,
): boolean {
  if (isDenial) return false;
  if (findings === true && (trouble === "high" || trouble === "finding")) return false;
  if (findings === true && typeof value === "string") return countOf(value) > 0;
  // The entries of such a list are judged one by one, and the text of a finding is no count: `404 after login`.
  if (trouble === "finding" && isNested(value)) return false;
  if (trouble === "finding" && typeof value === "string") return Number(value) > 0 || (isPlural && countOf(value) > 0);
  return isThere(value, isPlural);
}

/** More than none of something: a number, a list, a word for it. */
function isThere(value: unknown, inTexts: boolean): boolean {
  if (typeof value === "boolean") return value;
  if (typeof value === "number") return value > 0;
  if (Array.isArray(value)) return value.length > 0;
  if (isObject(value))
    return inTexts && placesIn(value).some((each) => !isNested(each.value) && isThere(each.value, true));
  return typeof value === "string" && (countOf(value) > 0 || (inTexts && !saysNone(value)));
}

/** The number that a text begins with; 0 where it has none. */
function countOf(value: unknown): number {
  const [count] = typeof value === "string" ? (/^\s*\d+(?!\s*[/%.\d-])/.exec(value) ?? ["0"]) : ["0"];
  return Number(count);
}

const nothing =
  /^[^\p{L}\p{N}]*(?:(?:none|no|nil|null|nothing|zero|0|n\/a|na|false|not applicable|无|没有|暂无)(?:\s+(?:found|yet|known|open|left|new|critical|errors?|failures?|failed|gaps?|issues?|blockers?|findings?|missing|detected))*)?[^\p{L}\p{N}]*$/iu;

/** Words for none where a list or a number is expected. */
export function saysNone(value: string): boolean {
  return nothing.test(value);
}

/** An entry of a list of findings that is more than medium, or does not tell. */
function findingIn({ key, value, owner }: OwnedPlace): string | null {
  if (owner !== null) return null;
  const one = `an entry of ${key}`;
  if (!isObject(value)) return typeof value === "string" && saysNone(value) ? null : `${one} has no severity`;
  const severity = value["severity"];
  if (severity === undefined || severity === null || severity === "") return `${one} has no severity`;
  return isMild(severity) ? null : `${one} is ${shown(severity)}`;
}

/** The numbers of one object: what passed, and what was skipped, must be all that there is. */
function totalIn({ key, value }: OwnedPlace, owner: ResultObject): string | null {
  if (typeof value !== "number") return null;
  const members = Object.entries(owner).filter(([, each]) => typeof each === "number") as [string, number][];
  const totals = members.filter(([name]) => keyMeaning(name).isTotal);
  const good = members.filter(([name]) => keyMeaning(name).isGood).map(([, each]) => each);
  const isCount = good.length > 0 || members.some(([name]) => keyMeaning(name).isSkipped);
  if (!isCount || totals.length !== 1) return null;
  const skipped = members.filter(([name]) => keyMeaning(name).isSkipped).reduce((sum, [, each]) => sum + each, 0);
  const most = Math.max(0, ...good);
  return value > 0 && most <= value && most + skipped >= value
    ? null
    : `${key} is ${value}, which its numbers do not reach`;
}

function isWhole(value: unknown): boolean {
  const number = typeof value === "string" ? Number.parseFloat(value) : value;
  if (typeof value === "string" && isPartOf(value)) return false;
  return typeof number !== "number" || Number.isNaN(number) || number === 1 || number >= 100 || isFullRatio(value);
}

/** `836/836 (100%)` */
function isFullRatio(value: unknown): boolean {
  return typeof value === "string" && /^\s*(\d+)\s*\/\s*\1\b/.test(value);
}

function endedWell(owner: ResultObject): boolean {
  const ends = Object.entries(owner).filter(([key]) => keyMeaning(key).isEnd);
  return ends.length > 0 && ends.every(([, end]) => end === true || (typeof end === "string" && endOf(end) === "good"));
}

function isVerdict(place: OwnedPlace): boolean {
  return isTop(place) && verdictKeys.some((key) => key === place.key);
}

/** `critical, payment fails` */
function firstWord(value: unknown): unknown {
  return typeof value === "string" ? (/^[\s"'*[(]*([^\s,;:.)\]"'*(]+)/.exec(value)?.[1] ?? value) : value;
}

function shown(value: unknown): string {
  if (Array.isArray(value)) return value.length === 1 ? "one entry" : `${value.length} entries`;
  return isNested(value) ? "there" : String(value).slice(0, 60);
}
