// Executes a step: each kind of work has a line in the table below. Here an executor does it, with a desk for its agent; work of the
// runtime itself has a file of its own.

import type { PerformedWork } from "../../../domain/definition.ts";
import type { Execution, ExecutionEnd } from "../../../executors/executor.ts";
import { Mailbox } from "../../mailbox.ts";
import type { Parts } from "../../parts.ts";
import type { StopSwitch } from "../../stop-switch.ts";
import type { BegunAttempt } from "../begin/begin.ts";
import { openLog } from "../logs.ts";
import type { Input } from "../prepare/input.ts";
import type { Prepared } from "../prepare/prepare.ts";
import { type SavedEnd, saveEnd } from "../records.ts";
import { type Answer, noToolReport, type ToolReport } from "./answer.ts";
import { awaitReport } from "./await-report.ts";
import { callOf } from "./call.ts";
import { readDecision } from "./decision.ts";
import { Desk, type HandedIn } from "./desk.ts";
import { integrate } from "./integrate.ts";
import { joinParts } from "./join.ts";
import type { Work } from "./work.ts";

/** What any kind of work may use. */
export type ExecutePorts = Pick<
  Parts,
  "store" | "home" | "protocols" | "clock" | "secrets" | "log" | "tools" | "telemetry"
>;

/** How others reach the attempt while it is performed. */
export interface Reach {
  readonly stop: StopSwitch;
  readonly mailbox: Mailbox;
}

type Perform = (parts: ExecutePorts, work: Work) => Promise<Answer>;

const kinds: Readonly<Record<PerformedWork["kind"], Perform>> = {
  agent: runExecutor,
  command: runExecutor,
  integrate,
  decision: readDecision,
  join: joinParts,
};

export async function execute(
  parts: ExecutePorts,
  begun: BegunAttempt,
  { input, executor }: Prepared,
  { stop, mailbox }: Reach,
): Promise<Answer> {
  const { run, attempt, definition } = begun.claim;
  const log = openLog(parts, run.header, attempt);
  try {
    return await kinds[definition.kind](parts, { begun, input, executor, log, stop, mailbox });
  } finally {
    await log.close();
  }
}

/** Continues to wait for another program, after the driver that had begun to wait has gone. */
export async function awaitAgain(parts: ExecutePorts, begun: BegunAttempt, stop: StopSwitch): Promise<Answer> {
  const log = openLog(parts, begun.claim.run.header, begun.claim.attempt);
  try {
    return await runExecutor(parts, { begun, input: null, executor: null, log, stop, mailbox: new Mailbox() });
  } finally {
    await log.close();
  }
}

type ExecutorWork = Omit<Work, "input"> & { readonly input: Input | null };

async function runExecutor(parts: ExecutePorts, work: ExecutorWork): Promise<Answer> {
  const { claim, waitsUntil } = work.begun;
  const { run, attempt } = claim;
  const ended =
    waitsUntil === null
      ? await runWithDesk(parts, work)
      : { end: await awaitReport(parts, work.begun, waitsUntil, work.stop), reported: noToolReport };
  saveEnd(parts, run.header.id, attempt, ended);
  return { kind: "executed", ...ended };
}

/** An agent that has handed in its answer has this long to end its turn. */
const leaveMs = 5_000;

async function runWithDesk(
  parts: ExecutePorts,
  { begun, input, executor, log, stop, mailbox }: ExecutorWork,
): Promise<SavedEnd> {
  const { claim, workspace } = begun;
  if (executor === null || input === null) throw new Error(`${claim.definition.name} has no executor`);
  let execution: Execution | null = null;
  const tools = claim.definition.kind === "agent" ? parts.tools : null;
  const desk = tools === null ? null : new Desk(claim, input, () => execution?.heard?.(), log.note);
  const open = desk === null ? null : await tools?.open(desk);
  let leaving: NodeJS.Timeout | undefined;
  try {
    const at = open ? { url: open.url, token: open.token } : null;
    const callsTools = executor.callsTools === true;
    const running = executor.start(
      callOf(parts, claim, { workspace, input, desk: at, callsTools, onOutput: log.sink }),
    );
    execution = running;
    desk?.onHandedIn(({ text }) => {
      log.show(text);
      leaving ??= setTimeout(() => running.stop("it has handed in its answer"), leaveMs);
    });
    log.open();
    stop.register((reason) => running.stop(reason));
    mailbox.opens(executor.name, running.tell?.bind(running) ?? null);
    const end = await running.ended;
    if (desk === null) return { end, reported: noToolReport };
    // An attempt that was told to stop has not completed, whatever its agent has handed in.
    return { end: stop.reason === null ? withHandedIn(end, desk.handedIn) : end, reported: reportedAt(desk) };
  } finally {
    clearTimeout(leaving);
    await mailbox.close();
    open?.close();
  }
}

/** It stands however the agent has ended after it. */
function withHandedIn(end: ExecutionEnd, answer: HandedIn | null): ExecutionEnd {
  if (answer === null) return end;
  const { usage, session, model = null, version = null, notes } = end;
  return { usage, session, model, version, notes, ...answer };
}

function reportedAt({ report, edits }: Desk): ToolReport {
  return edits === undefined ? { report } : { report, edits };
}
