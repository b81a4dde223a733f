// Writes the one sentence that says what a run is doing or what it waits for. It is the same everywhere it is shown.

import { hasEnded, type Outcome } from "../domain/attempt.ts";
import { namesOf } from "../domain/gate.ts";
import type { AttemptId, StoryId } from "../domain/ids.ts";
import type { Run } from "../domain/run.ts";
import { statusOf } from "../domain/run.ts";
import type { Scope } from "../domain/scope.ts";
import type { Step } from "../domain/step.ts";

/** Facts from outside the engine. */
export interface Known {
  /** Attempts whose driver is dead. */
  readonly orphans: ReadonlySet<AttemptId>;
  /** What a ready step waits for, such as an account that is held; null: any worker. */
  readonly waitsFor: (story: StoryId | null, step: Step) => string | null;
}

const nothing: Known = { orphans: new Set(), waitsFor: () => null };

export function why(run: Run, now: number, known: Known = nothing): string {
  const { header } = run;
  if (header.end) {
    const { status, reason } = header.end;
    return status === "done"
      ? `Done in ${span(header.end.at - header.startedAt)}.`
      : sentence(`The run ${status === "failed" ? "failed" : "was cancelled"}${reason ? `: ${reason}` : ""}`);
  }
  const held = statusOf({ ...header, paused: false }) === "held";
  const doing = held ? null : activity(run, now, known);
  if (header.paused) {
    const meanwhile = held ? `it ${heldBy(run, now)}` : doing;
    return sentence(`Paused; \`pawl resume\` continues it${meanwhile ? `. Meanwhile ${meanwhile}` : ""}`);
  }
  return sentence(held ? `The run ${heldBy(run, now)}` : (doing ?? "Nothing is ready to run"));
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

function describeStep(
  story: StoryId | null,
  scope: Scope,
  step: Step,
  now: number,
  { orphans, waitsFor }: Known,
): string | null {
  const what = story === null ? step.name : `${story}: ${step.name}`;
  if (step.state.status === "running" && step.state.attempt !== null) {
    const { attempt: id } = step.state;
    const attempt = scope.attempts.find((candidate) => candidate.id === id);
    if (!attempt) return null;
    if (orphans.has(id)) return `${what} was running when its driver died; \`pawl resume\` detects that and continues`;
    const stopping = attempt.state.phase === "stopping" ? "is being stopped" : "is running";
    return `${what} ${stopping} (attempt ${attempt.number}, ${attempt.executor}, for ${span(now - attempt.startedAt)})`;
  }
  if (step.state.status === "ready") {
    if (step.state.notBefore > now) return `${what} waits until ${new Date(step.state.notBefore).toISOString()}`;
    const awaited = waitsFor(story, step);
    if (awaited !== null) return `${what} waits for ${awaited}`;
    const last = scope.attempts.findLast((attempt) => attempt.step === step.id);
    const after =
      last && hasEnded(last) && last.state.outcome !== "completed"
        ? ` again (its last attempt ${past[last.state.outcome]})`
        : "";
    return `${what} is ready${after} and waits for a worker (\`pawl resume\`, or an agent that pulls)`;
  }
  return null;
}

function heldBy(run: Run, now: number): string {
  for (const [story, scope] of openScopes(run)) {
    const gate = scope.gates.find((candidate) => candidate.state.status === "open");
    if (!gate) continue;
    const own = gate.cause === "asked" ? ", with --note TEXT for your own words" : "";
    const options = `${namesOf(gate.options).join(" or ")}${own}`;
    const named = gate.question.startsWith(gate.step) ? gate.question : `${gate.step}: ${gate.question}`;
    const where = story === null ? "" : `${story}: `;
    const otherwise = gate.deadline
      ? `; without an answer, ${gate.deadline.option} at ${new Date(gate.deadline.at).toISOString()}`
      : "";
    return `waits for a person (asked ${span(now - gate.openedAt)} ago): ${where}${named} Answer with \`pawl answer ${gate.id} OPTION\` (${options})${otherwise}`;
  }
  return "waits for a person";
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

function span(ms: number): string {
  const seconds = Math.max(0, Math.round(ms / 1000));
  if (seconds < 60) return `${seconds} s`;
  const minutes = Math.floor(seconds / 60);
  return minutes < 60 ? `${minutes} min` : `${Math.floor(minutes / 60)} h ${minutes % 60} min`;
}

function sentence(text: string): string {
  return /[.!?)]$/.test(text) ? text : `${text}.`;
}
