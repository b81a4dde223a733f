// Does what a person's plain words ask for. Words that are not understood change nothing; at a review they are offered as the note of
// an answer, which the person then gives.

import { parseIntent } from "../../protocols/agentic/intent.ts";
import { stoppedText } from "../../protocols/agentic/report-text.ts";
import { shellWord } from "../../system/process/words.ts";
import type { Application } from "../application.ts";
import { abortAttempt, approveStory, type Decided, rejectStory, retryStory } from "./answers.ts";
import { type Continued, type ContinueRequest, continueProject } from "./continue.ts";
import { sayFound } from "./found.ts";
import { commandsText, rejections } from "./next-commands.ts";
import { projectAt } from "./place.ts";
import { readQueue } from "./queue.ts";
import { skipStep } from "./skip.ts";
import { linesOf, type ProjectView, viewProject } from "./view.ts";

export interface Said {
  /** What was understood; `unknown`: nothing, and nothing was done. */
  readonly action: ReturnType<typeof parseIntent>["action"];
  readonly reply: string;
  readonly continued: Continued | null;
}

const help =
  'Say "continue", "status", "retry", "skip", "abort", "stop for today", "approve: NOTE" or "reject REASON: NOTE".';

export async function say(app: Application, text: string, request: ContinueRequest): Promise<Said> {
  const { action, name, note, reason } = parseIntent(text);
  const place = await projectAt(app, request.dir);
  const view = await viewProject(app, place);
  const story = readQueue(place).find(({ id }) => id.toLowerCase() === name?.toLowerCase())?.id;
  const isHere = name === null || story !== undefined || name.toLowerCase() === place.name.toLowerCase();
  if (action === "status" || action === "stop" || action === "unknown" || !isHere) await sayFound(app, place);
  const replied = (reply: string): Said => ({ action, reply, continued: null });
  const undone = (reply: string): Said => ({ ...replied(reply), action: "unknown" });
  if (!isHere) return undone(`${name} is neither this project (${place.name}) nor a story of it.\n${view.report}`);
  const given = { dir: request.dir, ...(note === null ? {} : { note }) };
  const isOther = story !== undefined && story !== view.state.story;
  if (isOther && (action === "retry" || action === "skip" || action === "abort"))
    return undone(`${story} is not the story at work.\n${view.report}`);
  switch (action) {
    case "continue": {
      const continued = await continueProject(app, { ...request, story });
      return { action, reply: continued.report, continued };
    }
    case "status":
      return replied(view.report);
    case "stop":
      return replied(linesOf([stoppedText(place.name, { ...view.context, next: nextOf(view) }), stillRunning(view)]));
    case "retry":
      return replied(told(await retryStory(app, given)));
    case "skip":
      return replied(told(await skipStep(app, given)));
    case "abort":
      // At a question the command ends the story, which is more than "stop" says.
      return view.gate === null
        ? replied(told(await abortAttempt(app, given)))
        : undone(`Nothing is running.\n${view.report}`);
    case "approve":
      return replied(told(await approveStory(app, given)));
    case "reject":
      return reason === null
        ? undone(whichReason(view, note))
        : replied(told(await rejectStory(app, { ...given, reason })));
    case "unknown":
      return replied(asNote(view, text) ?? `${view.report}\n${help}`);
  }
}

function told({ done, view }: Decided): string {
  return linesOf([done, view.report]);
}

/** "Stop for today" stops nothing by itself. */
function stillRunning({ running, words, commands }: ProjectView): string {
  return running === null ? "" : linesOf([words, commandsText(commands)]);
}

function nextOf({ entry, context }: ProjectView): { id: string; title: string } | null {
  return entry !== null && entry.status !== "done" ? { id: entry.id, title: entry.title } : (context.next ?? null);
}

/** A reason decides where the story goes, so none is guessed. */
function whichReason(view: ProjectView, note: string | null): string {
  const known = view.gate === null ? [] : rejections(view.gate, view);
  if (known.length === 0) return `There is nothing to reject.\n${view.report}`;
  return ["For which reason? Reject it with one of:", ...rejectLines(view, note)].join("\n");
}

function rejectLines(view: ProjectView, note: string | null): readonly string[] {
  const words = note === null ? "" : ` --note ${shellWord(note)}`;
  const lines = view.commands.filter(({ command }) => command.startsWith("pawl project reject "));
  const width = Math.max(...lines.map(({ command }) => command.length + words.length));
  return lines.map(({ command, effect }) => `  ${`${command}${words}`.padEnd(width)}  ${effect}`);
}

/** Where a person is asked, other words may be the note of an answer. Null: nothing is asked that words could answer. */
function asNote(view: ProjectView, text: string): string | null {
  const note = text.trim();
  const isQuestion = view.gate?.cause === "asked";
  if (note === "" || (!isQuestion && view.gate?.cause !== "step")) return null;
  const approve = `  pawl project approve --note ${shellWord(note)}${view.place.flag}`;
  return [
    `Is this your answer? Give it with${isQuestion ? "" : " one of"}:`,
    approve,
    ...(isQuestion ? [] : rejectLines(view, note)),
  ].join("\n");
}
