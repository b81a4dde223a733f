// Simulation. Owns: playing a run in memory, with what a script says its agents would answer: no git, no process, no store.

import { noUsage } from "../../domain/attempt.ts";
import type { Definition } from "../../domain/definition.ts";
import type { Event } from "../../domain/event.ts";
import { attemptId, runId, type StoryId, token } from "../../domain/ids.ts";
import type { CompletedReport, UnfinishedReport } from "../../domain/report.ts";
import { type Run, type RunStatus, statusOf } from "../../domain/run.ts";
import type { Scope } from "../../domain/scope.ts";
import type { Step } from "../../domain/step.ts";
import { decide, startRun } from "../../engine/decide.ts";
import { definitionOf } from "../../engine/definitions.ts";
import { type CompleteProtocol, noProtocol } from "../../protocols/complete.ts";
import { readEdits } from "../../protocols/files/edit-request.ts";
import { readAnswer } from "../attempt/settle/results.ts";

interface Answer {
  readonly text: string;
  readonly exit: number;
  /** The edit request that it would write, as it is. */
  readonly edits?: unknown;
}

/** What an agent would answer; null when the script does not say. */
export type Playbook = (cue: {
  readonly step: string;
  readonly type: string;
  readonly story: string;
  readonly attempt: number;
}) => Answer | null;

export interface Simulation {
  readonly status: RunStatus;
  readonly events: readonly Event[];
  readonly run: Run;
  /** A step for which the script has no answer. */
  readonly unanswered: string | null;
}

const longestPath = 5_000;

/** Nobody need say that a story can be integrated. */
const fits: Answer = { text: "", exit: 0 };

export function simulate(
  definition: Definition,
  task: string,
  play: Playbook,
  protocol: CompleteProtocol = noProtocol,
): Simulation {
  const place = { repo: null, kind: "directory", base: null, baseName: null, branch: null } as const;
  const asked = { at: 0, author: "simulation" };
  const stories = protocol.storiesFor(task);
  const started = startRun({
    type: "start_run",
    ...asked,
    run: runId("simulated"),
    definition,
    task,
    place,
    executor: null,
    context: {},
    ...(stories === null ? {} : { stories }),
  });
  let run = started.run;
  const events: Event[] = [...started.events];
  for (let moment = 1; moment < longestPath; moment += 1) {
    const ready = firstReady(run);
    if (!ready) break;
    const id = attemptId(`at-${moment}`);
    const { id: step, name: type } = ready.step;
    const { kind } = definitionOf(run, ready.story, type);
    const answer =
      play({
        // As an agent is told its step.
        step: protocol.stepIs === "id" ? step : type,
        type,
        story: ready.story ?? "",
        attempt: attemptNumber(ready.scope, ready.step),
      }) ?? (kind === "integrate" ? fits : null);
    if (!answer) return { status: statusOf(run.header), events, run, unanswered: type };
    const report = { ...read(run, ready.story, ready.step, answer), usage: noUsage, session: null, tree: null };
    const about = { at: moment, author: "simulation", story: ready.story, attempt: id };
    const secret = token("simulated");
    const start = {
      type: "start_attempt",
      step: ready.step.id,
      token: secret,
      driver: "push",
      executor: "script",
      host: "",
    } as const;
    const begun = decide(run, { ...about, ...start });
    if (!begun.accepted) break;
    run = begun.run;
    events.push(...begun.events);
    // At a cap of the run the step fails instead of starting.
    if (run.header.end) break;
    const finished = decide(run, { ...about, type: "finish_attempt", token: secret, report });
    if (!finished.accepted) break;
    run = finished.run;
    events.push(...finished.events);
  }
  return { status: statusOf(run.header), events, run, unanswered: null };
}

function firstReady(run: Run): { story: StoryId | null; scope: Scope; step: Step } | null {
  const scopes: (readonly [StoryId | null, Scope])[] = [
    ...Object.values(run.stories).map((story) => [story.id, story] as const),
    [null, run.header],
  ];
  for (const [story, scope] of scopes) {
    const step = scope.chain.find((candidate) => candidate.state.status === "ready");
    if (step) return { story, scope, step };
  }
  return null;
}

function attemptNumber(scope: Scope, step: Step): number {
  return scope.attempts.filter((attempt) => attempt.step === step.id).length + 1;
}

function read(run: Run, story: StoryId | null, step: Step, answer: Answer): CompletedReport | UnfinishedReport {
  const definition = definitionOf(run, story, step.name);
  const why = `exit code ${answer.exit}`;
  if (definition.kind === "command") {
    const said = { outcome: "completed", outputs: {}, stories: null, notes: [], feedback: answer.text || why } as const;
    return { ...said, verdict: answer.exit === 0 ? { kind: "passed" } : { kind: "rejected", reason: "exit" } };
  }
  if (definition.kind === "integrate") {
    const said = { outcome: "completed", outputs: {}, stories: null, notes: [], feedback: answer.text } as const;
    return { ...said, verdict: answer.exit === 0 ? { kind: "passed" } : { kind: "rejected", reason: "conflict" } };
  }
  if (answer.exit !== 0 || definition.kind !== "agent") return { outcome: "failed", why, retryAt: null, notes: [] };
  const report = readAnswer(definition, answer.text, run.header.definition.knownKeys);
  if (report.outcome !== "completed" || answer.edits === undefined) return report;
  return { ...report, edits: readEdits(requestIn(answer.edits)) };
}

function requestIn(edits: unknown): string {
  return typeof edits === "string" ? edits : JSON.stringify(edits);
}
