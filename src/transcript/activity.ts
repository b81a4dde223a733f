// Activity. Owns: what an agent does now, in a few words, and what it has used, from the entries of its transcript.

import type { TokenUsage } from "../domain/agent-event.ts";
import type { LogEntry } from "./entry.ts";
import { plainText } from "./plain-text.ts";
import { nameOfCall } from "./rendering.ts";

export interface Activity {
  /** The tool with its file or command, or the last words; "": it has done nothing yet. */
  readonly doing: string;
  readonly turns: number;
  /** null: it has reported none. */
  readonly usage: TokenUsage | null;
}

export const noActivity: Activity = { doing: "", turns: 0, usage: null };

const longestWords = 300;

export function activityAfter(before: Activity, entries: readonly LogEntry[], saying = ""): Activity {
  const after = entries.reduce(next, before);
  return saying === "" ? after : { ...after, doing: lastWords(saying) };
}

function next(activity: Activity, entry: LogEntry): Activity {
  switch (entry.kind) {
    case "turn":
      return { ...activity, turns: entry.number ?? activity.turns + 1 };
    case "text":
      return { ...activity, doing: lastWords(entry.text) };
    case "line":
      return entry.text.trim() === "" ? activity : { ...activity, doing: lastWords(entry.text) };
    case "call":
      return { ...activity, doing: nameOfCall(entry.call) };
    case "denied":
      return { ...activity, doing: `denied: ${entry.tool}` };
    case "trouble":
      return { ...activity, doing: `${entry.what}: ${lastWords(entry.message)}` };
    case "usage":
      return { ...activity, usage: entry.usage };
    case "end":
      return { ...activity, doing: entry.ok ? "ended" : "failed", usage: entry.usage ?? activity.usage };
    case "session":
    case "result":
    case "note":
    case "other":
      return activity;
  }
}

/** The last line that says something, or its beginning. */
function lastWords(text: string): string {
  const line = plainText(text.slice(-4 * longestWords))
    .split("\n")
    .findLast((each) => each.trim() !== "");
  return (line ?? "").trim().slice(0, longestWords);
}
