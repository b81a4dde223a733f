// Drives a run by commands in tests, with a clock and ids that count up. Like the product, it shows `decide` only the scopes that
// `storiesFor` names. After each command it checks the invariants.

import type { Attempt } from "../../../src/domain/attempt.ts";
import type { Command } from "../../../src/domain/command.ts";
import type { Accepted, Decision, Rejection } from "../../../src/domain/decision.ts";
import type { Definition } from "../../../src/domain/definition.ts";
import type { EditOperation } from "../../../src/domain/edit.ts";
import type { Effect, Message, MessageKind } from "../../../src/domain/effect.ts";
import type { Event } from "../../../src/domain/event.ts";
import type { Gate } from "../../../src/domain/gate.ts";
import {
  attemptId,
  type NoteId,
  noteId,
  type PartName,
  partName,
  runId,
  type StoryId,
  stepId,
  stepName,
  storyId,
  token,
} from "../../../src/domain/ids.ts";
import { notesWith } from "../../../src/domain/note.ts";
import type { Report } from "../../../src/domain/report.ts";
import {
  type Run,
  type RunPlace,
  type RunStatus,
  scopeOf,
  statusOf,
  type WaitsLevel,
} from "../../../src/domain/run.ts";
import type { Scope } from "../../../src/domain/scope.ts";
import type { Step } from "../../../src/domain/step.ts";
import type { AdoptedStory, StorySpec } from "../../../src/domain/story.ts";
import { decide, startRun, storiesFor } from "../../../src/engine/decide.ts";
import { replay } from "../../../src/engine/evolve.ts";
import { passed, rejected, type Said, unfinished, value } from "./reports.ts";
import { frozen, same } from "./same.ts";

/** A command without its time and author. */
export type CommandInput = Command extends infer C ? (C extends Command ? Omit<C, "at" | "author"> : never) : never;

export interface DriverOptions {
  readonly context?: Readonly<Record<string, string>>;
  readonly branch?: string;
  /** Stories that are known from the start, by their ids or in full. */
  readonly stories?: readonly (string | StorySpec)[];
  readonly adopted?: readonly AdoptedStory[];
  readonly waits?: WaitsLevel;
  /** Folding the whole log after each command is slow for long walks; they call `checkReplay` at their end. */
  readonly replayEach?: boolean;
}

/** The other fields of an answer. Without a tree it is for the one that the gate shows. */
interface AnswerSaid {
  readonly note?: string;
  readonly reason?: string;
  readonly tree?: string | null;
}

/** A place is `step` in the run's own chain and `story/step` in a story's; `step#part` is one part of it. */
export class Driver {
  run: Run;
  at = 1_000;
  readonly events: Event[] = [];
  readonly effects: Effect[] = [];
  readonly #replayEach: boolean;
  #count = 0;

  constructor(definition: Definition, options: DriverOptions = {}) {
    this.#replayEach = options.replayEach ?? true;
    const place: RunPlace = {
      repo: null,
      kind: "directory",
      base: null,
      baseName: null,
      branch: options.branch ?? null,
    };
    const started = startRun({
      type: "start_run",
      at: this.at,
      author: "user:test",
      run: runId("run-1"),
      definition,
      task: "the task",
      place,
      executor: null,
      context: options.context ?? {},
      ...(options.stories && { stories: options.stories.map(specOf) }),
      ...(options.adopted && { adopted: options.adopted }),
      ...(options.waits && { waits: options.waits }),
    });
    this.run = frozen(started.run);
    this.#record(started);
  }

  // commands

  ask(input: CommandInput, author = "user:test"): Decision {
    const command = { ...input, at: this.at, author } as Command;
    const seen = this.#seenBy(command);
    const decision = decide(seen, command);
    this.#compareWithWhole(command, seen, decision);
    // A refusal may also change the run: a gate may show another tree.
    if (decision.run !== null && decision.run !== seen) {
      const { header, stories } = decision.run;
      this.run = frozen({ header, stories: { ...this.run.stories, ...stories } });
    }
    if (decision.accepted) this.#record(decision);
    else this.events.push(...decision.events);
    if (this.#replayEach) this.checkReplay();
    return decision;
  }

  /** Folding the log, as it would be read from a file, must give the same state. */
  checkReplay(): void {
    const read = JSON.parse(JSON.stringify(this.events)) as Event[];
    if (!same(replay(read), this.run)) throw new Error("replay gives a different state");
  }

  must(input: CommandInput, author?: string): Accepted {
    const decision = this.ask(input, author);
    if (!decision.accepted) throw new Error(`${input.type} was refused (${decision.code}): ${decision.why}`);
    return decision;
  }

  refused(input: CommandInput, author?: string): Rejection {
    const before = this.run;
    const decision = this.ask(input, author);
    if (decision.accepted) throw new Error(`${input.type} was not refused`);
    if (before !== this.run && decision.code !== "moved")
      throw new Error(`${input.type} was refused and changed the run`);
    return decision;
  }

  // attempts

  /** The command that starts an attempt of a ready step. */
  starting(place: string, driver: "push" | "pull" = "push"): Extract<CommandInput, { type: "start_attempt" }> {
    const { story, name, part } = parse(place);
    this.#count += 1;
    return {
      type: "start_attempt",
      story,
      step: stepId(name),
      ...(part === undefined ? {} : { part }),
      attempt: attemptId(`a${this.#count}`),
      token: token(`t${this.#count}`),
      driver,
      executor: "scripted",
      host: "here",
    };
  }

  claim(place: string, driver?: "push" | "pull"): Attempt {
    const input = this.starting(place, driver);
    this.must(input, "driver");
    const attempt = this.attempts(place).find(({ id }) => id === input.attempt);
    if (!attempt) throw new Error(`${place} was not started: ${JSON.stringify(this.step(place).state)}`);
    return attempt;
  }

  begin(place: string, base: string | null = null): void {
    const attempt = this.#running(place);
    const { story } = attempt;
    this.must({ type: "begin_attempt", story, attempt: attempt.id, workspace: "/w", base }, "driver");
  }

  /** Reports for the attempt at this place. A ready step is started first. */
  finish(place: string, report: Report): Accepted {
    if (this.state(place) === "ready") this.claim(place);
    return this.must(this.finishing(this.#running(place), report), "agent:worker");
  }

  finishing(attempt: Attempt, report: Report, by: string | null = attempt.token): CommandInput {
    const { story, id } = attempt;
    return { type: "finish_attempt", story, attempt: id, token: by === null ? null : token(by), report };
  }

  pass(place: string, said?: Said): Accepted {
    return this.finish(place, passed(said));
  }

  plan(place: string, ...planned: (string | StorySpec)[]): Accepted {
    return this.pass(place, { stories: planned.map(specOf) });
  }

  reject(place: string, feedback = "not good enough", reason: string | null = null, said?: Said): Accepted {
    return this.finish(place, rejected(feedback, reason, said));
  }

  say(place: string, text: string, said?: Said): Accepted {
    return this.finish(place, value(text, said));
  }

  fails(place: string, why?: string): Accepted {
    return this.finish(place, unfinished("failed", why));
  }

  lose(place: string): Accepted {
    return this.finish(place, unfinished("lost"));
  }

  // people

  answer(place: string, option: string, said?: AnswerSaid): Accepted {
    return this.must(this.answering(place, option, said), "user:ann");
  }

  answering(place: string, option: string, said: AnswerSaid = {}): Extract<CommandInput, { type: "answer_gate" }> {
    const gate = this.openGate(place);
    return { type: "answer_gate", story: gate.story, gate: gate.id, option, note: "", tree: gate.tree, ...said };
  }

  note(text: string, of: string | null = null): Accepted {
    this.#count += 1;
    const story = of === null ? null : storyId(of);
    return this.must({ type: "add_note", note: noteId(`n${this.#count}`), of: story, text }, "user:ann");
  }

  /** Has the agent of the running attempt told; the id of the note. */
  tell(place: string, text: string): NoteId {
    this.#count += 1;
    const { id: attempt, story } = this.#running(place);
    const note = noteId(`n${this.#count}`);
    this.must({ type: "tell_attempt", story, attempt, note, of: story, text }, "user:ann");
    return note;
  }

  /** `refused`: why its agent does not have it; null: it has it. */
  settleNote(place: string, note: NoteId, refused: string | null): Decision {
    const { id: attempt, story } = this.#running(place);
    return this.ask({ type: "settle_note", story, attempt, note, refused });
  }

  /** The texts of the notes that the running attempt at this place has. */
  notes(place: string): readonly string[] {
    return notesWith(this.run.header.notes, this.#running(place).id).map(({ text }) => text);
  }

  waits(waits: WaitsLevel): Accepted {
    return this.must({ type: "change_waits", waits }, "user:ann");
  }

  /** A person stops the attempt at this place. */
  stopping(place: string, reason = "not now"): Extract<CommandInput, { type: "stop_attempt" }> {
    const { story, id } = this.#running(place);
    return { type: "stop_attempt", story, attempt: id, reason };
  }

  expiring(place: string): Extract<CommandInput, { type: "expire_gate" }> {
    const gate = this.openGate(place);
    return { type: "expire_gate", story: gate.story, gate: gate.id };
  }

  pause(): Decision {
    return this.ask({ type: "pause_run" });
  }

  resume(): Decision {
    return this.ask({ type: "resume_run" });
  }

  cancel(reason = "no longer wanted"): Decision {
    return this.ask({ type: "cancel_run", reason });
  }

  retry(what: { story?: string; step?: string } = {}): Decision {
    const story = what.story === undefined ? null : storyId(what.story);
    return this.ask({ type: "retry_run", story, step: what.step === undefined ? null : stepName(what.step) });
  }

  /** A person changes the chain of a story, or with null the run's own. */
  editing(story: string | null, ...operations: EditOperation[]): Extract<CommandInput, { type: "edit_chain" }> {
    return { type: "edit_chain", story: story === null ? null : storyId(story), operations };
  }

  edit(story: string | null, ...operations: EditOperation[]): Accepted {
    return this.must(this.editing(story, ...operations), "user:ann");
  }

  adding(...specs: (string | StorySpec)[]): Extract<CommandInput, { type: "add_stories" }> {
    return { type: "add_stories", stories: specs.map(specOf) };
  }

  // reading

  get status(): RunStatus {
    return statusOf(this.run.header);
  }

  /** Step ids with their states, in order. */
  states(story: string | null = null): Record<string, string> {
    return Object.fromEntries(this.scope(story).chain.map((step) => [step.id, step.state.status]));
  }

  /** Step ids in order. */
  ids(story: string | null = null): readonly string[] {
    return this.scope(story).chain.map(({ id }) => id);
  }

  /** Which story has which slot. */
  slots(): Record<string, number> {
    return Object.fromEntries(
      this.run.header.stories.flatMap(({ id, slot }) => (slot === undefined ? [] : [[id, slot]])),
    );
  }

  storyStates(): Record<string, string> {
    return Object.fromEntries(this.run.header.stories.map((entry) => [entry.id, entry.status]));
  }

  context(story: string | null = null): Readonly<Record<string, string>> {
    return this.scope(story).context;
  }

  scope(story: string | null): Scope {
    const scope = scopeOf(this.run, story === null ? null : storyId(story));
    if (!scope) throw new Error(`story ${story} is not opened`);
    return scope;
  }

  step(place: string): Step {
    const { story, name } = parse(place);
    const step = this.scope(story).chain.find(({ id }) => id === name);
    if (!step) throw new Error(`there is no step ${place}`);
    return step;
  }

  attempts(place: string): readonly Attempt[] {
    const { story, name, part } = parse(place);
    const own = this.scope(story).attempts.filter((attempt) => attempt.step === name);
    return part === undefined ? own : own.filter((attempt) => attempt.part === part);
  }

  /** The status of a step, or of a part. */
  state(place: string): string {
    const { part } = parse(place);
    return part === undefined ? this.step(place).state.status : (this.parts(place)[part] ?? "nothing");
  }

  /** The parts of a step with their states, in order. */
  parts(place: string): Record<string, string> {
    return Object.fromEntries((this.step(place).parts ?? []).map(({ name, state }) => [name, state.status]));
  }

  gates(place: string): readonly Gate[] {
    const { story, name, part } = parse(place);
    const own = this.scope(story).gates.filter((gate) => gate.step === name);
    return part === undefined ? own : own.filter((gate) => gate.part === part);
  }

  openGate(place: string): Gate {
    const open = this.gates(place).find((gate) => gate.state.status === "open");
    if (!open) throw new Error(`no gate is open at ${place}`);
    return open;
  }

  happened<T extends Event["type"]>(type: T): readonly Extract<Event, { type: T }>[] {
    return this.events.filter((event): event is Extract<Event, { type: T }> => event.type === type);
  }

  /** Messages to people, of one kind or all. */
  messages(kind?: MessageKind): readonly Message[] {
    return messagesOf(this.effects).filter((message) => kind === undefined || message.kind === kind);
  }

  #running(place: string): Attempt {
    const running = this.attempts(place).find(({ state }) => state.phase !== "ended");
    if (!running) throw new Error(`nothing runs at ${place}: ${this.state(place)}`);
    return running;
  }

  #seenBy(command: Command): Run {
    const named = storiesFor(this.run.header, command).flatMap((id) => {
      const story = this.run.stories[id];
      return story ? [[id, story] as const] : [];
    });
    return frozen({ header: this.run.header, stories: Object.fromEntries(named) });
  }

  /** Loading more stories than `storiesFor` names must not change the decision. */
  #compareWithWhole(command: Command, seen: Run, decision: Decision): void {
    if (Object.keys(seen.stories).length === Object.keys(this.run.stories).length) return;
    const whole = decide(this.run, command);
    const effects = (one: Decision) => (one.accepted ? one.effects : []);
    const alike = decision.accepted === whole.accepted && same(effects(decision), effects(whole));
    if (alike && same(decision.events, whole.events)) return;
    throw new Error(`${command.type} decides differently with the whole run`);
  }

  #record(decision: Accepted): void {
    this.events.push(...decision.events);
    this.effects.push(...decision.effects);
  }
}

export function messagesOf(effects: readonly Effect[]): readonly Message[] {
  return effects.flatMap((effect) => (effect.type === "notify" ? [effect.message] : []));
}

function specOf(spec: string | StorySpec): StorySpec {
  if (typeof spec !== "string") return spec;
  return { id: storyId(spec), title: spec, description: "", acceptanceCriteria: [], dependsOn: [] };
}

function parse(place: string): { story: StoryId | null; name: string; part: PartName | undefined } {
  const [whole = "", of] = place.split("#");
  const part = of === undefined ? undefined : partName(of);
  const [first = "", second] = whole.split("/");
  return second === undefined ? { story: null, name: first, part } : { story: storyId(first), name: second, part };
}
