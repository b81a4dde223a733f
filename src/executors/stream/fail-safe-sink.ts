// A log sink that may fail: the first error ends the log, and not the reading of the agent's events.

import { errorText } from "../../domain/error.ts";
import type { OutputSink } from "../../system/process/call.ts";

export interface FailSafeSink {
  readonly sink: OutputSink;
  /** Why the log is not complete; null: it is. */
  error(): string | null;
}

export function failSafeSink(onOutput: OutputSink): FailSafeSink {
  let problem: string | null = null;
  return {
    async sink(stream, chunk) {
      if (problem !== null) return;
      try {
        await onOutput(stream, chunk);
      } catch (error) {
        problem = errorText(error);
      }
    },
    error: () => problem,
  };
}
