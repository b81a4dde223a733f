// What the lines of an acceptance test say against it, wherever they stand: in its notes, in a table, below a heading.

import { objectionTo, saysNone } from "./against.ts";
import { keyMeaning } from "./keys.ts";
import { isMild, toneOf } from "./words.ts";

export interface LineObjection {
  readonly line: number;
  readonly why: string;
}

const statement =
  /^\s*(?:[-*+]\s+)?(?:\[.\]\s+)?[*_]*(\p{L}[\p{L}\p{N} _-]{0,40}?)[*_]*\s*[:：]\s*[*_]*\s*(\S.*?)[\s*_]*$/u;
const severity = /\bseverity\b\W{0,3}[:=]\W{0,4}([\w-]+)/i;
const bullet = /^\s*(?:[-*+]|\d+[.)])\s+(\S.*)$/;
const failSigns = /[❌✗✘✖⛔]/u;

export function objectionsInLines(text: string): readonly LineObjection[] {
  const found: LineObjection[] = [];
  let section = "";
  const lines = text.split(/\r?\n/);
  lines.forEach((each, index) => {
    const heading = /^#{1,6}\s+(.*)$/.exec(each)?.[1];
    if (heading !== undefined) {
      section = /^\d/.test(heading) ? "" : heading.trim();
      return;
    }
    const why = objectionIn(each, section);
    if (why !== null) found.push({ line: index + 1, why });
  });
  return found;
}

function objectionIn(line: string, section: string): string | null {
  const [, key, value] = statement.exec(line) ?? [];
  const told = key === undefined || value === undefined ? null : objectionTo(key, value);
  if (told !== null) return told;
  const [, word] = severity.exec(line) ?? [];
  if (word !== undefined && !isMild(word)) return `a severity is ${word}`;
  if (failSigns.test(line)) return "it has a sign of a failure";
  if (/^\s*[-*+]\s+\[ \]\s/.test(line)) return "a box is not checked";
  const [first = "", second = ""] = line.startsWith("|") ? line.split("|").slice(1).map(plainCell) : [];
  if (/^\d+$/.test(second)) return objectionTo(first, second);
  const [, item] = bullet.exec(line) ?? [];
  const isTold = item !== undefined && !saysNone(item) && toneOf(item) !== "pass" && word === undefined;
  return isTold && isOfTrouble(section) ? `"${section}" has an entry` : null;
}

/** The entries of the section of gaps have rules of their own. */
function isOfTrouble(section: string): boolean {
  return section.toLowerCase() !== "gaps" && keyMeaning(section).trouble !== null;
}

function plainCell(cell: string): string {
  return cell.replace(/[*_`]/g, "").trim();
}
