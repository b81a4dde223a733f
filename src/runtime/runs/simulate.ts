// Simulates a run in memory, with answers from a script: no git, no process, no store. The engine decides and the answers are read as
// in a real run; what needs a tree (checks, the read-only rule, integration) is taken from the script.

import { noUsage } from "../../domain/attempt.ts";
import { type Definition, isPerformed, type PerformedDefinition } from "../../domain/definition.ts";
import type { Event } from "../../domain/event.ts";
import { attemptId, runId, type StoryId, token } from "../../domain/ids.ts";
import type { CompletedReport, UnfinishedReport } from "../../domain/report.ts";
import { type Run, type RunStatus, statusOf } from "../../domain/run.ts";
import type { Scope } from "../../domain/scope.ts";
import type { Step } from "../../domain/step.ts";
import { decide, startRun } from "../../engine/decide.ts";
import { definitionOf } from "../../engine/definitions.ts";
import { type CompleteProtocol, noProtocol } from "../../protocols/complete-protocol.ts";
import { readEdits } from "../../protocols/files/edit-request.ts";
import { type Answer, noToolReport } from "../attempt/execute/answer.ts";
import { readAnswer } from "../attempt/settle/read-answer.ts";

interface ScriptedAnswer {
  readonly text: string;
  readonly exit: number;
  /** The edit request that the agent would write, unchanged. */
  readonly edits?: unknown;
}

/** The answer of an agent; null: the script has none. */
export type Playbook = (cue: {
  readonly step: string;
  readonly type: string;
  readonly story: string;
  readonly attempt: number;
}) => ScriptedAnswer | null;

export interface Simulation {
  readonly status: RunStatus;
  readonly events: readonly Event[];
  readonly run: Run;
  /** The step for which the script has no answer. */
  readonly unanswered: string | null;
}

const longestPath = 5_000;

/** A script need not say that a story can be integrated. */
const fits: ScriptedAnswer = { text: "", exit: 0 };

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
        // The same as in PAWL_STEP.
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

function read(
  run: Run,
  story: StoryId | null,
  step: Step,
  scripted: ScriptedAnswer,
): CompletedReport | UnfinishedReport {
  const definition = definitionOf(run, story, step.name);
  if (!isPerformed(definition)) throw new Error(`${definition.name} is a ${definition.kind} step and has no answer`);
  const report = readAnswer(definition, answerOf(definition, scripted), run.header.definition.knownKeys);
  if (report.outcome !== "completed" || scripted.edits === undefined) return report;
  return { ...report, edits: readEdits(requestIn(scripted.edits)) };
}

/** The answer that `execute` would hand to `settle`. */
function answerOf({ kind }: PerformedDefinition, { text, exit }: ScriptedAnswer): Answer {
  const end = { text, usage: noUsage, session: null, notes: [] } as const;
  const why = `exit code ${exit}`;
  if (kind === "agent" || kind === "command") {
    const outcome = exit === 0 ? ({ outcome: "ran" } as const) : ({ outcome: "failed", why } as const);
    return { kind: "executed", end: { ...end, ...outcome }, reported: noToolReport };
  }
  const said = { outcome: "completed", outputs: {}, stories: null, notes: [], feedback: text } as const;
  const rejected = { kind: "rejected", reason: kind === "integrate" ? "conflict" : null } as const;
  const verdict = exit === 0 ? ({ kind: "passed" } as const) : rejected;
  return { kind: "performed", report: { ...said, verdict }, isChecked: true };
}

function requestIn(edits: unknown): string {
  return typeof edits === "string" ? edits : JSON.stringify(edits);
}
