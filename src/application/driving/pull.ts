// Pulling. Owns: the use cases of agents that claim their work themselves: peek, claim, complete, fail.

import type { ClaimDocument, ReportDocument } from "../../contracts/workflow-documents.ts";
import type { Decision } from "../../domain/decision.ts";
import { hasWork } from "../../runtime/attempt/claim/claim.ts";
import { completePulledStep, failPulledStep, pullStep } from "../../runtime/loop/pull.ts";
import type { Application } from "../application.ts";
import { findRun } from "../references.ts";

/** Whether a claim would get something. `agent`: `<workflow>/<agent>` or `<workflow>_<agent>`. */
export async function peek(app: Application, agent: string): Promise<boolean> {
  return await app.change(null, async ({ parts }) => await hasWork(parts, { run: null, agent: agentKey(agent) }));
}

/** `run`: only from this run. */
export async function claim(app: Application, agent: string, run?: string): Promise<ClaimDocument> {
  return await app.change(null, async ({ parts }) => {
    const only = run === undefined ? null : (await findRun(parts.store, run)).id;
    const pulled = await pullStep(parts, agentKey(agent), only);
    if (!pulled) return { found: false };
    const { handle, story, attempt, token, input } = pulled;
    return { found: true, runId: pulled.run, stepId: handle, storyId: story, attempt, token, input };
  });
}

export interface PullReport {
  /** The token of the claim; without it, the step id alone must do. */
  readonly token?: string | undefined;
  /** What the agent answered, or why it failed. */
  readonly text: string;
}

export async function complete(app: Application, step: string, { token, text }: PullReport): Promise<ReportDocument> {
  return reported(
    await app.change(null, async ({ parts }) => await completePulledStep(parts, step, token ?? null, text)),
  );
}

export async function fail(app: Application, step: string, { token, text }: PullReport): Promise<ReportDocument> {
  return reported(await app.change(null, async ({ parts }) => await failPulledStep(parts, step, token ?? null, text)));
}

function reported(decision: Decision): ReportDocument {
  if (!decision.accepted) return { accepted: false, why: decision.why };
  const ended = decision.events.find((event) => event.type === "attempt_ended");
  const { end } = decision.run.header;
  return {
    accepted: true,
    advanced: decision.events.some((event) => event.type === "step_done" || event.type === "steps_reset"),
    runDone: end?.status === "done",
    runFailed: end?.status === "failed",
    outcome: ended?.outcome ?? null,
    why: ended?.why ?? "",
  };
}

/** Some agents join the two with an underscore; workflow ids have none. */
function agentKey(name: string): string {
  return name.includes("/") ? name : name.replace("_", "/");
}
