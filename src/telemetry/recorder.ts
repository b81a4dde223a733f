// Records telemetry: reads the log of a run after each commit of this process that completes something, and gives what the commit
// completed to an exporter, which is loaded with the first of it. A command that only looks loads none.

import { errorText } from "../domain/error.ts";
import type { Event } from "../domain/event.ts";
import type { AttemptId, RunId } from "../domain/ids.ts";
import type { Attributes, Exporter } from "./exporter.ts";
import { type Completed, completionKey, RunFold } from "./run-fold.ts";
import { traceparentOf } from "./span-ids.ts";
import type { Telemetry, TelemetryPorts } from "./telemetry.ts";

/** How long the end of a process waits for telemetry, at most. */
export const closeMs = 2_000;
/** Events that are read at once: a driver works in between. */
const pageSize = 200;
/** Ends of one run that wait to be sent: more than a driver can commit while the log is read. */
const mostWaiting = 10_000;
const longestText = 200;

export interface RecorderOptions {
  readonly sendsTraces: boolean;
  /** Rejects where its packages are missing. */
  readonly load: () => Promise<Exporter>;
}

export class Recorder implements Telemetry {
  readonly #ports: TelemetryPorts;
  readonly #options: RecorderOptions;
  /** What this process has committed and not given to the exporter yet, by run. */
  readonly #waiting = new Map<RunId, Set<string>>();
  readonly #folds = new Map<RunId, RunFold>();
  #exporter: Promise<Exporter | null> | null = null;
  #working: Promise<void> | null = null;
  #isClosed = false;

  constructor(ports: TelemetryPorts, options: RecorderOptions) {
    this.#ports = ports;
    this.#options = options;
  }

  committed(run: RunId, events: readonly Event[]): void {
    if (this.#isClosed) return;
    const keys = events.map(completionKey).filter((key) => key !== null);
    if (keys.length === 0) return;
    const waiting = this.#waiting.get(run) ?? new Set();
    if (waiting.size < mostWaiting) for (const key of keys) waiting.add(key);
    this.#waiting.set(run, waiting);
    void this.#work();
  }

  variablesFor(run: RunId, attempt: AttemptId): Readonly<Record<string, string>> {
    return this.#options.sendsTraces ? { TRACEPARENT: traceparentOf(run, attempt) } : {};
  }

  observe(): void {
    void this.#load().then((exporter) => exporter?.observe(async () => await this.#ports.gauges()));
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    const until = performance.now() + closeMs;
    await within(closeMs, this.#work());
    // Loaded by now, or nothing was sent.
    const exporter = await within(0, this.#exporter ?? Promise.resolve(null));
    await exporter?.close(Math.max(0, until - performance.now()));
  }

  /** One reader at a time. What cannot be read now is read after the next commit, or at the end. */
  async #work(): Promise<void> {
    this.#working ??= this.#readAll()
      .catch((error: unknown) => this.#ports.log("telemetry.not_read", { why: errorText(error) }))
      .finally(() => {
        this.#working = null;
      });
    await this.#working;
  }

  async #readAll(): Promise<void> {
    // The commit comes first: its caller continues before anything is read.
    await new Promise((resolve) => setImmediate(resolve));
    for (let [run] = this.#waiting.keys(); run !== undefined; [run] = this.#waiting.keys()) await this.#read(run);
  }

  async #read(run: RunId): Promise<void> {
    const waiting = this.#waiting.get(run) ?? new Set();
    const fold = await this.#foldOf(run);
    // All of these are in the log by now. What is committed while it is read may be in a later page.
    const committed = [...waiting];
    const hasEnded = fold !== null && (await this.#readLog(run, fold, waiting));
    for (const key of committed) waiting.delete(key);
    if (waiting.size > 0) return;
    this.#waiting.delete(run);
    if (hasEnded) this.#folds.delete(run);
  }

  /** Returns whether the run is over. */
  async #readLog(run: RunId, fold: RunFold, waiting: Set<string>): Promise<boolean> {
    let hasEnded = false;
    for (;;) {
      const page = await this.#ports.events(run, fold.seq, pageSize);
      for (const { seq, event } of page) {
        fold.seq = seq;
        const completed = fold.apply(event);
        const key = completionKey(event);
        if (event.type === "run_ended" || event.type === "run_reopened") hasEnded = event.type === "run_ended";
        if (key !== null && waiting.delete(key)) await this.#give(completed);
      }
      if (page.length < pageSize) return hasEnded;
    }
  }

  async #foldOf(run: RunId): Promise<RunFold | null> {
    const known = this.#folds.get(run);
    if (known !== undefined) return known;
    const number = await this.#ports.number(run);
    if (number === null) return null;
    const fold = new RunFold(run, number);
    this.#folds.set(run, fold);
    return fold;
  }

  async #give({ spans, figures }: Completed): Promise<void> {
    const exporter = await this.#load();
    if (exporter === null) return;
    for (const span of spans)
      exporter.span({ ...span, name: this.#text(span.name), attributes: this.#plain(span.attributes) });
    for (const figure of figures) exporter.figure({ ...figure, labels: this.#plain(figure.labels) });
  }

  /** Names come from workflows, plans and agents: whatever they contain, no secret leaves this process. */
  #plain(attributes: Attributes): Attributes {
    const entries = Object.entries(attributes).map(
      ([name, value]) => [name, typeof value === "string" ? this.#text(value) : value] as const,
    );
    return Object.fromEntries(entries);
  }

  #text(text: string): string {
    return this.#ports.redact(text).slice(0, longestText);
  }

  async #load(): Promise<Exporter | null> {
    this.#exporter ??= this.#options.load().catch((error: unknown) => {
      this.#ports.warn(errorText(error));
      return null;
    });
    return await this.#exporter;
  }
}

/** null: it takes longer. */
async function within<T>(ms: number, work: Promise<T>): Promise<T | null> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<null>((resolve) => {
    timer = setTimeout(() => resolve(null), ms);
  });
  try {
    return await Promise.race([work, late]);
  } finally {
    clearTimeout(timer);
  }
}
