// Which agent plans the stories of a run, as far as its workflow says.

import type { AgentStep, Definition } from "../domain/definition.ts";
import type { StepName } from "../domain/ids.ts";

/** The agents of the run's own chain before the step at this place. */
export function agentsBefore({ steps }: Pick<Definition, "steps">, index: number): readonly AgentStep[] {
  return steps.slice(0, index).filter((step): step is AgentStep => step.kind === "agent");
}

/** Role files are not read here, so an agent that has some may know. */
export function mayPlan({ agents }: Pick<Definition, "agents">, step: AgentStep): boolean {
  const files = Object.keys(agents[step.agent]?.files ?? {});
  return (
    files.length > 0 || /STORIES_JSON/i.test([step.input, step.expects ?? "", ...(step.produces ?? [])].join("\n"))
  );
}

/** The step that has to plan, because no step before it may; null: there are no stories, or another step may plan them. */
export function lastPlanner(definition: Pick<Definition, "steps" | "agents">): StepName | null {
  const index = definition.steps.findIndex(({ kind }) => kind === "stories");
  if (index < 0 || definition.steps.slice(0, index).some(({ kind }) => kind === "decision")) return null;
  const before = agentsBefore(definition, index);
  const last = before.at(-1);
  return last === undefined || before.slice(0, -1).some((step) => mayPlan(definition, step)) ? null : last.name;
}
