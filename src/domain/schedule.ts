// A schedule: when the service starts a workflow by itself, with which task.

/** What a workflow file says. */
export interface Schedule {
  /** Five fields: minute, hour, day of the month, month, day of the week. */
  readonly cron: string;
  /** The time zone in which the fields count, such as `Europe/Berlin`. */
  readonly zone: string;
  readonly task: string;
  /** What happens to ticks that nothing saw: one run for all of them, or none. */
  readonly missed: "once" | "skip";
  /** Keys for templates, as `--context` gives them. */
  readonly context: Readonly<Record<string, string>>;
}

/**
 * What became of a tick. `started`: there is a run. `skipped`: the run before it was not over. `missed`: the tick was seen too late.
 * `failed`: the run could not be recorded.
 */
export type TickOutcome = "started" | "skipped" | "missed" | "failed";
