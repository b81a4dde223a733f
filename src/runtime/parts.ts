// The parts of a runtime. Owns: what everything here is built from; app.ts picks the implementations.

import type { Dispatch } from "../dispatch/dispatch.ts";
import type { Usage } from "../domain/attempt.ts";
import type { Event } from "../domain/event.ts";
import type { AgentName, RunId } from "../domain/ids.ts";
import type { Header } from "../domain/run.ts";
import type { ExecutionEnd, Executor, Resumed } from "../executors/executor.ts";
import type { ExecutorNames } from "../executors/executor-names.ts";
import type { RecordedUsage } from "../executors/recorded-usage.ts";
import type { Target } from "../notify/target.ts";
import type { Protocols } from "../protocols/registry.ts";
import type { Machines, PermitLimit, Store } from "../store/store.ts";
import type { Clock } from "../system/clock.ts";
import type { Home } from "../system/home.ts";
import type { Secrets } from "../system/secrets/secrets.ts";
import type { Telemetry } from "../telemetry/telemetry.ts";
import type { ToolServer } from "./attempt/execute/desk.ts";
import type { WorkspaceConfig } from "./config/config-file.ts";
import type { Projections } from "./effects/projections.ts";
import type { Site } from "./site.ts";
import type { Trees } from "./trees/trees.ts";

export interface Parts {
  readonly store: Store;
  readonly dispatch: Dispatch;
  /** null: the store is in a file, which one machine has. */
  readonly machines: Machines | null;
  readonly clock: Clock;
  readonly home: Home;
  readonly executors: Executors;
  readonly protocols: Protocols;
  /** The files of protocols that show runs. Closed before the store. */
  readonly projections: Projections;
  /** What this machine is, for steps that ask for a kind of machine. */
  readonly labels: readonly string[];
  /** null: the repositories are on this machine. */
  readonly site: Site | null;
  /** What the configuration says of trees. */
  readonly settings: TreeSettings;
  /** The same for another repository, for a process that does not know in advance which run it works for. */
  readonly settingsOf: (repo: string | null) => Promise<TreeSettings>;
  /** The trees that this process has made. */
  readonly trees: Trees;
  /** Where agents that call tools report; null: they print, as everybody may. */
  readonly tools: ToolServer | null;
  /** Who is told what people should know without looking. */
  readonly targets: readonly Target[];
  /** What must not be written anywhere. */
  readonly secrets: Secrets;
  readonly log: Log;
  /** Something that a person should know now. */
  readonly warn: (text: string) => void;
  /** null: it is off. */
  readonly telemetry: Telemetry | null;
  /** Told after each commit of this process. */
  readonly commits: Pick<Commits, "tell" | "listen">;
}

export interface TreeSettings {
  readonly workspace: WorkspaceConfig;
}

/** Which executor performs what. */
export interface Executors extends Pick<ExecutorNames, "namesFor" | "accountOf" | "awaitMs"> {
  get(name: string): Promise<Executor>;
  /** Programs that a run names itself and that this process does not start. Absent: it starts all of them. */
  readonly refused?: (...of: Parameters<ExecutorNames["namesFor"]>) => readonly string[];
  /** It is known on this machine, and its program is installed. Absent: as if each were. */
  readonly isThere?: (name: string) => boolean;
  /** What an attempt used, with an estimated cost where the agent reports tokens and no cost. */
  priced(name: string, end: Pick<ExecutionEnd, "usage" | "model">): Usage;
  /** What an agent has used, from a file with what it printed; null: nobody can tell. Absent: as if nobody could. */
  usedIn?(name: string, file: string, resumed: Resumed | null): Promise<RecordedUsage | null>;
  /** Why the cost of its attempts will not be known; null: it will. Absent: as if it were known. */
  costGap?(name: string): string | null;
  /** The places that an attempt of this agent needs among those of all runs. */
  permitsFor(name: string, run: Pick<Header, "definition">, agent: AgentName): readonly PermitLimit[];
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
