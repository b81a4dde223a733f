// Where the agents of a run keep their role files and their progress log.

import { join } from "node:path";
import type { AgentName } from "../../domain/ids.ts";
import type { Run } from "../../domain/run.ts";
import { type AgentHome, agentHome } from "../../protocols/files/agent-home.ts";
import type { Parts } from "../parts.ts";
import { workspacePath } from "./places.ts";

export function homeOfAgent(parts: Pick<Parts, "home">, run: Run, agent: AgentName): AgentHome {
  return agentHome(parts.home.agents, run.header.definition.id, agent, run.header.id);
}

/** The log belongs to the agent that works on stories; runs without stories have none. */
export function progressHome(parts: Pick<Parts, "home">, run: Run): AgentHome | null {
  const stories = run.header.definition.steps.find((step) => step.kind === "stories");
  const worker = stories?.body.find((step) => step.kind === "agent");
  return worker ? homeOfAgent(parts, run, worker.agent) : null;
}

/** Where the log may be; the first that exists counts. */
export function progressPlaces(parts: Pick<Parts, "home">, run: Run, home: AgentHome): readonly string[] {
  // Agents may be told to keep it in their working directory.
  const tree = workspacePath(parts, run, null);
  return [home.progressFile, join(tree, `progress-${run.header.id}.txt`), join(tree, "progress.txt")];
}
