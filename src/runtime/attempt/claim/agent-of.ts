// The agent of a claimed attempt, as its workflow describes it. Apart from claiming: commands that only look use it, too.

import type { AgentDefinition, PerformedWork } from "../../../domain/definition.ts";
import type { Run } from "../../../domain/run.ts";

interface ClaimedWork {
  readonly run: Run;
  readonly definition: PerformedWork;
}

export function agentOf({ run, definition }: ClaimedWork): AgentDefinition | null {
  return definition.kind === "agent" ? (run.header.definition.agents[definition.agent] ?? null) : null;
}
