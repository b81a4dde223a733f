// A log that may fail. Owns: giving it up without giving up what is read beside it. A sink that throws would otherwise end the
// reading of an agent's events with it.

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
