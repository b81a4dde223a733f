// The registry of agents: finds an agent by its kind and loads its profile when one is needed. src/app.ts picks the agents; the
// configuration, the choice of an executor and the command line ask the registry and name no agent themselves.

import type { AgentDescriptor } from "./agent-descriptor.ts";
import type { AgentProfile } from "./agent-profile.ts";

export interface RegisteredAgent extends AgentDescriptor {
  /** Imports the agent's profile and reader. */
  profile(): Promise<AgentProfile>;
}

export class AgentRegistry {
  /** In the order in which Pawl looks for an agent when nobody chose one. */
  readonly kinds: readonly string[];
  /** Those of them that speak the Agent Client Protocol. */
  readonly acpKinds: readonly string[];
  readonly #agents: ReadonlyMap<string, RegisteredAgent>;

  constructor(agents: readonly RegisteredAgent[]) {
    this.#agents = new Map(agents.map((agent) => [agent.kind, agent]));
    this.kinds = [...this.#agents.keys()];
    this.acpKinds = agents.filter(({ acp }) => acp !== null).map(({ kind }) => kind);
  }

  has(kind: string): boolean {
    return this.#agents.has(kind);
  }

  find(kind: string): RegisteredAgent | null {
    return this.#agents.get(kind) ?? null;
  }
}
