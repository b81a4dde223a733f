// The words of a message for people, before a service gives them its form. Texts come from agents: what could hide or turn around
// other text is taken out here, what means something to one service is escaped there.

import type { MessageKind } from "../domain/effect.ts";
import type { GateCause } from "../domain/gate.ts";
import type { Notice, NoticeGate } from "./target.ts";

export interface MessageWords {
  /** Which run, and what is with it. */
  readonly title: string;
  /** The first line of its task, and where in the run it is. */
  readonly about: string;
  /** The question, or what happened. */
  readonly text: string;
  /** Why it is asked; "": nothing is known. */
  readonly why: string;
  /** Until when, or how to answer without a link; "": nothing to say. */
  readonly foot: string;
  /** Buttons: the page of the question, with this answer first. */
  readonly answers: readonly AnswerLink[];
}

interface AnswerLink {
  readonly label: string;
  readonly url: string;
}

/** With these, a message fits every service: Discord takes 2,000 characters, ntfy 4,096 bytes. */
const longest = { workflow: 60, about: 150, text: 500, why: 500, label: 40, url: 500 };

const happened: Readonly<Record<MessageKind, string>> = {
  needs_you: "needs you",
  stuck: "is stuck",
  budget: "has used up a budget",
  story_done: "has finished a story",
  run_done: "is done",
  run_failed: "has failed",
};

const causes: Readonly<Record<GateCause, string>> = {
  step: "",
  route: "",
  asked: "The agent asks.",
  exhausted: "A limit is exhausted.",
  unreadable: "The answer of an agent could not be read.",
  cap: "A cap of the run is used up.",
  waits: "The run asks before this step.",
  stopped: "The step was stopped.",
  signal: "",
};

export function messageWords(notice: Notice): MessageWords {
  const { gate } = notice;
  return {
    title: titleOf(notice, happened[notice.event]),
    about: aboutOf(notice),
    text: cut(cleaned(notice.text), longest.text),
    why: gate === null ? "" : whyOf(gate),
    foot: gate === null ? "" : footOf(gate),
    answers: gate === null ? [] : answersOf(gate),
  };
}

/** The same message when its question is over: nothing to press. `how` is a sentence. */
export function wordsWhenOver(notice: Notice, how: string): MessageWords {
  return {
    ...messageWords(notice),
    title: titleOf(notice, "asked"),
    why: "",
    foot: cut(cleaned(how), longest.about),
    answers: [],
  };
}

/** The parts that say something, in order, without the title. */
export function paragraphsOf({ about, text, why, foot }: MessageWords): readonly string[] {
  return [about, text, why, foot].filter((part) => part !== "");
}

/** Never ends in half a character. */
export function cut(text: string, most: number): string {
  return text.length <= most ? text : `${text.slice(0, most - 1).toWellFormed()}…`;
}

function titleOf({ run }: Notice, what: string): string {
  return `Run #${run.number} (${cut(lineOf(run.workflow), longest.workflow)}) ${what}`;
}

function aboutOf({ run, story, step }: Notice): string {
  const parts = [lineOf(run.task.split("\n", 1)[0] ?? ""), lineOf(story ?? ""), lineOf(step ?? "")];
  const [task = "", ...place] = parts;
  return [cut(task, longest.about - 60), cut(place.filter((part) => part !== "").join(" · "), 50)]
    .filter((part) => part !== "")
    .join(" · ");
}

function whyOf({ cause, feedback }: NoticeGate): string {
  const known = causes[cause as GateCause] ?? "";
  return cut([known, cleaned(feedback)].filter((part) => part !== "").join("\n"), longest.why);
}

function footOf({ id, deadline, link, options }: NoticeGate): string {
  const until =
    deadline === null
      ? ""
      : `Without an answer by ${new Date(deadline.at).toUTCString()}: ${cut(lineOf(deadline.option), longest.label)}.`;
  const how =
    link === undefined
      ? `Answer on the machine: pawl answer ${id} ${cut(options.map(lineOf).join(" | "), 2 * longest.label)}`
      : "";
  return [until, how].filter((part) => part !== "").join("\n");
}

/** The link is the same for all, and signed; the answer in the query only says which button is first, and can be left out. */
function answersOf({ link, options }: NoticeGate): readonly AnswerLink[] {
  if (link === undefined) return [];
  return options.map((option) => {
    const url = `${link}?answer=${encodeURIComponent(option.toWellFormed())}`;
    return { label: cut(lineOf(option), longest.label) || "answer", url: url.length <= longest.url ? url : link };
  });
}

function lineOf(text: string): string {
  return cleaned(text).replaceAll(/\s+/g, " ");
}

/** Control characters show nothing and may hide something; those of direction turn what follows around. */
function cleaned(text: string): string {
  return unlinked(
    text
      .toWellFormed()
      .replaceAll("\r\n", "\n")
      .replaceAll(/[^\P{Cc}\n\t]|[\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]/gu, "")
      .trim(),
  );
}

/** Phones and chats make links of `evil.com`, `10.0.0.1` and everything with `://`. A space without width breaks them. */
function unlinked(text: string): string {
  return text
    .replaceAll("://", ":\u200b//")
    .replaceAll(/(?<=[\p{L}\p{M}\p{N}_-])[.\u3002\uff0e\uff61](?=[\p{L}\p{M}])/gu, "$&\u200b")
    .replaceAll(/(?<=\d{1,3})\.(?=\d{1,3}\.\d{1,3}\.\d)/g, "$&\u200b");
}
