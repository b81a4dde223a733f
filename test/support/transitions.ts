// Transitions for tests of the store and of dispatch: what the runtime does, and nothing else: load, decide, save and dispatch in
// one transaction.

import type { Dispatch } from "../../src/dispatch/dispatch.ts";
import type { Command, StartRun } from "../../src/domain/command.ts";
import type { Decision } from "../../src/domain/decision.ts";
import type { Definition } from "../../src/domain/definition.ts";
import type { AttemptId, RunId, StoryId } from "../../src/domain/ids.ts";
import type { Report } from "../../src/domain/report.ts";
import { decide, startRun, storiesFor } from "../../src/engine/decide.ts";
import type { Store, Transaction } from "../../src/store/store.ts";
import { completed, finishOf, startAttemptOf, startOf } from "./sample-runs.ts";

export class Transitions {
  readonly store: Store;
  readonly #dispatch: Pick<Dispatch, "follow"> | null;

  constructor(store: Store, dispatch: Pick<Dispatch, "follow"> | null = null) {
    this.store = store;
    this.#dispatch = dispatch;
  }

  async start(definition: Definition, changes: Partial<StartRun> = {}): Promise<RunId> {
    return await this.store.transaction(async (tx) => {
      const command = startOf(definition, changes);
      const created = await tx.create(await tx.nextRunNumber(), startRun(command));
      await this.#dispatch?.follow(tx, created);
      return command.run;
    });
  }

  async apply(run: RunId, command: Command): Promise<Decision> {
    return await this.store.transaction((tx) => this.applyIn(tx, run, command));
  }

  /** `before`: what comes with it, before dispatch follows. */
  async applyIn(tx: Transaction, run: RunId, command: Command, before?: () => Promise<void>): Promise<Decision> {
    const loaded = await tx.load(run, (header) => storiesFor(header, command));
    if (!loaded) throw new Error(`there is no run ${run}`);
    const decision = decide(loaded.run, command);
    const changes = await tx.save(loaded, decision);
    await before?.();
    await this.#dispatch?.follow(tx, changes);
    return decision;
  }

  async startAttempt(run: RunId, step: string, story: StoryId | null = null): Promise<AttemptId> {
    const command = startAttemptOf(step, { story });
    const decision = await this.apply(run, command);
    if (!decision.accepted) throw new Error(decision.why);
    return command.attempt;
  }

  /** Starts a step and ends it. */
  async perform(run: RunId, step: string, report: Report = completed(), story: StoryId | null = null): Promise<void> {
    const attempt = await this.startAttempt(run, step, story);
    await this.apply(run, finishOf(attempt, report, { story }));
  }
}
