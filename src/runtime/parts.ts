// The parts of a runtime. Owns: what everything here is built from; app.ts picks the implementations.

import type { Dispatch } from "../dispatch/dispatch.ts";
import type { Definition } from "../domain/definition.ts";
import type { Event } from "../domain/event.ts";
import type { RunId } from "../domain/ids.ts";
import type { Header } from "../domain/run.ts";
import type { Executor } from "../executors/executor.ts";
import type { Target } from "../notify/target.ts";
import type { PermitLimit, Store } from "../store/store.ts";
import type { Clock } from "../system/clock.ts";
import type { Home } from "../system/home.ts";
import type { WorkspaceConfig } from "./config-file.ts";

export interface Parts {
  readonly store: Store;
  readonly dispatch: Dispatch;
  readonly clock: Clock;
  readonly home: Home;
  readonly executors: Executors;
  /** What the configuration says of trees. */
  readonly settings: Settings;
  /** Who is told what people should know without looking. */
  readonly targets: readonly Target[];
  readonly log: Log;
  /** Something that a person should know now. */
  readonly warn: (text: string) => void;
  /** Told after each commit of this process. */
  readonly commits: Commits;
}

export interface Settings {
  readonly workspace: WorkspaceConfig;
}

/** Which executor performs what. */
export interface Executors {
  /** The name of the executor for an agent of a run; `pull` when only a puller may take its steps; null when nobody is named. */
  nameFor(run: { readonly executor: string | null; readonly definition: Definition }, agent: string): string | null;
  get(name: string): Promise<Executor>;
  permitsFor(name: string, run: Header): readonly PermitLimit[];
}

/** The log is events with ids, not prose. */
export type Log = (event: string, fields: Readonly<Record<string, string | number | null>>) => void;

export interface Committed {
  readonly run: RunId;
  readonly events: readonly Event[];
}

/** Commits of this process, for whoever waits for one. */
export class Commits {
  readonly #listeners = new Set<(committed: Committed) => void>();

  tell(committed: Committed): void {
    for (const listener of this.#listeners) listener(committed);
  }

  listen(listener: (committed: Committed) => void): { close(): void } {
    this.#listeners.add(listener);
    return { close: () => this.#listeners.delete(listener) };
  }
}
