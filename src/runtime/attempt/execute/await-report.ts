// Waits for the report of another program, which works on the files of the protocol: until the report is there, its time is over, or the
// attempt is stopped. Nothing is started, so nothing is lost with this process: another driver waits on.

import { noUsage } from "../../../domain/attempt.ts";
import { errorText } from "../../../domain/error.ts";
import type { ExecutionEnd } from "../../../executors/executor.ts";
import { type Deadline, isPast } from "../../../system/clock.ts";
import { sha256Of } from "../../../system/sha256.ts";
import type { Parts } from "../../parts.ts";
import type { StopSwitch } from "../../stop-switch.ts";
import type { BegunAttempt } from "../begin/begin.ts";
import { sessionOf } from "../prepare/told.ts";

const lookEveryMs = 300;

type AwaitPorts = Pick<Parts, "protocols" | "clock" | "home">;

export async function awaitReport(
  parts: AwaitPorts,
  begun: BegunAttempt,
  until: Deadline,
  stop: StopSwitch,
): Promise<ExecutionEnd> {
  const { clock } = parts;
  const stopped = new AbortController();
  stop.outliveDriver();
  stop.register(() => stopped.abort());
  const { protocol } = begun.claim.run.header.definition;
  if (!parts.protocols.of({ protocol }).canAwait) return failed(cannotAwait(protocol));
  try {
    for (let before: string | null = null; ; ) {
      if (stop.reason !== null) return { ...nothing, outcome: "cancelled", why: stop.reason };
      const found = await reportIn(parts, begun);
      // A report that still changes is being written.
      if (found !== null && found === before) return { ...nothing, outcome: "ran" };
      // One that is there when its time is over is looked at once more.
      const isTime = isPast(clock, until) && (found === null || before !== null);
      if (isTime) return { ...nothing, outcome: "timed_out", why: found === null ? late : unfinished };
      before = found;
      await clock.sleep(lookEveryMs, stopped.signal);
    }
  } catch (error) {
    return failed(errorText(error));
  }
}

/** For people who choose the executor. */
export function cannotAwait(protocol: string | null): string {
  const whose = protocol === null ? "a workflow without a protocol has no" : `the protocol ${protocol} knows no`;
  return `${whose} reports in files, so that nothing can be awaited`;
}

export const late = "its time was over, and no report of it had arrived";
const unfinished = "its time was over, and its report had not stopped changing";
const nothing = { text: "", usage: noUsage, session: null, notes: [] } as const;

function failed(why: string): ExecutionEnd {
  return { ...nothing, outcome: "failed", why };
}

/** Whether there is a report of exactly this attempt. */
export async function hasReport(parts: AwaitPorts, begun: BegunAttempt): Promise<boolean> {
  return (await reportIn(parts, begun)) !== null;
}

/** What the report says, as one word that changes with it; null: there is none of this attempt. */
async function reportIn(parts: AwaitPorts, begun: BegunAttempt): Promise<string | null> {
  const { claim, workspace } = begun;
  const { arrived, collect } = parts.protocols.of(claim.run.header.definition);
  const session = sessionOf(parts, begun);
  const work = { ...claim, aheadMs: parts.clock.aheadMs };
  if (!(await arrived(work, workspace.path, session))) return null;
  const { told } = await collect(work, workspace.path, session);
  return sha256Of(JSON.stringify(told ?? null));
}
