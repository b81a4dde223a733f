// The agent of a claimed attempt, as its workflow describes it. Apart from claiming: commands that only look use it, too.

import type { AgentDefinition } from "../../../domain/definition.ts";
import type { Claim } from "./claim.ts";

export function agentOf({ run, definition }: Pick<Claim, "run" | "definition">): AgentDefinition | null {
  return definition.kind === "agent" ? (run.header.definition.agents[definition.agent] ?? null) : null;
}
