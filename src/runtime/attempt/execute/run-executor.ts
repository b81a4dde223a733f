// Runs the executor of an agent step or a command step, with tools for an agent that can call them.

import type { Execution, ExecutionEnd } from "../../../executors/executor.ts";
import type { Parts } from "../../parts.ts";
import { saveEnd } from "../records.ts";
import { type Answer, noToolReport, type ToolReport } from "./answer.ts";
import { callOf } from "./call.ts";
import { Desk } from "./desk.ts";
import type { Work } from "./work.ts";

type RunPorts = Pick<Parts, "home" | "protocols" | "clock" | "secrets" | "log" | "tools">;

export async function runExecutor(parts: RunPorts, work: Work): Promise<Answer> {
  const { run, attempt } = work.begun.claim;
  const { end, reported } = await runWithTools(parts, work);
  saveEnd(parts, run.header.id, attempt, { end, reported });
  return { kind: "executed", end, reported };
}

async function runWithTools(
  parts: RunPorts,
  { begun, input, executor, log, stop }: Work,
): Promise<{ readonly end: ExecutionEnd; readonly reported: ToolReport }> {
  const { claim, workspace } = begun;
  if (executor === null) throw new Error(`${claim.definition.name} has no executor`);
  let execution: Execution | null = null;
  const tools = executor.callsTools === true ? parts.tools : null;
  const desk = tools === null ? null : new Desk(claim, input, () => execution?.heard?.(), log.note);
  const open = desk === null ? null : await tools?.open(desk);
  try {
    const mcp = open ? { url: open.url, token: open.token } : null;
    const running = executor.start(callOf(parts, claim, { workspace, input, mcp, onOutput: log.sink }));
    execution = running;
    stop.register((reason) => running.stop(reason));
    const end = await running.ended;
    return { end, reported: desk === null ? noToolReport : reportedAt(desk) };
  } finally {
    open?.close();
  }
}

function reportedAt({ report, edits }: Desk): ToolReport {
  return edits === undefined ? { report } : { report, edits };
}
