// The agents of the product, for tests that must not import src/app.ts.

import type { AgentProfile } from "../../src/executors/agent/agent-profile.ts";
import { AgentRegistry, type RegisteredAgent } from "../../src/executors/agent/registry.ts";
import { knownAgents } from "../../src/executors/agents.ts";

export const agents = new AgentRegistry(knownAgents);

export function agentOf(kind: string): RegisteredAgent {
  const agent = agents.find(kind);
  if (agent === null) throw new Error(`there is no agent ${kind}`);
  return agent;
}

export async function profileOf(kind: string): Promise<AgentProfile> {
  return await agentOf(kind).profile();
}
