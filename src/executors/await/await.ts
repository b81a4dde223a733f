// The executor `await`: another program does the work and reports in the files of the protocol. A driver waits for the report
// (runtime/attempt/execute/await-report.ts), so there is nothing to install and nothing to start.

import type { Executor } from "../executor.ts";

export function awaitExecutor(name: string): Executor {
  return {
    name,
    missing: async () => null,
    start() {
      throw new Error(`${name} starts no program: a driver waits for the report`);
    },
  };
}
