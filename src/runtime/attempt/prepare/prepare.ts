// Prepares an attempt: its tree is ready, its files are up to date, and its prompt is written down.

import type { Executor } from "../../../executors/executor.ts";
import type { Parts } from "../../parts.ts";
import type { StopSwitch } from "../../stop-switch.ts";
import { exchangeTexts } from "../../trees/shared-texts.ts";
import type { Claim } from "../claim/claim.ts";
import { beforeAttempt } from "../hooks.ts";
import { writePrompt } from "../logs.ts";
import { commandVariables } from "./command-variables.ts";
import { assertFilled } from "./filled.ts";
import { gatherInput, type Input, type InputPorts } from "./input.ts";
import { prepareWorkspace, type Workspace, type WorkspacePorts } from "./workspace.ts";

export interface Prepared {
  readonly workspace: Workspace;
  readonly input: Input;
  /** The program that performs it; null: the agent pulls, another program works, or the runtime itself does. */
  readonly executor: Executor | null;
}

export type PreparePorts = WorkspacePorts & InputPorts & Pick<Parts, "executors" | "projections" | "tools" | "site">;

export async function prepare(parts: PreparePorts, claim: Claim, stop: StopSwitch): Promise<Prepared> {
  const { run, attempt } = claim;
  const executor = await executorFor(parts, claim);
  const workspace = await prepareWorkspace(parts, run, attempt, stop.register);
  if (claim.definition.kind !== "decision") await beforeAttempt(parts, claim, workspace, stop);
  // The prompt and the protocol show these files: they must have everything that happened so far.
  await parts.projections.of(run.header)?.settle();
  await exchangeTexts(parts, run, attempt.story);
  await parts.protocols.of(run.header.definition).prepare({ ...claim, aheadMs: parts.clock.aheadMs }, workspace.path);
  await assertFilled(parts, claim);
  const variables = await commandVariables(parts, claim);
  const input = await gatherInput(parts, claim, executor?.callsTools === true && parts.tools !== null);
  const prompt = promptOf(claim, input);
  if (prompt !== null) writePrompt(parts, run.header.id, attempt, prompt);
  return { workspace: { ...workspace, env: { ...workspace.env, ...variables } }, input, executor };
}

async function executorFor(parts: Pick<Parts, "executors">, { attempt, definition }: Claim): Promise<Executor | null> {
  if (attempt.driver === "pull") return null;
  if (definition.kind === "command") return await parts.executors.get(`shell:${definition.command}`);
  if (parts.executors.awaitMs(attempt.executor) !== null) return null;
  return definition.kind === "agent" ? await parts.executors.get(attempt.executor) : null;
}

/** What its executor reads; null: nothing reads one. */
function promptOf({ attempt, definition }: Claim, { input, system, prompt }: Input): string | null {
  if (attempt.driver === "pull") return input;
  if (definition.kind !== "agent" && definition.kind !== "command") return null;
  return [system, prompt].filter((part) => part !== "").join("\n\n");
}
