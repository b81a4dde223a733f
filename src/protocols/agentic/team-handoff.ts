// One hand-off for all roles of a team, written when their step ends: who is done, which files two of them changed, what is left.

import type { Json } from "../../domain/report.ts";
import type { RoleProgress, TeamRound } from "./team-log.ts";

/** `hasPassed`: the step as a whole, with its checks on the joined work. */
export function consolidatedHandoff(round: TeamRound, hasPassed: boolean): string {
  const { story, name, roles, progress, conflicts } = round;
  const lines = roles.map((role) => progressLine(role, progress.get(role)));
  const files = [...new Set(roles.flatMap((role) => progress.get(role)?.files ?? []))];
  return `---
story: ${story}
step: ${name}
attempt: ${round.attempt}
status: ${hasPassed ? "pass" : "failing"}
reason: ${hasPassed ? "null" : (reasonOf(round) ?? "null")}
files_changed: ${JSON.stringify(files)}
${testLines(round.joined["tests"])}---

# HANDOFF — ${story} ${name} (multi-executor session)

## Executor Progress
${lines.join("\n")}

## File Conflict Log
${listed(conflicts)}

## Next session notes
${listed(notesOf(round))}
`;
}

function progressLine(role: string, progress: RoleProgress | undefined): string {
  if (progress === undefined) return `- ${role}: 🔄 has not reported`;
  const words =
    progress.summary === "" ? (sectionOf(progress.handoff, doneHeading)[0] ?? "") : oneLine(progress.summary);
  if (progress.status === "pass") return `- ${role}: ✅ ${words || "done"}`;
  const reason = progress.reason === null ? "" : ` (${progress.reason})`;
  return `- ${role}: 🔄 ${words || "not done"}${reason}`;
}

/** What the roles left open, and why the joined work did not pass. */
function notesOf({ roles, progress, trouble }: TeamRound): readonly string[] {
  const open = roles.flatMap((role) => {
    const { handoff = "", status } = progress.get(role) ?? {};
    const left = [...sectionOf(handoff, openHeading), ...sectionOf(handoff, nextHeading)];
    const notDone = status === "pass" || left.length > 0 ? [] : ["is not done"];
    return [...left, ...notDone].map((text) => `${role}: ${text}`);
  });
  return [...open, ...(trouble === "" ? [] : [`the joined work did not pass: ${oneLine(trouble)}`])];
}

const doneHeading = /^#{1,6}\s+what was done\b/i;
const openHeading = /^#{1,6}\s+(?:not yet resolved|unresolved|open questions?)\s*:?\s*$/i;
const nextHeading = /^#{1,6}\s+(?:next session notes?|what next session should note|next)\s*:?\s*$/i;

function sectionOf(text: string, heading: RegExp): readonly string[] {
  const lines = text.split(/\r?\n/);
  const start = lines.findIndex((line) => heading.test(line));
  if (start < 0) return [];
  const rest = lines.slice(start + 1);
  const end = rest.findIndex((line) => /^#{1,6}\s/.test(line));
  return rest
    .slice(0, end < 0 ? undefined : end)
    .map((line) => oneLine(line.replace(/^\s*[-*]\s+/, "")))
    .filter((line) => line !== "" && !/^(?:none|nothing|n\/a|-)\.?$/i.test(line));
}

/** The reason that all roles gave which did not pass. */
function reasonOf({ roles, progress }: TeamRound): string | null {
  const failing = roles.flatMap((role) => {
    const { status, reason = null } = progress.get(role) ?? {};
    return status === "failing" ? [reason] : [];
  });
  const [first = null] = failing;
  return failing.every((reason) => reason === first) ? first : null;
}

function testLines(tests: Json | undefined): string {
  const { pass, fail, skip } = Object(tests ?? {}) as Readonly<Record<string, unknown>>;
  if (typeof pass !== "number" || typeof fail !== "number") return "";
  return `tests_pass: ${pass}\ntests_fail: ${fail}\ntests_skip: ${typeof skip === "number" ? skip : 0}\n`;
}

function listed(lines: readonly string[]): string {
  return lines.length === 0 ? "- None" : lines.map((line) => `- ${line}`).join("\n");
}

const longest = 300;

function oneLine(text: string): string {
  const line = text.replace(/\s+/g, " ").trim();
  return line.length > longest ? `${line.slice(0, longest - 1)}…` : line;
}
