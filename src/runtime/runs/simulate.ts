// Simulates a run in memory, with answers from a script or with steps that all pass: no git, no process, no store. The engine decides and the answers are read as
// in a real run; what needs a tree (checks, the read-only rule, integration) is taken from the script.

import { noUsage } from "../../domain/attempt.ts";
import type { AnswerGate, ExpireGate, ReceiveSignal } from "../../domain/command.ts";
import { counted } from "../../domain/counted.ts";
import { type DecisionStep, type Definition, type PerformedWork } from "../../domain/definition.ts";
import { AppError } from "../../domain/error.ts";
import type { Event } from "../../domain/event.ts";
import { unknownValue } from "../../domain/evidence.ts";
import type { Gate } from "../../domain/gate.ts";
import { attemptId, type PartName, runId, type StoryId, storyId, token } from "../../domain/ids.ts";
import type { CompletedReport, UnfinishedReport } from "../../domain/report.ts";
import { decidedValues, type Route, repeats } from "../../domain/route.ts";
import { type Run, type RunStatus, saidPlaces, scopeOf, statusOf } from "../../domain/run.ts";
import type { Scope } from "../../domain/scope.ts";
import { lateOption } from "../../domain/signal.ts";
import { hasOpenParts, type Step } from "../../domain/step.ts";
import type { StorySpec } from "../../domain/story.ts";
import { decide, startRun } from "../../engine/decide.ts";
import { definitionOf, performedBy } from "../../engine/definitions.ts";
import { readReport } from "../../prompts/report.ts";
import { type CompleteProtocol, noProtocol } from "../../protocols/complete-protocol.ts";
import { readEdits } from "../../protocols/files/edit-request.ts";
import { decideByVote } from "../../protocols/files/vote.ts";
import { type Answer, noToolReport } from "../attempt/execute/answer.ts";
import { decisionReport } from "../attempt/execute/decision.ts";
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
  /** The answers that no question took, in words. */
  readonly notes: readonly string[];
}

const longestPath = 5_000;

const fits: ScriptedAnswer = { text: "", exit: 0 };

/** A person's answer to the question of a step. */
export interface SimulatedAnswer {
  readonly step: string;
  readonly option: string;
}

export interface Performance {
  /** `well`: every step passes, and a question without an answer gets its first option. */
  readonly play: Playbook | "well";
  /** For each step, in the order in which it asks. */
  readonly answers?: readonly SimulatedAnswer[];
}

export function simulate(
  definition: Definition,
  task: string,
  { play, answers = [] }: Performance,
  protocol: CompleteProtocol = noProtocol,
): Simulation {
  assertStepsOf(definition, answers);
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
    context: Object.fromEntries((definition.inputs ?? []).map((name) => [name, `(simulated ${name})`])),
    ...(stories === null ? {} : { stories }),
  });
  let run = started.run;
  const events: Event[] = [...started.events];
  const left = [...answers];
  for (let moment = 1; moment < longestPath; moment += 1) {
    const ready = firstReady(run);
    if (!ready) {
      const answer = answerTo(run, left, play === "well");
      if (!answer) break;
      const answered = decide(run, { at: moment, author: "simulation", ...answer });
      if (!answered.accepted) throw new AppError("USAGE", answered.why, { hint: "give --answer STEP=OPTION" });
      run = answered.run;
      events.push(...answered.events);
      continue;
    }
    const id = attemptId(`at-${moment}`);
    const { id: step, name: type } = ready.step;
    const cue = {
      // The same as in PAWL_STEP.
      step: protocol.stepIs === "id" ? step : type,
      type,
      story: ready.story ?? "",
      part: ready.part ?? "",
      attempt: attemptNumber(ready),
    };
    const said = voted(run, ready) ?? (play === "well" ? wellDone(run, ready) : scripted(run, ready, play(cue)));
    if (!said) return { ...endOf(run, left), events, unanswered: ready.part ? `${type}.${ready.part}` : type };
    const report = { ...said, usage: noUsage, session: null, tree: null };
    const about = { at: moment, author: "simulation", story: ready.story, attempt: id };
    const secret = token("simulated");
    const start = {
      type: "start_attempt",
      step: ready.step.id,
      ...(ready.part === undefined ? {} : { part: ready.part }),
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
  return { ...endOf(run, left), events, unanswered: null };
}

function assertStepsOf({ steps }: Definition, answers: readonly SimulatedAnswer[]): void {
  const names: readonly string[] = steps.flatMap((step) => [
    step.name,
    ...(step.kind === "stories" ? step.body.map(({ name }) => name) : []),
  ]);
  const unknown = answers.find(({ step }) => !names.includes(step.slice(step.indexOf("/") + 1)));
  if (!unknown) return;
  const hint = `--answer STEP=OPTION takes one of: ${[...new Set(names)].join(", ")}; in a story, STORY/STEP`;
  throw new AppError("USAGE", `the workflow has no step "${unknown.step}"`, { hint });
}

function endOf(run: Run, unused: readonly SimulatedAnswer[]): Pick<Simulation, "status" | "run" | "notes"> {
  const notes = unused.map(({ step, option }) => {
    const asked = scopesOf(run)
      .flatMap(({ gates }) => gates)
      .filter((gate) => isAskedBy(run, gate, step)).length;
    const why = asked === 0 ? "did not ask" : `asked ${counted(asked, "time")}`;
    return `--answer ${step}=${option} was not used: ${step} ${why}`;
  });
  return { status: statusOf(run.header), run, notes };
}

function scopesOf(run: Run): readonly Scope[] {
  return [...Object.values(run.stories), run.header];
}

/** `step`: as an answer names it, with or without the story. */
function isAskedBy(run: Run, gate: Gate, step: string): boolean {
  const name = scopeOf(run, gate.story)?.chain.find(({ id }) => id === gate.step)?.name;
  return name === step || `${gate.story}/${name}` === step;
}

interface ReadyStep {
  readonly story: StoryId | null;
  readonly scope: Scope;
  readonly step: Step;
  /** Absent: the whole step. */
  readonly part?: PartName;
}

function firstReady(run: Run): ReadyStep | null {
  const scopes: (readonly [StoryId | null, Scope])[] = [
    ...Object.values(run.stories).map((story) => [story.id, story] as const),
    [null, run.header],
  ];
  for (const [story, scope] of scopes) {
    const step = scope.chain.find((candidate) => candidate.state.status === "ready");
    if (step) return { story, scope, step };
    const open = scope.chain.find(hasOpenParts);
    const part = open?.parts.find(({ state }) => state.status === "ready");
    if (open && part) return { story, scope, step: open, part: part.name };
  }
  return null;
}

type SimulatedCommand =
  | Pick<AnswerGate, "type" | "story" | "gate" | "option" | "note" | "tree">
  | Pick<ReceiveSignal, "type" | "signal" | "of" | "outputs">
  | (Pick<ExpireGate, "type" | "story" | "gate"> & { readonly at: number });

/** The signal comes with its keys, or with `late` not in time. */
function signalled(run: Run, { story, id, step, deadline }: Gate, signal: string, option: string): SimulatedCommand {
  if (option === lateOption && deadline !== null) return { type: "expire_gate", story, gate: id, at: deadline.at };
  const name = scopeOf(run, story)?.chain.find((candidate) => candidate.id === step)?.name;
  const definition = name === undefined ? null : definitionOf(run, story, name);
  const keys = definition?.kind === "gate" ? (definition.signal?.produces ?? []) : [];
  const outputs = Object.fromEntries(keys.map((key) => [key, `(simulated ${key})`]));
  return { type: "receive_signal", signal, of: story, outputs };
}

/** The answer to the first open question; null: there is no question, or no answer to it. Answers are used up. */
function answerTo(run: Run, left: SimulatedAnswer[], takesFirst: boolean): SimulatedCommand | null {
  const gate = scopesOf(run)
    .flatMap(({ gates }) => gates)
    .find(({ state }) => state.status === "open");
  if (!gate) return null;
  const at = left.findIndex(({ step }) => isAskedBy(run, gate, step));
  const [given] = at < 0 ? [] : left.splice(at, 1);
  const option = given?.option ?? (takesFirst ? Object.keys(gate.options)[0] : undefined);
  if (option === undefined) return null;
  if (gate.signal !== undefined) return signalled(run, gate, gate.signal, option);
  return { type: "answer_gate", story: gate.story, gate: gate.id, option, note: "", tree: gate.tree };
}

/** What stories said is known here, too, so no script says what follows from it; null: it is no such decision. */
function voted(run: Run, { story, step }: ReadyStep): CompletedReport | null {
  const definition = definitionOf(run, story, step.name);
  if (definition.kind !== "decision" || !definition.source || !("vote" in definition.source)) return null;
  const values = decidedValues(definition.on).filter((value) => value !== unknownValue);
  return decisionReport(definition, decideByVote(saidPlaces(run, story), definition.source, values), story !== null);
}

/** What a step says that did its work: it passes, decides for what leads on, prints its keys, and plans stories that are needed. */
function wellDone(run: Run, ready: ReadyStep): CompletedReport {
  const { story } = ready;
  const definition = performedOf(run, ready);
  const { on, decide: key } = definition;
  const values = decidedValues(on).filter((each) => definition.kind !== "decision" || each !== unknownValue);
  const leads = (to: (route: Route) => boolean) => values.find((each) => to(on[`=${each}`]?.route ?? { to: "again" }));
  const leadsOn =
    leads(({ to }) => to === "next") ??
    leads(({ to }) => to === "go_to") ??
    leads(({ to }) => to === "end") ??
    leads((route) => !repeats(route));
  const value = key === null ? undefined : (leadsOn ?? values[0]);
  const needsPlan =
    story === null &&
    (definition.kind === "agent" || (definition.kind === "decision" && on[`=${value}`]?.route.to === "next")) &&
    run.header.stories.length === 0 &&
    run.header.definition.steps.some(({ kind }) => kind === "stories");
  return {
    outcome: "completed",
    verdict: value === undefined ? { kind: "passed" } : { kind: "value", value },
    outputs: {
      ...Object.fromEntries((definition.produces ?? []).map((name) => [name, `(simulated ${name})`])),
      ...(key === null || value === undefined ? {} : { [key]: value }),
    },
    stories: needsPlan ? simulatedPlan(run.header.definition) : null,
    feedback: "",
    notes: [],
  };
}

/** Two stories, or as many as a step needs. */
function simulatedPlan({ steps }: Definition): readonly StorySpec[] {
  const needed = steps.map((step) => (step.kind === "stories" ? (step.need ?? 1) : 1));
  const ids = Array.from({ length: Math.max(2, ...needed) }, (_, index) => `US-${String(index + 1).padStart(3, "0")}`);
  return ids.map(simulatedStory);
}

function simulatedStory(id: string): StorySpec {
  return {
    id: storyId(id),
    title: `Story ${id}`,
    description: "A simulated story.",
    acceptanceCriteria: ["it works"],
    dependsOn: [],
  };
}

/** A script need not say that a story can be integrated, or that parts can be joined. */
function scripted(
  run: Run,
  ready: ReadyStep,
  answer: ScriptedAnswer | null,
): CompletedReport | UnfinishedReport | null {
  const definition = performedOf(run, ready);
  const given = answer ?? (definition.kind === "integrate" || definition.kind === "join" ? fits : null);
  return given && read(run, definition, given);
}

function performedOf(run: Run, { story, step: { name }, part }: ReadyStep): PerformedWork {
  const definition = performedBy(run, story, { name, ...(part === undefined ? {} : { part }) });
  if (definition === null) throw new Error(`${name} is not performed and has no answer`);
  return definition;
}

function attemptNumber({ scope, step, part }: ReadyStep): number {
  return scope.attempts.filter((attempt) => attempt.step === step.id && attempt.part === part).length + 1;
}

function read(run: Run, definition: PerformedWork, answer: ScriptedAnswer): CompletedReport | UnfinishedReport {
  if (definition.kind === "decision") return readDecided(run, definition, answer);
  const report = readAnswer(definition, answerOf(definition, answer), run.header.definition.knownKeys);
  if (report.outcome !== "completed" || answer.edits === undefined) return report;
  return { ...report, edits: readEdits(requestIn(answer.edits)) };
}

/** The value alone, or lines as an agent prints them: `POST_VERIFY: fix`, `STORIES_JSON: […]`. What has no route is unknown. */
function readDecided(run: Run, step: DecisionStep, { text, exit }: ScriptedAnswer): CompletedReport | UnfinishedReport {
  if (exit !== 0) return { outcome: "failed", why: text || `exit code ${exit}`, retryAt: null, notes: [] };
  const said = /^[\w.-]+$/.test(text.trim()) ? `${step.decide}: ${text.trim()}` : text;
  const report = readReport(step, said, run.header.definition.knownKeys);
  if (report.outcome === "completed" && report.verdict.kind === "value" && step.on[`=${report.verdict.value}`])
    return report;
  const why = text.trim() === "" ? "the script says nothing" : `the script says ${JSON.stringify(text.trim())}`;
  const outputs = { evidence: why, [step.decide ?? ""]: unknownValue };
  const verdict = { kind: "value", value: unknownValue } as const;
  return { outcome: "completed", verdict, outputs, stories: null, feedback: why, notes: [] };
}

/** The answer that `execute` would hand to `settle`. */
function answerOf({ kind }: PerformedWork, { text, exit }: ScriptedAnswer): Answer {
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
