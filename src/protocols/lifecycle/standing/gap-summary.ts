// What a failing result file found wrong, in a line for the skill that looks for the cause. It decides nothing.

import type { FoundResult } from "./phase-round.ts";
import type { ProjectFolder } from "./project-folder.ts";

const lists = ["gaps", "issues", "findings", "failures", "critical_issues", "blockers"];
const words = ["description", "title", "message", "issue", "gap", "summary", "text", "name", "id"];
const ranks = ["critical", "blocker", "high", "major", "medium"];
const mostEntries = 8;
const longestEntry = 240;

export function gapSummary(folder: ProjectFolder, { reading, evidence }: FoundResult): string {
  const why = reading?.why ?? "";
  const entries = entriesIn(folder.text(evidence[0]?.file ?? "") ?? "");
  const shown = entries.slice(0, mostEntries).map(({ text }) => text);
  const more = entries.length > shown.length ? [`and ${entries.length - shown.length} more`] : [];
  return shown.length === 0 ? why : `${why}: ${[...shown, ...more].join("; ")}`;
}

interface Entry {
  readonly text: string;
  readonly rank: number;
}

/** The worst first. A file that is not JSON names none. */
function entriesIn(text: string): readonly Entry[] {
  const document = parsed(text);
  const found = lists.flatMap((key) => {
    const list = document[key];
    return Array.isArray(list) ? list.flatMap(entryOf) : [];
  });
  return found.toSorted((one, other) => one.rank - other.rank);
}

function entryOf(value: unknown): readonly Entry[] {
  if (typeof value === "string") return [{ text: oneLine(value), rank: ranks.length }];
  if (typeof value !== "object" || value === null) return [];
  const fields: Readonly<Record<string, unknown>> = { ...value };
  const said = words.map((key) => fields[key]).find((each) => typeof each === "string" && each.trim() !== "");
  if (typeof said !== "string") return [];
  const severity = typeof fields["severity"] === "string" ? fields["severity"].trim().toLowerCase() : "";
  const rank = ranks.indexOf(severity);
  const text = severity === "" ? oneLine(said) : `${severity}: ${oneLine(said)}`;
  return [{ text, rank: rank === -1 ? ranks.length : rank }];
}

function parsed(text: string): Readonly<Record<string, unknown>> {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === "object" && value !== null ? { ...value } : {};
  } catch {
    return {};
  }
}

function oneLine(text: string): string {
  const line = text.replace(/\s+/g, " ").trim();
  return line.length <= longestEntry ? line : `${line.slice(0, longestEntry - 1)}…`;
}
