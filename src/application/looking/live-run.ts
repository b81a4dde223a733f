// A run as it works now. Owns: its stories, its money, and what each agent at work does, from the ends of their logs. Logs are read only
// where they grew, and the store only when `refresh` is called.

import { type Attempt, hasEnded, nameWithPart, type Usage } from "../../domain/attempt.ts";
import { AppError } from "../../domain/error.ts";
import type { RunId } from "../../domain/ids.ts";
import type { Run } from "../../domain/run.ts";
import { capsOf } from "../../engine/limits.ts";
import { logFile } from "../../runtime/attempt/logs.ts";
import { type Activity, activityAfter, noActivity } from "../../transcript/activity.ts";
import type { Transcript } from "../../transcript/transcript.ts";
import type { Application } from "../application.ts";
import { GrowingFile } from "../transcripts/growing-file.ts";
import { transcriptFor } from "../transcripts/transcripts.ts";

/** An attempt at work, and what its agent does. */
export interface LiveAgent {
  readonly attempt: string;
  readonly story: string | null;
  /** Its step, with its part: `review (security)`. */
  readonly step: string;
  readonly number: number;
  readonly executor: string;
  readonly startedAt: number;
  readonly activity: Activity;
  /** The beginning of its log was not read: amounts are lower bounds. */
  readonly isPartial: boolean;
}

export interface LiveView {
  readonly startedAt: number;
  readonly stories: { readonly done: number; readonly of: number };
  /** Of attempts that ended, and what agents at work have reported. */
  readonly costUsd: number;
  readonly estimatedUsd: number;
  /** The cap in money; null: there is none. */
  readonly capUsd: number | null;
  /** The longest at work first. */
  readonly agents: readonly LiveAgent[];
}

/** Of a log that is there already, what is read of its past; and what is read of its growth at once. */
const [pastBytes, growthBytes] = [2 * 1024 * 1024, 1024 * 1024];

export class LiveRun {
  readonly #app: Application;
  readonly #run: RunId;
  readonly #logs = new Map<string, LiveLog>();
  #facts: Omit<LiveView, "agents"> | null = null;
  #attempts: readonly Attempt[] = [];

  constructor(app: Application, run: RunId) {
    this.#app = app;
    this.#run = run;
  }

  /** Reads from the store which attempts are at work. */
  async refresh(): Promise<void> {
    const { parts } = await this.#app.read();
    const run = await parts.store.wholeRun(this.#run);
    if (run === null) return;
    this.#take(run, (attempt) => logFile(parts, run.header, attempt), parts.clock.now());
    await this.#openLogs(run);
  }

  /** What `look` needs of the run. */
  #take(run: Run, fileOf: (attempt: Attempt) => string, now: number): void {
    const { header, stories } = run;
    this.#facts = factsOf(run, now);
    this.#attempts = [header, ...Object.values(stories)]
      .flatMap(({ attempts }) => attempts)
      .filter((attempt) => !hasEnded(attempt))
      .toSorted((one, other) => one.startedAt - other.startedAt);
    const running = new Set(this.#attempts.map(({ id }): string => id));
    for (const id of this.#logs.keys()) if (!running.has(id)) this.#logs.delete(id);
    for (const attempt of this.#attempts)
      if (attempt.state.phase !== "dispatched" && !this.#logs.has(attempt.id))
        this.#logs.set(attempt.id, new LiveLog(fileOf(attempt)));
  }

  async #openLogs({ header }: Run): Promise<void> {
    for (const { id, executor, state } of this.#attempts) {
      const workspace = state.phase === "dispatched" ? null : state.workspace;
      const log = this.#logs.get(id);
      if (log?.transcript === null)
        log.transcript = await transcriptFor(this.#app, header.place.repo, { executor, workspace });
    }
  }

  /** Reads what was printed since; null before the first `refresh`. */
  look(): LiveView | null {
    if (this.#facts === null) return null;
    const agents = this.#attempts.map((attempt): LiveAgent => {
      const { id, story, number, executor, startedAt } = attempt;
      const log = this.#logs.get(id);
      return {
        attempt: id,
        story,
        step: nameWithPart(attempt),
        number,
        executor,
        startedAt,
        activity: log?.look() ?? noActivity,
        isPartial: log?.isPartial ?? false,
      };
    });
    const spent = agents.reduce((sum, { activity }) => sum + (activity.usage?.costUsd ?? 0), 0);
    return { ...this.#facts, costUsd: this.#facts.costUsd + spent, agents };
  }
}

function factsOf({ header }: Run, now: number): Omit<LiveView, "agents"> {
  const { costUsd, estimatedUsd = 0 }: Usage = header.totals;
  const limit = capsOf(header, now).find(({ name }) => name === "costUsd")?.limit;
  return {
    startedAt: header.startedAt,
    stories: { done: header.stories.filter(({ status }) => status === "done").length, of: header.stories.length },
    costUsd,
    estimatedUsd,
    capUsd: limit === undefined || !Number.isFinite(limit) ? null : limit,
  };
}

/** The log of one attempt. */
class LiveLog {
  transcript: Transcript | null = null;
  readonly #file: GrowingFile;
  #activity = noActivity;

  constructor(file: string) {
    this.#file = new GrowingFile(file, pastBytes);
  }

  get isPartial(): boolean {
    return this.#file.leftOut > 0;
  }

  look(): Activity {
    const { transcript } = this;
    if (transcript === null) return this.#activity;
    try {
      for (const piece of this.#file.added(growthBytes))
        this.#activity = activityAfter(this.#activity, transcript.write(piece), transcript.saying);
    } catch (error) {
      // An agent may have put something else in its place.
      if (!(error instanceof AppError)) throw error;
    }
    return this.#activity;
  }
}
