// Lines of events. Owns: the line that a person reads for each event, in a terminal and in the page; null for an event that says
// nothing new.

import { nameWithPart } from "../domain/attempt.ts";
import { counted } from "../domain/counted.ts";
import type { Event } from "../domain/event.ts";
import { namesOf } from "../domain/gate.ts";
import type { Facts } from "../domain/report.ts";
import type { WaitsLevel } from "../domain/run.ts";

export const waitsWords: Readonly<Record<WaitsLevel, string>> = {
  all: "every step",
  marked: "the steps that the workflow marks",
  none: "no step",
};

/** `mark` is a sign beside the colour, since colour is never the only one. */
export interface Line {
  readonly mark: "▶" | "✓" | "✗" | "↺" | "?" | "•";
  readonly text: string;
}

export function lineOf(event: Event, names: ReadonlyMap<string, string>): Line | null {
  const where = event.story === null ? "" : `${event.story} `;
  switch (event.type) {
    case "run_started":
      return { mark: "▶", text: `run started: ${event.definition.id}` };
    case "run_paused":
      return { mark: "•", text: "paused" };
    case "executor_changed":
      return { mark: "•", text: `agents are ${event.executor} from here on` };
    case "story_reverted":
      return { mark: "•", text: `${event.of} was taken back on ${event.on}, by ${event.by.slice(0, 12)}` };
    case "waits_changed":
      return { mark: "•", text: `asks before ${waitsWords[event.waits]} from here on` };
    case "run_resumed":
    case "run_reopened":
      return { mark: "▶", text: "continues" };
    case "run_ended":
      return {
        mark: event.status === "done" ? "✓" : "✗",
        text: `run ${event.status}${event.reason ? `: ${event.reason}` : ""}`,
      };
    case "closing_noted":
      return { mark: "•", text: event.notes.map(firstLineOf).join("; ") };
    case "stories_planned":
      return {
        mark: "•",
        text: `${event.stories.length} ${event.stories.length === 1 ? "story" : "stories"} planned: ${event.stories.map((s) => s.id).join(", ")}`,
      };
    case "attempt_dispatched":
      return {
        mark: "▶",
        text: `${where}${nameWithPart(event)}${event.number > 1 ? ` (attempt ${event.number})` : ""}`,
      };
    case "attempt_ended": {
      const what = `${where}${names.get(event.attempt) ?? ""}`;
      if (event.outcome !== "completed")
        return { mark: "✗", text: `${what} ${event.outcome.replace("_", " ")}: ${firstLineOf(event.why)}` };
      if (event.verdict?.kind === "rejected")
        return {
          mark: "↺",
          text: `${what} rejected${event.verdict.reason ? ` (${event.verdict.reason})` : ""}${testsText(event.facts)}: ${firstLineOf(event.why)}`,
        };
      if (event.verdict?.kind === "value") return { mark: "✓", text: `${what}: ${event.verdict.value}` };
      return { mark: "✓", text: `${what}${testsText(event.facts)}` };
    }
    case "parts_opened": {
      const open = event.parts.filter((name) => !event.keeps?.includes(name));
      return { mark: "•", text: `${where}${event.step}: ${open.join(", ")} at the same time` };
    }
    case "part_ended": {
      const { end } = event;
      if (end.status !== "failed" && end.status !== "stopped") return null;
      const mark = end.status === "failed" ? "✗" : "•";
      return { mark, text: `${where}${event.step} (${event.part}) ${end.status}: ${firstLineOf(end.reason)}` };
    }
    case "join_refused":
      return { mark: "↺", text: `${where}${event.step} (${event.part}) runs again: ${firstLineOf(event.feedback)}` };
    case "parts_ended":
      return {
        mark: event.verdict.kind === "passed" ? "✓" : "↺",
        text: `${where}${event.step}: ${event.verdict.kind}`,
      };
    case "steps_reset":
      return { mark: "↺", text: `${where}${event.reason}` };
    case "steps_skipped":
      // The line of an edit names the steps that it skips.
      if (event.by !== "route") return null;
      return { mark: "•", text: `${where}skipped ${event.steps.join(", ")}: ${event.reason}` };
    case "items_taken":
      return {
        mark: "•",
        text: `${where}${event.step} runs for ${counted(event.item.of, "entry", "entries")} of ${event.key}`,
      };
    case "step_dropping": {
      const what = event.whole ? (event.story ?? "") : `${where}${event.step}`;
      return {
        mark: "•",
        text: `${what} is ${event.as === "stopped" ? "stopped" : `dropped as ${event.as}`}${event.reason ? `: ${firstLineOf(event.reason)}` : ""}`,
      };
    }
    case "step_failed":
      return { mark: "✗", text: `${where}${event.step} failed: ${firstLineOf(event.reason)}` };
    case "gate_opened":
      if (event.gate.signal !== undefined)
        return { mark: "•", text: `${where}${event.gate.step} ${event.gate.question}` };
      return {
        mark: "?",
        text: `${where}${asked(event.gate)} [${namesOf(event.gate.options).join(", ")}]`,
      };
    case "gate_answered":
      return { mark: "•", text: `${where}answered ${event.option}${event.note ? `: ${firstLineOf(event.note)}` : ""}` };
    case "story_changed":
      if (event.status === "done") return { mark: "✓", text: `${event.of} ${event.leftOut ? "left out" : "done"}` };
      if (event.status === "failed" || event.status === "blocked")
        return { mark: "✗", text: `${event.of} ${event.status}: ${firstLineOf(event.reason)}` };
      return null;
    case "chain_edited":
      return { mark: "•", text: `${where}${editOf(event)}: ${firstLineOf(event.operation.reason)}` };
    case "edit_refused":
      return { mark: "•", text: `${where}an edit by ${event.by} was refused: ${firstLineOf(event.why)}` };
    case "signal_received":
      return { mark: "•", text: `signal ${event.signal}${event.of === null ? "" : ` for ${event.of}`}` };
    case "note_added":
      return { mark: "•", text: `a note for ${event.note.story ?? "the run"}: ${firstLineOf(event.note.text)}` };
    case "file_change_adopted":
    case "file_change_refused":
      return { mark: "•", text: `${where}${firstLineOf(event.why)}` };
    case "note_withdrawn":
      return { mark: "•", text: `the note was withdrawn: ${firstLineOf(event.why)}` };
    case "report_refused":
      return { mark: "•", text: `${where}a report was refused: ${event.why}` };
    case "attempt_stopping":
      return {
        mark: "•",
        text: `${where}${names.get(event.attempt) ?? ""} is being stopped: ${firstLineOf(event.reason)}`,
      };
    case "attempt_began":
    case "caps_raised":
    case "gate_shown":
    case "gate_voided":
    case "limits_renewed":
    case "notes_delivered":
    case "signal_taken":
    case "outputs_set":
    case "join_opened":
    case "part_readied":
    case "step_cancelled":
    case "step_done":
    case "step_opened":
    case "step_readied":
    case "step_amended":
    case "steps_inserted":
    case "steps_removed":
    case "steps_reordered":
    case "story_adopted":
    case "story_merged":
    case "story_opened":
      return null;
  }
}

/** Which step an attempt is of, for the line of its end. */
export function rememberNames(event: Event, names: Map<string, string>): void {
  if (event.type === "attempt_dispatched") names.set(event.attempt, nameWithPart(event));
}

function editOf({ by, operation, added }: Extract<Event, { type: "chain_edited" }>): string {
  const who = by ?? "a person";
  const steps = added.map(({ id, name }) => `${id} ${name}`).join(", ");
  switch (operation.op) {
    case "insert":
      return `${who} added ${steps}`;
    case "replace":
      return `${who} split ${operation.step} into ${steps}`;
    case "skip":
      return `${who} skipped ${operation.step}`;
    case "reorder":
      return `${who} changed the order`;
    case "amend":
      return `${who} changed the description of ${operation.step}`;
    case "restart":
      return `${operation.step} starts again`;
  }
}

function firstLineOf(text: string): string {
  const line = text.trim().split("\n", 1)[0] ?? "";
  return line.length > 160 ? `${line.slice(0, 159)}…` : line;
}

/** With its step, unless it names it already. */
export function asked(gate: { readonly step: string; readonly question: string }): string {
  return gate.question.startsWith(gate.step) ? gate.question : `${gate.step}: ${gate.question}`;
}

const countWords: Readonly<Record<string, string>> = { pass: "passed", fail: "failed", skip: "skipped" };

/** The counts that checks read, where they read some. */
function testsText(facts: Facts | undefined): string {
  const tests = facts?.["tests"];
  if (typeof tests !== "object" || tests === null) return "";
  const counts = Object.entries(tests).flatMap(([key, count]) =>
    typeof count === "number" && count > 0 ? [`${count} ${countWords[key] ?? key}`] : [],
  );
  return counts.length === 0 ? "" : ` (tests: ${counts.join(", ")})`;
}
