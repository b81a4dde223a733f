// The call of an attempt. Owns: what its executor is told: the prompt, where and as whom it works, its limits, its session.

import { dirname } from "node:path";
import { timeLeft } from "../../../engine/limits.ts";
import type { Executor, ExecutorCall, McpServer } from "../../../executors/executor.ts";
import type { Parts } from "../../parts.ts";
import { agentOf, type Claim, timeLimitOf } from "../claim/claim.ts";
import type { Input } from "../prepare/input.ts";
import type { Workspace } from "../prepare/workspace.ts";
import { commandsFor, mayOnlyRead } from "../settle/read-only.ts";
import { sessionFor } from "./sessions.ts";

export async function executorOf(parts: Parts, { attempt, definition }: Claim): Promise<Executor> {
  return await parts.executors.get(definition.kind === "command" ? `shell:${definition.command}` : attempt.executor);
}

/** Where it works, what it is told, and where what it prints and reports goes. */
export interface Surroundings {
  readonly workspace: Workspace;
  readonly input: Input;
  readonly mcp: McpServer | null;
  readonly onOutput: ExecutorCall["onOutput"];
}

export function callOf(parts: Parts, claim: Claim, { workspace, input, mcp, onOutput }: Surroundings): ExecutorCall {
  return {
    prompt: input.prompt,
    system: input.system,
    cwd: workspace.path,
    // Of what a file says of the environment nothing counts more than what we say ourselves.
    env: { ...workspace.env, ...environmentOf(parts, claim, input) },
    outside: outsideFor(parts, claim, input),
    attempt: claim.attempt.id,
    model: agentOf(claim)?.model ?? null,
    access: mayOnlyRead(claim) ? "read" : "write",
    commands: commandsFor(claim),
    resume: sessionFor(claim).resume,
    mcp,
    wallMs: timeFor(parts, claim),
    quietMs: claim.definition.quietMs,
    onOutput,
  };
}

/** The step's own limit, or what a hard budget of time has left, whichever is less. */
function timeFor(parts: Parts, claim: Claim): number | null {
  const limits = [timeLimitOf(claim), timeLeft(claim.run, claim.attempt.story, claim.definition, parts.clock.now())];
  const given = limits.filter((limit) => limit !== null);
  return given.length === 0 ? null : Math.max(1, Math.min(...given));
}

/** What prompts ask for: the progress log, and the places of the protocol. */
function outsideFor(parts: Pick<Parts, "protocols">, claim: Claim, { progressFile }: Input): readonly string[] {
  const { writable } = parts.protocols.of(claim.run.header.definition);
  return [...(progressFile === "" ? [] : [dirname(progressFile)]), ...writable(claim)];
}

function environmentOf(parts: Parts, claim: Claim, input: Input): Readonly<Record<string, string>> {
  const { run, attempt } = claim;
  const { stepIs, environment } = parts.protocols.of(run.header.definition);
  return {
    PAWL_RUN: run.header.id,
    PAWL_STORY: attempt.story ?? "",
    PAWL_STORY_TITLE: run.header.stories.find((entry) => entry.id === attempt.story)?.title ?? "",
    PAWL_STEP: stepIs === "id" ? attempt.step : attempt.name,
    PAWL_STEP_TYPE: attempt.name,
    PAWL_ATTEMPT: String(attempt.number),
    PAWL_TOKEN: attempt.token,
    PAWL_SHARED: run.header.place.shared ?? parts.home.dir,
    PAWL_PROGRESS_FILE: input.progressFile,
    PAWL_MODEL: agentOf(claim)?.model ?? "",
    ...environment(claim),
  };
}
