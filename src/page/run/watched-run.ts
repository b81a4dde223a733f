// The run that the page shows, now and at any moment before. Owns: reading its events as they come, and where in time the page stands,
// which is part of the address.

import { computed, type ReadonlySignal, signal } from "@preact/signals";
import type { DefinitionDocument } from "../../contracts/definition.ts";
import type { EventDocument } from "../../contracts/events.ts";
import type { Run, RunStatus } from "../../domain/run.ts";
import { statusOf } from "../../domain/run.ts";
import { why } from "../../engine/why.ts";
import { address, setQuery } from "../address.ts";
import { CallProblem, get } from "../api/calls.ts";
import { changes, seqOf } from "../api/changes.ts";
import { RunLog } from "./run-log.ts";

interface EventPage {
  readonly events: readonly EventDocument[];
  readonly next: number;
}

const pageSize = 5_000;

/** What every view of a run is given. */
export interface ViewOfRun {
  readonly watched: WatchedRun;
}

export class WatchedRun {
  readonly number: number;
  /** Grows with each batch of events; parts that show the run depend on it. */
  readonly length = signal(0);
  readonly problem = signal<CallProblem | null>(null);
  /** It has read everything that there was when it was opened. */
  readonly isLoaded = signal(false);
  readonly #closing = new AbortController();
  #log: RunLog | null = null;
  #isReading = false;
  #stop: () => void = () => undefined;

  constructor(number: number) {
    this.number = number;
    this.#stop = changes.subscribe(() => void this.#read());
  }

  /** The place in time that the address names; null: now. */
  readonly past: ReadonlySignal<number | null> = computed(() => {
    const at = Number(address.value.query.get("at") ?? Number.NaN);
    return Number.isInteger(at) && at >= 1 && at < this.length.value ? at : null;
  });

  readonly place: ReadonlySignal<number> = computed(() => this.past.value ?? this.length.value);

  readonly run: ReadonlySignal<Run | null> = computed(() => {
    const place = this.place.value;
    return this.#log?.at(place) ?? null;
  });

  /** The time at which the page stands: that of the last event in the past, and the clock's for now. */
  readonly time: ReadonlySignal<number> = computed(() => {
    const past = this.past.value;
    return past === null ? Date.now() : (this.#log?.events[past - 1]?.at ?? 0);
  });

  readonly status: ReadonlySignal<RunStatus | null> = computed(() => {
    const run = this.run.value;
    return run === null ? null : statusOf(run.header);
  });

  readonly why: ReadonlySignal<string> = computed(() => {
    const run = this.run.value;
    return run === null ? "" : why(run, this.time.value);
  });

  get events(): RunLog["events"] {
    return this.#log?.events ?? [];
  }

  /** The last place is now. Until something is read, there is no place. */
  seek(place: number): void {
    if (this.length.value === 0) return;
    const at = Math.max(1, Math.min(place, this.length.value));
    setQuery({ at: at === this.length.value ? null : String(at) });
  }

  close(): void {
    this.#stop();
    this.#closing.abort();
  }

  async #read(): Promise<void> {
    if (this.#isReading || this.#isUpToDate()) return;
    this.#isReading = true;
    try {
      await this.#readAll();
      this.problem.value = null;
      this.isLoaded.value = true;
    } catch (error) {
      if (this.#closing.signal.aborted) return;
      this.problem.value = error instanceof CallProblem ? error : notFolded(error);
    } finally {
      this.#isReading = false;
    }
  }

  /** A change of another run is none of this one. */
  #isUpToDate(): boolean {
    const known = seqOf.value.get(this.number);
    return this.isLoaded.value && this.problem.value === null && known !== undefined && known <= this.length.value;
  }

  async #readAll(): Promise<void> {
    const { signal } = this.#closing;
    this.#log ??= new RunLog(await get<DefinitionDocument>(`/runs/${this.number}/definition`, signal));
    for (;;) {
      const path = `/runs/${this.number}/events?after=${this.#log.length}&limit=${pageSize}`;
      const page = await get<EventPage>(path, signal);
      this.#log.append(page.events);
      if (page.events.length === 0) return;
      this.length.value = this.#log.length;
      // A page of long events is short: only what the stream said, or an empty one, is the end.
      if ((seqOf.value.get(this.number) ?? Number.POSITIVE_INFINITY) <= this.length.value) return;
    }
  }
}

/** Events of a newer Pawl than this page, or a gap: nothing is better than another run. */
function notFolded(error: unknown): CallProblem {
  const why = error instanceof Error ? error.message : String(error);
  return new CallProblem(0, {
    detail: `this page cannot follow the run any further: ${why}`,
    hint: "load the page again; if that does not help, `pawl status` shows the run",
  });
}
