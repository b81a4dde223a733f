// Writes how sessions ended into `hook.log`, with what a person should know about them.

import { nameWithPart } from "../../domain/attempt.ts";
import type { Event } from "../../domain/event.ts";
import { appendInside } from "../../system/files/inside.ts";
import type { AttemptFacts } from "../protocol.ts";
import { aiFolder } from "./ai-folder.ts";

export function logEnd({ run, attempt, definition }: AttemptFacts, events: readonly Event[]): void {
  const { shared } = run.header.place;
  const ended = events.find(
    (event): event is EndEvent => event.type === "attempt_ended" && event.attempt === attempt.id,
  );
  if (shared === undefined || ended === undefined || definition.kind !== "agent") return;
  const session = `${attempt.story} ${nameWithPart(attempt)} attempt ${attempt.number}`;
  const texts = [`${session} ended: ${endWords(ended)}`, ...ended.notes.map((note) => `${session}: ${note}`)];
  const at = new Date(ended.at).toISOString();
  const lines = texts.map((text) => `${at} hook: ${text.replace(/\s+/g, " ").slice(0, longestLine)}\n`);
  const { root, log } = aiFolder(shared);
  appendInside(root, log, lines.join(""));
}

const longestLine = 1_000;

type EndEvent = Extract<Event, { readonly type: "attempt_ended" }>;

function endWords({ outcome, verdict, taken, why }: EndEvent): string {
  if (taken?.key === "asked") return `needs_human: ${why}`;
  if (outcome !== "completed") return `${outcome}: ${why}`;
  if (verdict?.kind !== "rejected") return "pass";
  return `failing${verdict.reason === null ? "" : ` (${verdict.reason})`}${why === "" ? "" : `: ${why}`}`;
}
