// Writes the one sentence that says what a run is doing or what it waits for. It is the same everywhere it is shown.

import { type Attempt, hasEnded, nameWithPart, type Outcome } from "../domain/attempt.ts";
import { counted } from "../domain/counted.ts";
import { isQuestion, namesOf } from "../domain/gate.ts";
import type { AttemptId, StoryId } from "../domain/ids.ts";
import { isEnded, type Part } from "../domain/part.ts";
import { isDue } from "../domain/ready.ts";
import type { Run } from "../domain/run.ts";
import { statusOf } from "../domain/run.ts";
import type { Scope } from "../domain/scope.ts";
import { hasOpenParts, type Step } from "../domain/step.ts";

/** Facts from outside the engine. */
export interface Known {
  /** Attempts whose driver is dead. */
  readonly orphans: ReadonlySet<AttemptId>;
  /** Attempts that another program performs, with the file of its report and the end of its time. */
  readonly awaited?: ReadonlyMap<AttemptId, { readonly file: string; readonly until: number }>;
  /** What a ready step waits for, such as an account that is held; null: any worker. */
  readonly waitsFor: (story: StoryId | null, step: Pick<Step, "id"> & Pick<Attempt, "name" | "part">) => string | null;
  /** The run as commands name it. Absent: the sentence names no run. */
  readonly number?: number;
  /** A process drives the run, or agents pull its steps. Absent: it is not known. */
  readonly isDriven?: boolean;
  /** A worker of the home that has the repositories lives: it drives what nothing else drives. */
  readonly hasWorker?: boolean;
  /** The service of this home: what it says of this run, in sentences, or that it will take it; null: none runs. Absent: not known. */
  readonly service?: { readonly trouble: string | null } | null;
  /** A time as people of this machine read it. */
  readonly localTime?: (at: number) => string;
  /** What a person should know beside it, such as a cap that cannot be kept. */
  readonly caveats?: readonly string[];
}

const nothing: Known = { orphans: new Set(), waitsFor: () => null };

function timeText(at: number, { localTime }: Known): string {
  return localTime?.(at) ?? new Date(at).toISOString();
}

/** `pawl resume 3`, quoted. */
function command(verb: string, { number }: Known, more = ""): string {
  return `\`pawl ${verb}${number === undefined ? "" : ` ${number}`}${more}\``;
}

/** The reason, and what to type next. */
export function why(run: Run, now: number, known: Known = nothing): string {
  return [sentence(reasonOf(run, now, known)), ...nextOf(run, known), ...(known.caveats ?? []).map(sentence)].join(" ");
}

function reasonOf(run: Run, now: number, known: Known): string {
  const { header } = run;
  if (header.end) {
    const { status, reason } = header.end;
    return status === "done"
      ? `Done in ${spanText(header.end.at - header.startedAt)}`
      : `The run ${status === "failed" ? "failed" : "was cancelled"}${reason ? `: ${reason}` : ""}`;
  }
  const held = statusOf({ ...header, paused: false }) === "held";
  const doing = held ? null : activity(run, now, known);
  if (header.paused) {
    const meanwhile = held ? `it ${heldBy(run, now, known)}` : doing;
    return `Paused; ${command("resume", known)} continues it${meanwhile ? `. Meanwhile ${meanwhile}` : ""}`;
  }
  return held ? `The run ${heldBy(run, now, known)}` : (doing ?? "Nothing is ready to run");
}

/** What to type next, where the reason does not say it. */
function nextOf({ header }: Run, known: Known): readonly string[] {
  if (known.number === undefined) return [];
  if (header.end?.status === "failed")
    return [`Try again with ${command("retry", known)}${known.service ? "" : `, then ${command("resume", known)}`}.`];
  if (header.end) return [`${command("status", known)} shows what it did.`];
  if (header.paused || statusOf(header) === "held") return [];
  if (known.isDriven === false) return [undriven(known)];
  return [`${command("logs", known, " --follow")} shows the work.`];
}

function undriven(known: Known): string {
  const { service, hasWorker = false } = known;
  if (hasWorker && !service?.trouble)
    return `No process drives it yet: a worker takes it if it has its executor, and ${command("resume", known)} continues it here.`;
  if (service === undefined) return `No process drives it: ${command("resume", known)} continues.`;
  if (service === null)
    return `No process drives it: ${command("resume", known)} continues, and \`pawl up\` drives every open run.`;
  if (service.trouble === null) return "The service will drive it in a moment.";
  return `The service cannot drive it: ${sentence(service.trouble)}`;
}

/** Further stories are only counted. */
const maxListed = 3;

/** What each open story is doing. */
function activity(run: Run, now: number, known: Known): string | null {
  const said = openScopes(run).flatMap(([story, scope]) => {
    const lines = scope.chain.map((step) => describeStep(story, scope, step, now, known));
    return lines.find((line) => line !== null) ?? [];
  });
  if (said.length === 0) return null;
  const more = said.length > maxListed ? `; and ${said.length - maxListed} more` : "";
  return `${said.slice(0, maxListed).join("; ")}${more}`;
}

function describeStep(story: StoryId | null, scope: Scope, step: Step, now: number, known: Known): string | null {
  if (!hasOpenParts(step)) return describeOne({ story, scope, step, part: null }, now, known);
  const said = step.parts.flatMap((part) => describeOne({ story, scope, step, part }, now, known) ?? []);
  if (said.length === 0) return null;
  const more = said.length > maxListed ? `; and ${said.length - maxListed} more parts` : "";
  const ended = step.parts.filter(isEnded).length;
  return `${said.slice(0, maxListed).join("; ")}${more} (${ended} of ${counted(step.parts.length, "part")} have ended)`;
}

interface Described {
  readonly story: StoryId | null;
  readonly scope: Scope;
  readonly step: Step;
  /** null: the whole step. */
  readonly part: Part | null;
}

function describeOne({ story, scope, step, part }: Described, now: number, known: Known): string | null {
  const { orphans, waitsFor } = known;
  const { state } = part ?? step;
  const of = { id: step.id, name: step.name, ...(part === null ? {} : { part: part.name }) };
  const what = story === null ? nameWithPart(of) : `${story}: ${nameWithPart(of)}`;
  if (state.status === "running" && state.attempt !== null) {
    const { attempt: id } = state;
    const attempt = scope.attempts.find((candidate) => candidate.id === id);
    if (!attempt) return null;
    const awaited = attempt.state.phase === "stopping" ? undefined : known.awaited?.get(id);
    if (awaited !== undefined) {
      const until = timeText(awaited.until, known);
      const died = orphans.has(id) ? `; its driver died, and ${command("resume", known)} waits on` : "";
      return `${what} waits for another program's report in ${awaited.file}, until ${until} (attempt ${attempt.number})${died}`;
    }
    if (orphans.has(id))
      return `${what} was running when its driver died; ${command("resume", known)} detects that and continues`;
    const stopping = attempt.state.phase === "stopping" ? "is being stopped" : "is running";
    return `${what} ${stopping} (attempt ${attempt.number}, ${attempt.executor}, for ${spanText(now - attempt.startedAt)})`;
  }
  if (state.status === "ready") {
    const last = scope.attempts.findLast((attempt) => attempt.step === step.id && attempt.part === of.part);
    const failed = last && hasEnded(last) && last.state.outcome !== "completed" ? last : null;
    const ended = failed === null ? "" : `its last attempt ${past[failed.state.outcome]}`;
    if (!isDue(state, now)) {
      const reason = ended === "" ? "" : ` (${ended}${shortly(failed?.state.why)})`;
      return `${what} waits until ${timeText(state.notBefore, known)}${reason}`;
    }
    const awaited = waitsFor(story, of);
    if (awaited !== null) return `${what} waits for ${awaited}`;
    const again = ended === "" ? "" : ` again (${ended})`;
    return known.isDriven === true
      ? `${what} is ready${again} and waits for a free slot, or for an agent that pulls (\`pawl worker list\` shows who works)`
      : `${what} is ready${again} and waits for a worker (${command("resume", known)}, or an agent that pulls)`;
  }
  return null;
}

function heldBy(run: Run, now: number, known: Known): string {
  for (const [story, scope] of openScopes(run)) {
    const gate = scope.gates.find((candidate) => candidate.state.status === "open" && isQuestion(candidate));
    if (!gate) continue;
    const own = gate.cause === "asked" ? ", with --note TEXT for your own words" : "";
    const options = `${namesOf(gate.options).join(" or ")}${own}`;
    const of = gate.part === undefined ? gate.step : `${gate.step}.${gate.part}`;
    const named = gate.question.startsWith(gate.step) ? gate.question : `${of}: ${gate.question}`;
    const where = story === null ? "" : `${story}: `;
    const otherwise = gate.deadline
      ? `; without an answer, ${gate.deadline.option} at ${timeText(gate.deadline.at, known)}`
      : "";
    return `waits for a person (asked ${spanText(now - gate.openedAt)} ago): ${where}${named} Answer with \`pawl answer ${gate.id} OPTION\` (${options})${otherwise}`;
  }
  return waitsForSignal(run, now, known) ?? "waits for a person";
}

/** Only where no person is asked. */
function waitsForSignal(run: Run, now: number, known: Known): string | null {
  const waiting = openScopes(run).flatMap(([story, { gates }]) => {
    const gate = gates.find(({ state, signal }) => state.status === "open" && signal !== undefined);
    return gate === undefined ? [] : [{ story, gate }];
  });
  const [first] = waiting;
  if (first === undefined) return null;
  const { story, gate } = first;
  const what = story === null ? gate.step : `${story}: ${gate.step}`;
  const send = command("signal", known, ` ${gate.signal}${story === null ? "" : ` --story ${story}`}`);
  const late = gate.deadline ? `, until ${timeText(gate.deadline.at, known)}` : "";
  const more = waiting.length > 1 ? `; and ${waiting.length - 1} more` : "";
  return `waits for the signal ${gate.signal} (${what}, for ${spanText(now - gate.openedAt)}${late}); send it with ${send}${more}`;
}

function openScopes(run: Run): readonly (readonly [StoryId | null, Scope])[] {
  const stories = run.header.stories
    .filter((entry) => entry.status === "running" || entry.status === "held")
    .flatMap((entry) => {
      const story = run.stories[entry.id];
      return story ? [[entry.id, story] as const] : [];
    });
  return [...stories, [null, run.header]];
}

const past: Readonly<Record<Outcome, string>> = {
  completed: "completed",
  failed: "failed",
  timed_out: "timed out",
  lost: "was lost",
  cancelled: "was cancelled",
  rate_limited: "was rate limited",
  invalid_output: "had no readable answer",
};

/** The first line of a reason, as far as it fits into a sentence. */
function shortly(reason: string | undefined): string {
  const [line = ""] = (reason ?? "").trim().split("\n", 1);
  return line === "" ? "" : `: ${line.length > 200 ? `${line.slice(0, 199)}…` : line}`;
}

/** `45 s`, `12 min`, `3 h 5 min`. */
export function spanText(ms: number): string {
  const seconds = Math.max(0, Math.round(ms / 1000));
  if (seconds < 60) return `${seconds} s`;
  const minutes = Math.floor(seconds / 60);
  return minutes < 60 ? `${minutes} min` : `${Math.floor(minutes / 60)} h ${minutes % 60} min`;
}

function sentence(text: string): string {
  return /[.!?]\)?$/.test(text) ? text : `${text}.`;
}
