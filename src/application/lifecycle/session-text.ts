// A session in words: its plan, what happened since a moment, where it stopped, and what to type next.

import { AppError } from "../../domain/error.ts";
import type { RunEnd } from "../../domain/run.ts";
import { english } from "../../protocols/lifecycle/locale/en.ts";
import type { Messages } from "../../protocols/lifecycle/locale/messages.ts";
import { chinese } from "../../protocols/lifecycle/locale/zh.ts";
import { planText, sessionView } from "../../protocols/lifecycle/session/display.ts";
import type { PlannedSession } from "../../protocols/lifecycle/session/planned-session.ts";
import { SessionLines } from "../../protocols/lifecycle/session/session-lines.ts";
import type { Application } from "../application.ts";
import type { LifecycleProject } from "./project.ts";
import { worksInProject } from "./sessions.ts";
import { nextCommand, type SessionView } from "./view.ts";

const locales: Readonly<Record<string, Messages>> = { en: english, zh: chinese };

/** The one that is asked for; else that of the environment, where there are texts in it; else English. */
export function messagesFor({ env }: Pick<Application, "env">, asked: string | undefined): Messages {
  if (asked !== undefined) {
    const found = locales[asked.slice(0, 2).toLowerCase()];
    if (found !== undefined) return found;
    throw new AppError("USAGE", `there are no texts for the locale ${asked}`, { hint: "en or zh" });
  }
  const language = env["LC_ALL"] || env["LC_MESSAGES"] || env["LANG"] || "";
  return locales[language.slice(0, 2).toLowerCase()] ?? english;
}

export function planWords(plan: PlannedSession, messages: Messages, isAuto: boolean): string {
  return planText(plan, messages, { stops: !isAuto });
}

/** What happened after the first `known` events: decisions, what they inserted, and why it stopped. */
export function newsOf({ events }: SessionView, known: number, messages: Messages): readonly string[] {
  const lines = new SessionLines(messages);
  return events.flatMap((event, index) => {
    const said = lines.linesOf(event);
    return index < known ? [] : said;
  });
}

export function statusWords(view: SessionView, messages: Messages): string {
  return sessionView(view.status, view.session.run.header.definition, messages);
}

const mostLines = 12;

/** Why it does not move, unless it only waits for the word to go on, where its work is, and what to type. */
export function stopWords(view: SessionView, { flag }: LifecycleProject): readonly string[] {
  const { stop, status, session } = view;
  const next = nextCommand(stop, status, flag);
  const { end } = session.run.header;
  const place = placeWords(view);
  const proceed = next === null ? [] : [`Continue: ${next}`];
  if (end !== null) return [...endWords(end), ...failedWords(view), ...place, ...proceed];
  // The words of a decision say how to continue.
  if (stop?.kind === "decision" && flag === "") return place;
  if (stop === null || stop.kind === "decision") return [...place, ...proceed];
  const options = Object.keys(stop.gate.options).join(", ");
  return [
    stop.gate.question.startsWith(stop.step) ? stop.gate.question : `${stop.step}: ${stop.gate.question}`,
    ...quoted(stop.gate.feedback),
    ...place,
    `Continue: ${next ?? ""}   (or: pawl answer ${stop.gate.id} OPTION, one of ${options})`,
  ];
}

function quoted(text: string): readonly string[] {
  const lines = text.trim().split("\n");
  return lines
    .filter((line) => line !== "")
    .slice(0, mostLines)
    .map((line) => `  | ${line}`);
}

/** What the steps said that a run failed at. */
function failedWords({ status, session }: SessionView): readonly string[] {
  if (session.run.header.end?.status !== "failed") return [];
  return status.steps.flatMap(({ stage, error, status: word }) =>
    word === "failed" && error !== null ? [`${stage}:`, ...quoted(error)] : [],
  );
}

function endWords({ status, reason }: RunEnd): readonly string[] {
  if (status === "done") return [];
  if (status === "failed") return [`The run failed: ${reason}`];
  return [reason.startsWith("cancelled") ? `The run was ${reason}.` : `The run was cancelled: ${reason}`];
}

/** Where the work of a session is that does not work in the project itself. */
export function placeWords({ session, branch, workspace }: SessionView): readonly string[] {
  if (worksInProject(session)) return [];
  if (session.run.header.end?.status !== "done")
    return [`The skills work in ${workspace}${branch === null ? "" : `, on branch ${branch}`}`];
  return [branch === null ? "It made no commit." : `The work is on branch ${branch}. Merge it: git merge ${branch}`];
}
