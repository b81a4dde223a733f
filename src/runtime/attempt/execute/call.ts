// Builds the call of an executor: prompt, working directory, environment, rights, limits and session.

import { dirname } from "node:path";
import { type Attempt, addUsage, hasEnded, noUsage } from "../../../domain/attempt.ts";
import { attemptsOf } from "../../../domain/run.ts";
import type { ExecutorCall, McpAddress, Resumed } from "../../../executors/executor.ts";
import type { Parts } from "../../parts.ts";
import { agentOf } from "../claim/agent-of.ts";
import { type Claim, timeFor } from "../claim/claim.ts";
import { commandsFor, mayOnlyRead } from "../claim/read-access.ts";
import type { Input } from "../prepare/input.ts";
import { itemOf } from "../prepare/values.ts";
import type { Workspace } from "../prepare/workspace.ts";

/** Where the executor works, what it reads, and where its output goes. */
export interface Surroundings {
  readonly workspace: Workspace;
  readonly input: Input;
  /** Where its agent reports; null: it prints. */
  readonly desk: McpAddress | null;
  /** Its executor gives the agent the tools of the desk. Any agent reaches it by commands of Pawl. */
  readonly callsTools: boolean;
  readonly onOutput: ExecutorCall["onOutput"];
}

export function callOf(
  parts: Pick<Parts, "clock" | "home" | "protocols" | "telemetry">,
  claim: Claim,
  { workspace, input, desk, callsTools, onOutput }: Surroundings,
): ExecutorCall {
  return {
    prompt: input.prompt,
    system: input.system,
    cwd: workspace.path,
    // Pawl's own variables win over those of a configuration file.
    env: { ...workspace.env, ...environmentOf(parts, claim, input), ...(desk === null ? {} : { PAWL_DESK: desk.url }) },
    outside: outsideFor(parts, claim, input),
    attempt: claim.attempt.id,
    model: agentOf(claim)?.model ?? null,
    access: mayOnlyRead(claim) ? "read" : "write",
    commands: commandsFor(claim),
    resume: sessionFor(claim).resume,
    mcp: callsTools ? desk : null,
    wallMs: timeFor(claim, parts.clock.now()),
    now: () => parts.clock.now(),
    quietMs: claim.definition.quietMs,
    onOutput,
  };
}

/** What prompts ask for: the progress log, and the places of the protocol. */
function outsideFor(parts: Pick<Parts, "protocols">, claim: Claim, { progressFile }: Input): readonly string[] {
  const { writable } = parts.protocols.of(claim.run.header.definition);
  return [...(progressFile === "" ? [] : [dirname(progressFile)]), ...writable(claim)];
}

/** Linux takes 128 KiB in one variable. The whole entry is in the prompt. */
const longestItem = 30_000;

/** What says to a program which attempt it runs for. A check gets nothing else of Pawl: it has nothing to report. */
export function checkVariables(
  parts: Pick<Parts, "protocols">,
  { run, attempt }: Pick<Claim, "run" | "attempt">,
): Readonly<Record<string, string>> {
  const { stepIs } = parts.protocols.of(run.header.definition);
  const item = itemOf({ run, attempt });
  return {
    PAWL_RUN: run.header.id,
    PAWL_STORY: attempt.story ?? "",
    PAWL_STORY_TITLE: run.header.stories.find((entry) => entry.id === attempt.story)?.title ?? "",
    PAWL_STEP: stepIs === "id" ? attempt.step : attempt.name,
    PAWL_STEP_TYPE: attempt.name,
    PAWL_PART: attempt.part ?? "",
    PAWL_ATTEMPT: String(attempt.number),
    ...(item === null ? {} : { PAWL_ITEM: item.value.replaceAll("\0", "").slice(0, longestItem) }),
  };
}

function environmentOf(
  parts: Pick<Parts, "home" | "protocols" | "telemetry">,
  claim: Claim,
  input: Input,
): Readonly<Record<string, string>> {
  const { run, attempt } = claim;
  const { environment } = parts.protocols.of(run.header.definition);
  return {
    ...checkVariables(parts, claim),
    PAWL_TOKEN: attempt.token,
    PAWL_SHARED: run.header.place.shared ?? parts.home.dir,
    PAWL_PROGRESS_FILE: input.progressFile,
    PAWL_MODEL: agentOf(claim)?.model ?? "",
    ...parts.telemetry?.variablesFor(run.header.id, attempt.id),
    ...environment(claim),
  };
}

interface SessionChoice {
  readonly resume: Resumed | null;
  /** Why it begins a fresh session although the workflow names one. */
  readonly notes: readonly string[];
}

/** The session that the attempt resumes, from the same story and the same executor: an executor cannot open the session of another one. */
export function sessionFor({ run, attempt, definition }: Claim): SessionChoice {
  const { session: step } = definition;
  if (step === undefined) return { resume: null, notes: [] };
  const earlier = attemptsOf(run, attempt.story).filter(({ id }) => id !== attempt.id);
  const last = earlier.findLast((candidate) => candidate.name === step && isWhole(candidate));
  if (last === undefined && step === attempt.name) return { resume: null, notes: [] };
  if (last === undefined || last.session === null) return fresh(`${step} has left no session`);
  if (last.executor !== attempt.executor) return fresh(`${step} was performed by ${last.executor}`);
  const { session } = last;
  const spent = earlier
    .filter((candidate) => candidate.session === session && candidate.executor === attempt.executor)
    .reduce((sum, { usage }) => addUsage(sum, usage), noUsage);
  return { resume: { session, spent }, notes: [] };
}

/** The session of an attempt that broke off may be broken as well. */
function isWhole(attempt: Attempt): boolean {
  return hasEnded(attempt) && attempt.state.outcome === "completed";
}

function fresh(why: string): SessionChoice {
  return { resume: null, notes: [`it began a fresh session: ${why}`] };
}
