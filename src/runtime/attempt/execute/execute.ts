// Executes a step: each kind of work has a file in this folder and a line in the table below.

import type { PerformedDefinition } from "../../../domain/definition.ts";
import type { Parts } from "../../parts.ts";
import type { BegunAttempt } from "../begin/begin.ts";
import { openLog } from "../logs.ts";
import type { Prepared } from "../prepare/prepare.ts";
import type { StopSwitch } from "../stop-switch.ts";
import type { Answer } from "./answer.ts";
import { integrate } from "./integrate.ts";
import { runExecutor } from "./run-executor.ts";
import type { Work } from "./work.ts";

/** What any kind of work may use. */
export type ExecutePorts = Pick<Parts, "home" | "protocols" | "clock" | "secrets" | "log" | "tools">;

type Perform = (parts: ExecutePorts, work: Work) => Promise<Answer>;

const kinds: Readonly<Record<PerformedDefinition["kind"], Perform>> = {
  agent: runExecutor,
  command: runExecutor,
  integrate,
};

export async function execute(
  parts: ExecutePorts,
  begun: BegunAttempt,
  { input, executor }: Prepared,
  stop: StopSwitch,
): Promise<Answer> {
  const { run, attempt, definition } = begun.claim;
  const log = openLog(parts, run.header, attempt);
  try {
    return await kinds[definition.kind](parts, { begun, input, executor, log, stop });
  } finally {
    await log.close();
  }
}
