// Does what a person's plain words ask for. Words that are not understood change nothing; at a review they are offered as the note of
// an answer, which the person then gives.

import { parseIntent } from "../../protocols/agentic/intent.ts";
import { stoppedText } from "../../protocols/agentic/report-text.ts";
import { shellWord } from "../../system/process/words.ts";
import type { Application } from "../application.ts";
import { abortAttempt, approveStory, rejectStory, retryStory, skipStep } from "./answers.ts";
import { type Continued, type ContinueRequest, continueProject } from "./continue.ts";
import { sayFound } from "./found.ts";
import { projectAt } from "./place.ts";
import { readQueue } from "./queue.ts";
import { viewProject } from "./view.ts";

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
  if (!isHere)
    return {
      ...replied(`${name} is neither this project (${place.name}) nor a story of it. ${view.report}`),
      action: "unknown",
    };
  const given = { dir: request.dir, ...(note === null ? {} : { note }) };
  switch (action) {
    case "continue": {
      const continued = await continueProject(app, { ...request, story });
      return { action, reply: continued.report, continued };
    }
    case "status":
      return replied(view.report);
    case "stop":
      return replied(stoppedText(place.name, { ...view.context, next: nextOf(view) }));
    case "retry":
      return replied((await retryStory(app, given)).done);
    case "skip":
      return replied((await skipStep(app, given)).done);
    case "abort":
      return replied((await abortAttempt(app, given)).done);
    case "approve":
      return replied((await approveStory(app, given)).done);
    case "reject":
      return replied((await rejectStory(app, { ...given, reason: reason ?? "default" })).done);
    case "unknown":
      return replied(view.gate !== null && view.gate.cause !== "waits" ? asNote(text) : `${view.report}\n${help}`);
  }
}

function nextOf({ entry, context }: Awaited<ReturnType<typeof viewProject>>): { id: string; title: string } | null {
  return entry !== null && entry.status !== "done" ? { id: entry.id, title: entry.title } : (context.next ?? null);
}

function asNote(text: string): string {
  const note = shellWord(text.trim());
  return [
    "Is this your answer? Give it with one of:",
    `  pawl project approve --note ${note}`,
    `  pawl project reject --reason needs_clarification --note ${note}`,
  ].join("\n");
}
