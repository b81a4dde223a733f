// Logs. Owns: the attempts of a run, the files with what their agents printed, and how to open their sessions.

import { closeSync, existsSync, fstatSync, readSync } from "node:fs";
import type { LogList } from "../../contracts/run-documents.ts";
import type { Attempt } from "../../domain/attempt.ts";
import { AppError } from "../../domain/error.ts";
import type { RunId } from "../../domain/ids.ts";
import { didYouMean } from "../../domain/nearest.ts";
import type { Run } from "../../domain/run.ts";
import { logFile } from "../../runtime/attempt/logs.ts";
import { isoTime } from "../../runtime/views/status.ts";
import { openRegular } from "../../system/files/regular-file.ts";
import type { Application, ReadSession } from "../application.ts";
import { type EventsRequest, follow } from "../looking/events.ts";
import { findRunOrNewest, wholeRun } from "../references.ts";
import { openerFor } from "./sessions.ts";

export interface LogsRequest {
  /** A step, a story, or both: `US-001/verify`. */
  readonly step?: string | undefined;
  /** When to look again: see `events`. */
  readonly until?: Exclude<EventsRequest["until"], "held">;
  readonly signal?: AbortSignal | undefined;
}

/** Of the newest run without a reference. */
async function logs(app: Application, reference?: string, step?: string): Promise<LogList> {
  const { parts } = await app.read();
  const { id } = await findRunOrNewest(parts.store, reference);
  return await logsOf(app, parts, id, step);
}

/** The document again and again, while the run moves, with the repository of the run. */
export async function* followLogs(
  app: Application,
  reference: string | undefined,
  { step, until = "over", signal }: LogsRequest,
): AsyncGenerator<LogList & { readonly repo: string | null }, void, undefined> {
  const { parts } = await app.read();
  const { id, repo } = await findRunOrNewest(parts.store, reference);
  yield* follow(app, id, { until, signal }, async () => [{ ...(await logsOf(app, parts, id, step)), repo }]);
}

/** The document, and the last lines of the newest log. */
export async function logsWithTail(
  app: Application,
  reference: string,
  { step, lines }: { readonly step?: string | undefined; readonly lines: number },
): Promise<LogList & { readonly tail: string }> {
  const { attempts } = await logs(app, reference, step);
  const last = attempts.findLast(({ file }) => existsSync(file));
  return { attempts, tail: last === undefined ? "" : tailOf(last.file, lines) };
}

async function logsOf(
  app: Application,
  parts: ReadSession["parts"],
  id: RunId,
  step: string | undefined,
): Promise<LogList> {
  const run = await wholeRun(parts.store, { id });
  const opener = await openerFor(app, run.header);
  const attempts = attemptsOf(run, step).map((attempt) => {
    const { state } = attempt;
    return {
      story: attempt.story,
      step: attempt.step,
      ...(attempt.part === undefined ? {} : { part: attempt.part }),
      attempt: attempt.number,
      executor: attempt.executor,
      startedAt: isoTime(attempt.startedAt),
      phase: state.phase,
      outcome: state.phase === "ended" ? state.outcome : null,
      why: state.phase === "ended" ? state.why : "",
      notes: state.phase === "ended" ? (state.notes ?? []) : [],
      file: logFile(parts, run.header, attempt),
      workspace: state.phase === "dispatched" ? null : state.workspace,
      ...opener(attempt),
    };
  });
  return { attempts };
}

function attemptsOf(run: Run, step: string | undefined): readonly Attempt[] {
  const all = [run.header, ...Object.values(run.stories)].flatMap((scope) => scope.attempts);
  const { chain, stories } = run.header;
  const titles = new Map(stories.map(({ id, title }) => [id, title]));
  const wanted = step?.toLowerCase();
  const chosen = all.filter((attempt) => wanted === undefined || namesFor(attempt, titles).includes(wanted));
  const storyNames = stories.flatMap(({ id, title }) => [id.toLowerCase(), title.toLowerCase()]);
  const [place = "", ...rest] = wanted?.split("/") ?? [];
  const isKnown =
    [...storyNames, ...chain.map(({ name }) => name.toLowerCase())].includes(wanted ?? "") ||
    (storyNames.includes(place) && mayHave(run, place, rest.join("/")));
  if (wanted !== undefined && chosen.length === 0 && !isKnown) {
    const known = [...new Set([...all.map(({ name }) => name), ...stories.map(({ id }) => id)])];
    const shown = known.length > mostShown ? [...known.slice(0, mostShown), "…"] : known;
    throw new AppError("NOT_FOUND", `this run has no step and no story "${step}"`, {
      hint: `${didYouMean(step ?? "", known)}there are: ${shown.join(", ") || "none that has run yet"}`,
    });
  }
  return chosen.toSorted((a, b) => a.startedAt - b.startedAt);
}

/** Whether a story has the step; of one without a chain that is not known yet. */
function mayHave({ header, stories }: Run, place: string, step: string): boolean {
  const entry = header.stories.find(({ id, title }) => [id.toLowerCase(), title.toLowerCase()].includes(place));
  const chain = entry === undefined ? undefined : stories[entry.id]?.chain;
  const [whole = ""] = step.split(".");
  return chain?.some(({ id, name }) => [id, name].some((each) => each.toLowerCase() === whole)) ?? true;
}

const mostShown = 30;

/** What a person may call an attempt: its step (`STEP.PART` for one part), its story by id or title, or both, whatever the case. */
function namesFor({ step, name, part, story }: Attempt, titles: ReadonlyMap<string, string>): readonly string[] {
  const places = story === null ? [] : [story, titles.get(story) ?? story];
  const steps = [step, name, ...(part === undefined ? [] : [`${step}.${part}`, `${name}.${part}`])];
  const inStories = places.flatMap((place) => steps.map((each) => `${place}/${each}`));
  return [...steps, ...places, ...inStories].map((each) => each.toLowerCase());
}

/** A line of a log can be very long. */
const tailBytes = 64 * 1024;

function tailOf(file: string, lines: number): string {
  const handle = openRegular(file);
  try {
    const { size } = fstatSync(handle);
    const buffer = Buffer.alloc(Math.min(size, tailBytes));
    const read = readSync(handle, buffer, 0, buffer.length, size - buffer.length);
    return buffer.toString("utf8", 0, read).trimEnd().split("\n").slice(-lines).join("\n");
  } finally {
    closeSync(handle);
  }
}
