// Moves a run at random, with commands that its state allows and some that it must refuse, and checks each move.

import { type Attempt, hasEnded, type Usage } from "../../../src/domain/attempt.ts";
import type { Definition } from "../../../src/domain/definition.ts";
import { type Gate, namesOf } from "../../../src/domain/gate.ts";
import {
  attemptId,
  gateId,
  type NoteId,
  noteId,
  partName,
  type StoryId,
  stepId,
  storyId,
  token,
} from "../../../src/domain/ids.ts";
import { joinPart, type Part } from "../../../src/domain/part.ts";
import type { CompletedReport, JoinConflict, Report } from "../../../src/domain/report.ts";
import { hasOpenParts, type Step } from "../../../src/domain/step.ts";
import { isUnbegun } from "../../../src/domain/story.ts";
import { decide } from "../../../src/engine/decide.ts";
import { decideByVote } from "../../../src/protocols/files/vote.ts";
import { checkChains, checkEdits, Ids } from "./chain-invariants.ts";
import { checkConditions, majorityIn } from "./condition-book.ts";
import { type CommandInput, Driver } from "./driver.ts";
import { checkEarlyEnds } from "./early-ends.ts";
import { checkChange, checkState, holds, performed, scopesOf, Tally } from "./invariants.ts";
import { Ledger } from "./ledger.ts";
import { NoteBook } from "./note-book.ts";
import { checkGatesStand, checkMessages, checkSignals } from "./questions.ts";
import { type RunStart, randomEditRequest, randomLevel, randomOperations, randomPlan } from "./random-requests.ts";
import { completed, unfinished } from "./reports.ts";
import { WaitBook } from "./wait-book.ts";

export interface Move {
  /** The kind of move, which of the possible ones, and the seed of its contents. */
  readonly kind: number;
  readonly pick: number;
  readonly words: number;
}

interface Ready {
  readonly story: StoryId | null;
  readonly step: Step;
  /** Absent: the whole step. */
  readonly part?: Part;
}

const patience = 400;

export class Walk {
  readonly driver: Driver;
  readonly #tally = new Tally();
  readonly #ledger = new Ledger();
  readonly #ids = new Ids();
  readonly #noteBook = new NoteBook();
  readonly #waitBook: WaitBook;
  #notes = 0;

  constructor(definition: Definition, beginning: RunStart = {}) {
    this.driver = new Driver(definition, { replayEach: false, ...beginning });
    this.#waitBook = new WaitBook(beginning.waits ?? "marked");
    this.#waitBook.enter(this.driver.run, this.driver.events);
    this.#ids.enter(this.driver.events);
    checkState(this.driver.run);
    checkChains(this.driver.run);
  }

  through(moves: readonly Move[]): this {
    for (const move of moves) this.#move(move);
    this.driver.checkReplay();
    return this;
  }

  /** If all agents and people cooperate, the run ends, whatever was done to its chains before. */
  toItsEnd(): this {
    for (let move = 0; move < patience && !this.driver.run.header.end; move += 1) this.#please(move);
    holds(this.driver.run.header.end !== null, `the run has not ended after ${patience} moves`);
    this.driver.checkReplay();
    return this;
  }

  #please(move: number): void {
    const { driver } = this;
    driver.at += 100;
    if (driver.run.header.paused) return void this.#ask({ type: "resume_run" }, "accept");
    const [running] = this.#running();
    if (running) return void this.#ask(driver.finishing(running, this.#words(running, 0), null), "accept");
    const [ready] = this.#ready();
    if (ready) return this.#start(ready, 1);
    const [gate] = this.#open();
    if (!gate) throw new Error("nothing is ready, runs or asks, and the run is not over");
    if (gate.signal !== undefined) return void this.#ask(signalFor(gate, gate.signal), "accept");
    const options = namesOf(gate.options);
    // After many repetitions of the same question the answer is no.
    const option = (move < patience / 2 ? options[0] : options.at(-1)) ?? "";
    const { story, id, tree } = gate;
    this.#ask({ type: "answer_gate", story, gate: id, option, note: "", tree }, "accept");
  }

  #move({ kind, pick, words }: Move): void {
    this.driver.at += 1 + (words % 7);
    if (words % 11 === 0) this.#note(pick, words);
    // One that may come before its step is reached, or for no step at all.
    if (words % 17 === 0)
      this.#ask({ type: "receive_signal", signal: "go", of: this.#someStory(pick), outputs: { o_go: "early" } });
    if (words % 29 === 0) this.#drop(pick, words);
    if (words % 13 === 0) this.#ask({ type: "change_waits", waits: randomLevel(pick) });
    if (kind < 69) this.#continue(pick, words);
    else if (kind < 73) this.#edit(pick, words);
    else if (kind < 75) this.#replan(pick, words);
    else if (kind < 83) this.#disturb(pick, words);
    else if (kind < 90) this.#ask(this.#nonsense(pick, words), "refuse");
    else if (kind < 93) this.#ask({ type: "pause_run" });
    else if (kind < 97) this.#ask({ type: "resume_run" });
    else if (kind < 99 || pick % 3 > 0) this.#retry(pick, words);
    else this.#ask({ type: "cancel_run", reason: "walked away" });
  }

  /** What cooperating agents and people do next. */
  #continue(pick: number, words: number): void {
    const { driver } = this;
    if (driver.run.header.paused && !driver.run.header.end && words % 2 === 0) this.#ask({ type: "resume_run" });
    if (driver.run.header.end?.status === "failed" && words % 4 === 0) return this.#retry(pick, words);
    const moves = [...this.#ready(), ...this.#running(), ...this.#open()];
    const chosen = moves[pick % (moves.length || 1)];
    if (!chosen) return;
    if ("openedAt" in chosen) return this.#answer(chosen, words);
    if ("token" in chosen) return this.#report(chosen, words);
    this.#start(chosen, words);
  }

  #retry(pick: number, words: number): void {
    const { chain } = this.driver.run.header;
    const step = words % 5 === 0 ? (chain[pick % chain.length]?.name ?? null) : null;
    this.#ask({ type: "retry_run", story: this.#someStory(pick), step });
  }

  /** A person changes the plan: stories that are new, that are gone, and that count as done. */
  #replan(pick: number, words: number): void {
    this.#ask({ type: "add_stories", stories: randomPlan(words, "V") });
    const unbegun = this.driver.run.header.stories.filter(isUnbegun).map(({ id }) => id);
    const [one, two] = [unbegun[pick % (unbegun.length || 1)], unbegun[words % (unbegun.length || 1)]];
    if (one === undefined || two === undefined) return;
    this.#ask({ type: "add_stories", stories: [], ...(words % 2 === 0 ? { dropped: [one] } : { done: [two] }) });
    this.#ask({ type: "raise_caps", caps: { attempts: this.driver.run.header.caps.attempts } }, "refuse");
  }

  #note(pick: number, words: number): void {
    this.#notes += 1;
    const note = noteId(`n${this.#notes}`);
    this.#ask({ type: "add_note", note, of: this.#someStory(pick), text: `note ${words}` });
    this.#ask({ type: "add_note", note, of: storyId("nobody"), text: "" }, "refuse");
    this.#changeFile(noteId(`f${this.#notes}`), pick, words);
  }

  /** Somebody writes into a file: a note, or which story comes next. */
  #changeFile(note: NoteId, pick: number, words: number): void {
    const story = this.#someStory(pick);
    const said = { file: "STATE", field: "x", value: words, why: "changed", story, note };
    const [entry] = this.driver.run.header.stories.filter(isUnbegun);
    const changes = [
      { ...said, adopts: null },
      { ...said, adopts: { kind: "note", text: `file ${words}` } },
      ...(entry === undefined
        ? []
        : [
            {
              ...said,
              adopts: { kind: "story", spec: { ...entry, description: "", acceptanceCriteria: [] } },
            } as const,
          ]),
    ] as const;
    this.#ask({ type: "take_file_changes", changes });
  }

  /** A person drops a step or a story, whatever it is doing. */
  #drop(pick: number, words: number): void {
    const { run } = this.driver;
    const as = words % 2 === 0 ? "done" : "failed";
    const { stories } = run.header;
    const entry = stories[pick % (stories.length || 1)];
    if (words % 7 === 1 && entry) return this.#revert(entry.id);
    if (words % 3 === 0 && entry) return void this.#ask({ type: "drop_story", of: entry.id, as, reason: "dropped" });
    const scopes = scopesOf(run);
    const { story, scope } = scopes[pick % scopes.length] ?? { story: null, scope: run.header };
    const step = scope.chain[words % scope.chain.length];
    if (step) this.#ask({ type: "drop_step", story, step: step.id, as, reason: "dropped" });
  }

  /** The commit of a story is taken back, once. */
  #revert(of: StoryId): void {
    const revert: CommandInput = { type: "revert_story", of, commit: "c1", by: "c2", on: "main" };
    if (this.#ask(revert)) this.#ask(revert, "refuse");
  }

  /** A person edits one of the chains. */
  #edit(pick: number, words: number): void {
    const { run } = this.driver;
    const scopes = scopesOf(run);
    const { story } = scopes[pick % scopes.length] ?? { story: null };
    this.#ask({ type: "edit_chain", story, operations: randomOperations(run, story, null, words) });
  }

  #start({ story, step, part }: Ready, words: number): void {
    const { driver } = this;
    const { state } = part ?? step;
    if (state.status === "ready" && words % 5 > 0) driver.at = Math.max(driver.at, state.notBefore);
    const own = part === undefined ? step.id : `${step.id}#${part.name}`;
    const place = story === null ? own : `${story}/${own}`;
    const decision = this.#ask(driver.starting(place, words % 3 === 0 ? "pull" : "push"));
    if (!decision) return;
    const attempt = this.#running().find(
      (running) => running.step === step.id && running.story === story && running.part === part?.name,
    );
    // Another worker tries to start the same step. A part that a spent budget ended may end its round, and so be open again.
    if (attempt || part === undefined) this.#ask(driver.starting(place), "refuse");
    if (!attempt || words % 2 === 0) return;
    const begin: CommandInput = { type: "begin_attempt", story, attempt: attempt.id, workspace: "/w", base: "c0" };
    this.#ask(begin, "accept");
    this.#ask(begin, "refuse");
  }

  #report(attempt: Attempt, words: number): void {
    const { driver } = this;
    const input = driver.finishing(attempt, this.#words(attempt, words), words % 9 === 0 ? null : attempt.token);
    this.#ask(driver.finishing(attempt, this.#words(attempt, 0), "stolen"), "refuse");
    if (attempt.state.phase === "stopping") {
      this.#ask(driver.finishing(attempt, this.#words(attempt, 0)), "refuse");
      this.#ask(driver.finishing(attempt, this.#words(attempt, words), null), "accept");
    } else this.#ask(input, "accept");
    this.#ask(input, "refuse");
  }

  #answer(gate: Gate, words: number): void {
    const { story, id } = gate;
    const { driver } = this;
    const expire: CommandInput = { type: "expire_gate", story, gate: id };
    if (gate.deadline === null) this.#ask(expire, "refuse");
    else if (words % 3 === 0 || driver.at >= gate.deadline.at) {
      if (driver.at < gate.deadline.at) this.#ask(expire, "refuse");
      driver.at = Math.max(driver.at, gate.deadline.at);
      this.#ask(expire, "accept", "deadline");
      return void this.#ask(expire, "refuse");
    }
    if (gate.signal !== undefined) {
      const sent = signalFor(gate, gate.signal);
      this.#ask({ type: "answer_gate", story, gate: id, option: "received", note: "", tree: null }, "refuse");
      this.#ask({ ...sent, outputs: {} }, "refuse");
      this.#ask({ ...sent, signal: "no such signal" }, "refuse");
      return void this.#ask(sent, "accept");
    }
    const options = namesOf(gate.options);
    const option = options[words % options.length] ?? "";
    const reason = [{ reason: "unclear" }, { reason: "no such reason" }, {}][(words >> 3) % 3] ?? {};
    const input: CommandInput = { type: "answer_gate", story, gate: id, option, note: "", tree: gate.tree, ...reason };
    const moved = gate.tree !== null && words % 8 < 4;
    if (moved) {
      const tree = words % 4 === 0 ? null : `moved${words}`;
      this.#ask({ ...input, tree }, "refuse");
      this.#ask({ ...input, tree: "elsewhere" }, "refuse");
      // Sometimes a person pauses or resumes meanwhile; the gate stays open.
      if (words % 5 === 0) for (const type of ["pause_run", "resume_run"] as const) this.#ask({ type });
    }
    this.#ask(moved ? { ...input, tree: "elsewhere" } : input, "accept");
    this.#ask(input, "refuse");
  }

  /** Lost and rate-limited attempts, and attempts that are stopped from outside. */
  #disturb(pick: number, words: number): void {
    const running = this.#running();
    const attempt = running[pick % (running.length || 1)];
    if (!attempt) return;
    const { driver } = this;
    if (words % 3 === 0) return this.#stop(attempt);
    const outcome = (["lost", "lost", "rate_limited", "cancelled", "failed"] as const)[words % 5] ?? "lost";
    const asked = outcome === "failed" ? { asked: { question: "Which way?", options: ["left", "right"] } } : {};
    const report = unfinished(outcome, outcome, { retryAt: driver.at + 50, usage: usageOf(words), ...asked });
    this.#ask(driver.finishing(attempt, report, null), "accept");
  }

  /** A person stops an attempt. One that Pawl started ends later. */
  #stop({ id, story }: Attempt): void {
    const { end } = this.driver.run.header;
    const stopping = this.#running().some((attempt) => attempt.id === id && attempt.state.phase === "stopping");
    const input: CommandInput = { type: "stop_attempt", story, attempt: id, reason: "a person stops it" };
    this.#ask(input, end || stopping ? "refuse" : "accept");
    this.#ask(input, "refuse");
  }

  /** Commands that must always be refused. */
  #nonsense(pick: number, words: number): CommandInput {
    const { driver } = this;
    const attempts = scopesOf(driver.run).flatMap(({ scope }) => scope.attempts.filter(hasEnded));
    const gates = scopesOf(driver.run).flatMap(({ scope }) =>
      scope.gates.filter(({ state }) => state.status !== "open"),
    );
    const old = attempts[pick % (attempts.length || 1)];
    const answered = gates[pick % (gates.length || 1)];
    const steps = scopesOf(driver.run).flatMap(({ story, scope }) =>
      scope.chain
        .filter(({ state }) => state.status !== "ready")
        .map((step) => (story ? `${story}/${step.id}` : step.id)),
    );
    const busy = steps[pick % (steps.length || 1)];
    switch (words % 8) {
      case 0:
        if (old) return driver.finishing(old, this.#words(old, pick));
        break;
      case 1:
        if (old) return driver.finishing(old, this.#words(old, pick), null);
        break;
      case 2:
        if (answered) {
          const option = Object.keys(answered.options)[0] ?? "";
          return {
            type: "answer_gate",
            story: answered.story,
            gate: answered.id,
            option,
            note: "",
            tree: answered.tree,
          };
        }
        break;
      case 3:
        if (busy) return driver.starting(busy);
        break;
      case 4:
        return { ...driver.starting("s0"), story: storyId("nobody") };
      case 5:
        return {
          type: "answer_gate",
          story: this.#someStory(pick),
          gate: gateId("none"),
          option: "approve",
          note: "",
          tree: null,
        };
      case 6:
        return { ...driver.starting("s0"), step: stepId("no-such-step") };
    }
    const report = unfinished("failed");
    const story = words % 2 === 0 ? storyId("nobody") : null;
    return { type: "finish_attempt", story, attempt: attemptId("a0"), token: token("t0"), report };
  }

  #words(attempt: Attempt, words: number): Report {
    const step = performed(this.driver.run, attempt.story, attempt.name);
    const kind = words % 16;
    const usage = usageOf(words);
    if (kind >= 13) {
      const outcome = (["failed", "timed_out", "invalid_output"] as const)[kind - 13] ?? "failed";
      return unfinished(outcome, outcome, { usage, tree: words % 5 === 0 ? `tree${words}` : null });
    }
    if (step.kind === "decision" && step.source && "vote" in step.source) {
      const read = decideByVote(this.driver.run.header, step.source, ["yes", "no"]);
      const { value, why } = read;
      holds(value === majorityIn(this.driver.run, step.source.of.key), `${step.name} decides ${value}: ${why}`);
      return completed({ kind: "value", value }, { outputs: { [step.decide ?? ""]: value }, feedback: why, usage });
    }
    const keys = Object.keys(step.on);
    const key = kind < 7 ? keys[0] : kind === 12 ? "=unheard of" : keys[1 + (words % (keys.length - 1 || 1))];
    const verdict: CompletedReport["verdict"] =
      !key || key === "passed"
        ? { kind: "passed" }
        : key.startsWith("=")
          ? { kind: "value", value: key.slice(1) }
          : { kind: "rejected", reason: key.includes(":") ? (key.split(":")[1] ?? null) : null };
    const outputs: Record<string, string> = { [`o_${attempt.name}`]: linesOf(words) };
    if (words % 3 === 0) outputs[`o_${attempt.name}_more`] = "more";
    if (words % 4 > 0) outputs[`o_${attempt.name}_vote`] = words % 4 === 3 ? "no" : " Yes\n";
    const planned = attempt.story === null && words % 5 > 0 ? randomPlan(words) : null;
    const feedback = words % 4 === 0 ? "" : `feedback ${words}`;
    const tree = words % 2 === 0 ? `tree${words}` : null;
    const request =
      words === 0 || attempt.part !== undefined
        ? null
        : randomEditRequest(this.driver.run, attempt.story, attempt.step, words);
    const joined = attempt.part === joinPart && verdict.kind === "rejected" ? { conflict: randomConflict(words) } : {};
    const said = {
      ...joined,
      ...(request && { edits: request }),
      ...(words % 2 === 0 ? { summary: `summary ${words}` } : {}),
    };
    return completed(verdict, { outputs, feedback, stories: planned, tree, usage, ...said });
  }

  /** Sends a command, checks the invariants, and returns whether it was accepted. */
  #ask(input: CommandInput, expected?: "accept" | "refuse", author?: string): boolean {
    const { driver } = this;
    const before = driver.run;
    const decision = driver.ask(input, author);
    const answer = decision.accepted ? "accept" : "refuse";
    holds(expected === undefined || expected === answer, `${JSON.stringify(input)} should be ${expected}ed`);
    checkChange(before, driver.run, decision);
    checkGatesStand(before, driver.run, decision, input, driver.at);
    if (!decision.accepted) return false;
    this.#ledger.enter(before, input, decision);
    checkMessages(driver.run, decision, input);
    checkSignals(driver.run, driver.events);
    this.#tally.count(driver.run, decision.events);
    this.#ids.enter(decision.events);
    this.#noteBook.enter(before, driver.run, decision.events);
    this.#waitBook.enter(driver.run, decision.events);
    checkState(driver.run);
    checkChains(driver.run);
    checkEdits(driver.run, decision, operationsIn(input));
    checkEarlyEnds(driver.run, decision);
    checkConditions(before, driver.run, decision);
    this.#checkIdle();
    return true;
  }

  /** A command without an effect changes nothing: the walk has gone as far as it can. */
  #checkIdle(): void {
    const { run, at } = this.driver;
    if (run.header.end || run.header.paused) return;
    const idle = decide(run, { type: "resume_run", at, author: "driver" });
    holds(idle.accepted && idle.events.length === 0, "resuming a running run had an effect");
    holds(idle.run === run, "a command without events changed the run");
  }

  #ready(): Ready[] {
    if (this.driver.run.header.end || this.driver.run.header.paused) return [];
    return scopesOf(this.driver.run).flatMap(({ story, scope }) =>
      scope.chain.flatMap((step): Ready[] => {
        if (hasOpenParts(step))
          return step.parts.filter(({ state }) => state.status === "ready").map((part) => ({ story, step, part }));
        return step.state.status === "ready" ? [{ story, step }] : [];
      }),
    );
  }

  #running(): Attempt[] {
    return scopesOf(this.driver.run).flatMap(({ scope }) => scope.attempts.filter((attempt) => !hasEnded(attempt)));
  }

  #open(): Gate[] {
    return scopesOf(this.driver.run).flatMap(({ scope }) => scope.gates.filter(({ state }) => state.status === "open"));
  }

  #someStory(pick: number): StoryId | null {
    const { stories } = this.driver.run.header;
    return pick % 2 === 0 ? null : (stories[pick % (stories.length || 1)]?.id ?? null);
  }
}

function signalFor({ story }: Gate, signal: string): Extract<CommandInput, { type: "receive_signal" }> {
  return { type: "receive_signal", signal, of: story, outputs: { o_go: "sent" } };
}

/** How many operations the command requests. */
function operationsIn(input: CommandInput): number | null {
  if (input.type === "edit_chain") return input.operations.length;
  if (input.type !== "finish_attempt" || input.report.outcome !== "completed") return null;
  const { edits } = input.report;
  return edits && "operations" in edits ? edits.operations.length : null;
}

/** Up to 30 cents and 60 tokens; some attempts are free. */
function usageOf(words: number): Usage {
  return { costUsd: (words % 4) / 10, inputTokens: (words % 5) * 10, outputTokens: (words % 3) * 10 };
}

/** One to three entries of a list. */
function linesOf(words: number): string {
  return [String(words), "b", "c"].slice(0, 1 + (words % 3)).join("\n");
}

/** Now and then of a part that the step does not have. */
function randomConflict(words: number): JoinConflict {
  return { part: partName(`p${words % 5}`), files: ["a.txt"] };
}
