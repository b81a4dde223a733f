// A run in the hands of a program. Owns: driving it in this process, following its events, and what can be asked of it. Everything
// else is a use case of the application.

import type { Application } from "../application/application.ts";
import { type AcceptedRun, resume, run as startAndDrive } from "../application/driving/drive.ts";
import { type AnsweredGate, answer, approve, type GateAnswer, reject } from "../application/gates/gates.ts";
import { eventDocument, events } from "../application/looking/events.ts";
import { costOfRun } from "../application/looking/runs.ts";
import { status, whyOf } from "../application/looking/status.ts";
import { start } from "../application/starting/start.ts";
import { dropOneStep, dropOneStory } from "../application/steering/drop.ts";
import { noteTo } from "../application/steering/notes.ts";
import { sendSignal } from "../application/steering/signal.ts";
import { cancel, pause, retry, setWaits } from "../application/steering/steer.ts";
import { stopRunningAttempt } from "../application/steering/stop-attempt.ts";
import type { CostDocument } from "../contracts/cost-documents.ts";
import type { EventDocument } from "../contracts/events.ts";
import type {
  AnswerDocument,
  DroppedDocument,
  GateDocument,
  NoteDocument,
  RunDocument,
  SentSignal,
  StatusDocument,
  StoppedAttempt,
} from "../contracts/run-documents.ts";
import type { RunId } from "../domain/ids.ts";
import type { WaitsLevel } from "../domain/run.ts";
import { openWorkflowObject } from "../runtime/runs/workflow-object.ts";
import type { AnswerMore, DropMore, FollowEvents, PawlRun, RunStart } from "./api.ts";

/** What a run needs of the Pawl that it belongs to. */
export interface RunContext {
  /** Aborts when Pawl closes. */
  readonly closing: AbortSignal;
  /** Receives what a person should know. */
  note(text: string): void;
  /** Refuses after that, and has the store wait for what is under way. */
  call<T>(work: () => Promise<T>): Promise<T>;
}

export class DrivenRun implements PawlRun {
  readonly id: RunId;
  readonly number: number;
  readonly #app: Application;
  readonly #around: RunContext;
  #concurrency: number | undefined;
  /** While this process drives it. */
  #driving: { readonly stop: AbortController; readonly ended: Promise<void> } | null = null;
  /** This process is to drive it whenever it can move. */
  #drives = false;
  /** It was changed while a driver may already have found that nothing is left to do. */
  #changed = false;
  #beginning: Promise<void> = Promise.resolve();
  /** Aborts, with the reason, when the driver failed. */
  #failure = new AbortController();

  constructor(app: Application, { run, number }: AcceptedRun, around: RunContext) {
    this.#app = app;
    this.id = run;
    this.number = number;
    this.#around = around;
  }

  static async start(app: Application, request: RunStart, around: RunContext): Promise<DrivenRun> {
    const { workflow, repo = ".", drive = true, concurrency, ...rest } = request;
    const given = {
      ...rest,
      repo,
      onNote: around.note,
      workflow: typeof workflow === "string" ? workflow : openWorkflowObject(workflow, app),
    };
    if (!drive) return new DrivenRun(app, await start(app, { ...given, mayWait: true }), around);
    const stop = new AbortController();
    const accepted = Promise.withResolvers<AcceptedRun>();
    const driven = startAndDrive(app, { ...given, concurrency, signal: stop.signal, onStart: accepted.resolve });
    driven.catch(accepted.reject);
    const run = new DrivenRun(app, await accepted.promise, around);
    run.#concurrency = concurrency;
    run.#drive(stop, driven);
    return run;
  }

  async *events(request: FollowEvents = {}): AsyncIterableIterator<EventDocument> {
    const { after = 0, until = "held", signal } = request;
    const { closing } = this.#around;
    await this.#around.call(async () => undefined);
    const ends = AbortSignal.any([closing, this.#failure.signal, ...(signal ? [signal] : [])]);
    try {
      for await (const stored of events(this.#app, this.id, { after, until, signal: ends })) {
        yield eventDocument(stored);
        if (closing.aborted || signal?.aborted) return;
      }
    } catch (error) {
      // The store was closed while this was reading.
      if (!closing.aborted) throw error;
    }
    if (!closing.aborted && !signal?.aborted) this.#failure.signal.throwIfAborted();
  }

  async status(): Promise<StatusDocument> {
    return await this.#around.call(async () => (await status(this.#app, this.id)).document);
  }

  async why(): Promise<string> {
    return await this.#around.call(async () => (await whyOf(this.#app, this.id)).why);
  }

  async cost(): Promise<CostDocument> {
    return await this.#around.call(() => costOfRun(this.#app, this.id));
  }

  async gates(): Promise<readonly GateDocument[]> {
    return (await this.status()).gates.filter((gate) => gate.status === "open");
  }

  async answer(gate: string, option: string, more: AnswerMore = {}): Promise<AnswerDocument> {
    return await this.#answered(() => answer(this.#app, gate, { ...said(more), option }));
  }

  async approve(more: AnswerMore = {}): Promise<AnswerDocument> {
    return await this.#answered(() => approve(this.#app, this.id, said(more)));
  }

  async reject(more: AnswerMore = {}): Promise<AnswerDocument> {
    return await this.#answered(() => reject(this.#app, this.id, said(more)));
  }

  async note(text: string, only: { readonly story?: string } = {}): Promise<NoteDocument> {
    return (await this.#around.call(() => noteTo(this.#app, this.id, { text, ...only }))).note;
  }

  async pause(): Promise<RunDocument> {
    return await this.#around.call(() => pause(this.#app, this.id));
  }

  async cancel(reason?: string): Promise<RunDocument> {
    return await this.#around.call(() => cancel(this.#app, this.id, { reason }));
  }

  async setWaits(level: WaitsLevel): Promise<RunDocument> {
    return await this.#moved(() => setWaits(this.#app, this.id, level));
  }

  async stopAttempt(
    only: { readonly story?: string; readonly step?: string; readonly reason?: string } = {},
  ): Promise<StoppedAttempt> {
    return await this.#around.call(() => stopRunningAttempt(this.#app, this.id, only));
  }

  async signal(
    name: string,
    payload: Readonly<Record<string, unknown>> = {},
    only: { readonly story?: string } = {},
  ): Promise<SentSignal> {
    const request = { signal: name, json: JSON.stringify(payload), ...only };
    return await this.#moved(() => sendSignal(this.#app, this.id, request));
  }

  async dropStory(story: string, more: DropMore = {}): Promise<DroppedDocument> {
    return await this.#moved(() => dropOneStory(this.#app, this.id, story, more));
  }

  async dropStep(
    step: string,
    { story, ...more }: DropMore & { readonly story?: string } = {},
  ): Promise<DroppedDocument> {
    return await this.#moved(() => dropOneStep(this.#app, this.id, { step, story }, more));
  }

  async retry(only: { readonly story?: string; readonly step?: string } = {}): Promise<RunDocument> {
    return await this.#moved(() => retry(this.#app, this.id, only));
  }

  async resume({ concurrency }: { readonly concurrency?: number } = {}): Promise<void> {
    this.#concurrency = concurrency ?? this.#concurrency;
    await this.#around.call(() => this.#begin());
  }

  async wait({ signal }: { readonly signal?: AbortSignal } = {}): Promise<StatusDocument> {
    for await (const _ of this.events(signal === undefined ? {} : { signal })) {
      // Only its end counts.
    }
    signal?.throwIfAborted();
    await this.#driving?.ended;
    return await this.status();
  }

  async stop(): Promise<void> {
    await this.#around.call(() => this.stopDriving());
  }

  async stopDriving(): Promise<void> {
    this.#drives = false;
    this.#driving?.stop.abort();
    await this.#driving?.ended;
  }

  async #answered(work: () => Promise<AnsweredGate>): Promise<AnswerDocument> {
    return (await this.#moved(work)).document;
  }

  async #moved<T>(work: () => Promise<T>): Promise<T> {
    const done = await this.#around.call(work);
    this.#moveOn();
    return done;
  }

  /** After a change that may let the run continue. */
  #moveOn(): void {
    this.#changed = true;
    if (!this.#drives || this.#driving !== null || this.#around.closing.aborted) return;
    void this.#around.call(() => this.#begin()).catch((error: unknown) => this.#failure.abort(error));
  }

  /** Resolves when the run is accepted and moves; rejects if it cannot. One at a time. */
  async #begin(): Promise<void> {
    const turn = this.#beginning.then(async () => {
      if (this.#driving !== null && (await this.#isRunning())) return;
      // A driver that found it paused or held is about to return.
      await this.#driving?.ended;
      const stop = new AbortController();
      const accepted = Promise.withResolvers<AcceptedRun>();
      const driven = this.#resume(stop.signal, accepted.resolve);
      driven.catch(accepted.reject);
      await accepted.promise;
      this.#drive(stop, driven);
    });
    this.#beginning = turn.catch(() => undefined);
    await turn;
  }

  async #resume(signal: AbortSignal, onStart?: (accepted: AcceptedRun) => void): Promise<unknown> {
    const { note: onNote } = this.#around;
    return await resume(this.#app, this.id, { concurrency: this.#concurrency, signal, onStart, onNote });
  }

  #drive(stop: AbortController, first: Promise<unknown>): void {
    this.#drives = true;
    this.#failure = new AbortController();
    this.#driving = { stop, ended: this.#driveOn(stop.signal, first) };
    if (this.#around.closing.aborted) stop.abort();
  }

  /** Never rejects: a failure is for those who follow the run. */
  async #driveOn(signal: AbortSignal, first: Promise<unknown>): Promise<void> {
    try {
      for (let driven = first; ; ) {
        await driven;
        if (signal.aborted) break;
        if (await this.#movesAgain()) driven = this.#resume(signal);
        // Looked at last, in the same turn in which the driver is gone: a change that comes later begins a new one.
        else if (!this.#changed) break;
      }
    } catch (error) {
      this.#failure.abort(error);
    }
    this.#driving = null;
  }

  /** Whether it was answered or retried while its driver was about to return. */
  async #movesAgain(): Promise<boolean> {
    this.#changed = false;
    return await this.#isRunning();
  }

  async #isRunning(): Promise<boolean> {
    const summary = await (await this.#app.read()).parts.store.runById(this.id);
    return summary?.status === "running";
  }
}

function said({ note, reason }: AnswerMore): Omit<GateAnswer, "option"> {
  return { note, reason };
}
