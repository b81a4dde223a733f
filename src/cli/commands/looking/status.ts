// `pawl status`. Owns: where a run stands, on one screen.

import type { Command } from "commander";
import { type RunStatusView, status, statusByQuery } from "../../../application/looking/status.ts";
import { firstLine } from "../../../application/references.ts";
import type { StatusDocument, StepDocument, StoryDocument } from "../../../contracts/run-documents.ts";
import { counted } from "../../../domain/counted.ts";
import { money } from "../../../transcript/money.ts";
import { summaryOf } from "../../catalogue.ts";
import { runArgument } from "../../input/arguments.ts";
import { type StoreOption, withApplication } from "../../opened.ts";
import type { Console } from "../../output/console.ts";
import { example } from "../../output/example.ts";
import { type FoldedStep, foldSteps } from "../../output/folded.ts";
import { aboutQuestion } from "../../output/question.ts";
import { closingTexts } from "../../output/run-end.ts";
import { statusText } from "../../output/run-words.ts";
import { durationText, table } from "../../output/table.ts";

export function define(parent: Command, console: Console): void {
  parent
    .command("status")
    .description(summaryOf("status"))
    .argument("[run]", runArgument)
    .addHelpText("after", example("pawl status", "pawl status 3 --json"))
    .action(async (reference: string | undefined, options: StoreOption) => {
      show(console, await withApplication(options, async (app) => await status(app, reference)));
    });
}

/** antfarm's `workflow status QUERY`: also part of a task. */
export function defineQuery(parent: Command, console: Console): void {
  parent
    .command("status")
    .description("show where a run stands, found by number, task, part of a task, or id")
    .argument("<query>")
    .addHelpText("after", example('pawl workflow status "dark mode"'))
    .action(async (query: string, options: StoreOption) => {
      show(console, await withApplication(options, async (app) => await statusByQuery(app, query)));
    });
}

function show(console: Console, { document, now }: RunStatusView): void {
  if (console.json) console.document(document);
  else console.print(statusLines(document, now, (text) => console.paint("bold", text)).join("\n"));
}

const marks: Readonly<Record<string, string>> = {
  waiting: "·",
  ready: "○",
  running: "●",
  held: "?",
  done: "✓",
  failed: "✗",
  skipped: "»",
  cancelled: "-",
  blocked: "!",
};

/** `strong` marks the title. */
export function statusLines(
  document: StatusDocument,
  now: number,
  strong: (text: string) => string,
): readonly string[] {
  const { run, steps, stories, gates, signals, notes } = document;
  const ended = run.endedAt === null ? now : Date.parse(run.endedAt);
  const done = stories.filter((story) => story.status === "done" && !isAway(story));
  const away = stories.filter(isAway).length;
  const facts = [
    statusText(run),
    durationText(ended - Date.parse(run.startedAt)),
    ...(run.branch ? [`branch ${run.branch}`] : []),
    ...(stories.length > 0 ? [`${done.length} of ${counted(stories.length, "story", "stories")} done`] : []),
    ...(away > 0 ? [`${away} left out or taken back`] : []),
    ...((run.usage.costUsd ?? 0) > 0 ? [money(run.usage)] : []),
  ];
  const lines = [
    strong(`#${run.number} ${run.workflow}: ${firstLine(run.task, 80)}`),
    facts.join(", "),
    document.why,
    "",
    table(foldSteps(steps).map(stepRow)),
  ];
  if (stories.length > 0) {
    lines.push("", table(stories.map((story) => laneOf(story, now))));
  }
  for (const note of notesOf(document)) lines.push(`  note: ${note}`);
  for (const text of closingTexts(run.number, document)) lines.push("", `! ${text}`);
  for (const gate of gates.filter((candidate) => candidate.status === "open")) {
    lines.push("", `? ${gate.question}`, ...aboutQuestion(gate, now));
    lines.push(`  pawl answer ${gate.id} ${gate.options.join("|")}`);
  }
  if (signals.length > 0) lines.push("", ...signals.map((signal) => signalLine(run.number, signal)));
  if (notes.length > 0) lines.push("", ...notes.map((note) => noteLine(note, document)));
  return lines;
}

function signalLine(number: number, { name, story, step, status }: StatusDocument["signals"][number]): string {
  const where = story === null ? "" : ` --story ${story}`;
  if (status === "kept")
    return `signal ${name}${story === null ? "" : ` for ${story}`} is kept until a step waits for it`;
  return `… ${story === null ? "" : `${story}: `}${step} waits for the signal ${name}: pawl signal ${number} ${name}${where}`;
}

function noteLine({ story, part, text, attempt }: StatusDocument["notes"][number], of: StatusDocument): string {
  const { status: now } = of.stories.find(({ id }) => id === story) ?? of.run;
  // What has failed can be retried.
  const isOver = [now, of.run.status].some((each) => each === "done" || each === "cancelled");
  const waits = isOver ? "which no attempt has read" : "waits for the next attempt";
  const state = attempt === null ? waits : "is with the running attempt";
  const whose = part === undefined ? "" : ` (part ${part})`;
  return `note for ${story ?? "the run"}${whose}, ${state}: ${firstLine(text, 80)}`;
}

const mostNotes = 10;

/** Of the run's own steps and of the stories at work. What an integration notes is in the log. */
function notesOf({ steps, stories }: StatusDocument): readonly string[] {
  const at = (where: string, { id, kind, notes }: StepDocument) =>
    kind === "integrate" ? [] : notes.map((note) => `${where}${id}: ${firstLine(note, 200)}`);
  const found = [
    ...steps.flatMap((step) => at("", step)),
    ...stories.filter(isAtWork).flatMap((story) => story.steps.flatMap((step) => at(`${story.id} `, step))),
  ];
  return found.length > mostNotes ? [...found.slice(0, mostNotes), `${found.length - mostNotes} more`] : found;
}

function stepRow({ id, status, attempts, progress }: FoldedStep): readonly string[] {
  const times = attempts > 1 ? `${attempts} attempts` : "";
  return [`${marks[status] ?? " "} ${id}`, status, [progress, times].filter((text) => text !== "").join(", ")];
}

/** Over, and nothing of it is on the base. */
function isAway({ leftOut, reverted }: StoryDocument): boolean {
  return leftOut === true || reverted !== undefined;
}

/** The line of a story: its step, its slot, its age, its cost. */
function laneOf(story: StoryDocument, now: number): readonly string[] {
  const age = story.startedAt === null || !isAtWork(story) ? "" : durationText(now - Date.parse(story.startedAt));
  return [
    `${marks[story.status] ?? " "} ${story.id}`,
    `${story.status}${story.leftOut ? ", left out" : ""}${story.reverted === undefined ? "" : ", taken back"}`,
    firstLine(story.title, 48),
    progressOf(story.steps, story.attempts),
    story.slot === null ? "" : `slot ${story.slot}`,
    age,
    (story.costUsd ?? 0) > 0 ? money(story) : "",
  ];
}

function isAtWork({ status }: StoryDocument): boolean {
  return status === "running" || status === "held";
}

function progressOf(steps: readonly StepDocument[], attempts: number): string {
  const index = steps.findIndex((step) => step.status !== "done" && step.status !== "skipped");
  const current = steps[index];
  const times = attempts > 1 ? `, ${attempts} attempts` : "";
  if (!current) return times.replace(/^, /, "");
  const named = current.name === current.id ? current.id : `${current.id} ${current.name}`;
  return `at ${named}, ${index + 1} of ${steps.length}${times}`;
}
