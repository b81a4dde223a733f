// Checks that some step plans the stories that a `stories` step works on: without a plan its run always fails there.

import type { Definition } from "../../domain/definition.ts";
import { type Reading, refuse, warn } from "../document/reading.ts";
import { agentsBefore, mayPlan } from "../planner.ts";
import { originOf } from "./checked.ts";

export function checkPlanner(definition: Definition, reading: Reading): void {
  const index = definition.steps.findIndex(({ kind }) => kind === "stories");
  const stories = definition.steps[index];
  // A protocol that is about stories reads them from its files.
  const protocol = reading.protocols.find(({ name }) => name === definition.protocol);
  if (!stories || protocol?.needsStories) return;
  const planners = new Set((protocol?.readers ?? []).filter(({ plans }) => plans).map(({ name }) => name));
  const ahead = definition.steps.slice(0, index);
  if (ahead.some((step) => step.kind === "decision" && !step.source && planners.has(step.reader))) return;
  const before = agentsBefore(definition, index);
  const path = originOf(reading, stories);
  if (before.length === 0) {
    // A route that goes back is no help: the first visit fails.
    (definition.dialect === "pawl" ? refuse : warn)(reading, path, {
      message: `Step '${stories.name}' works on stories, and no agent before it plans them`,
      expected: "an agent step before it that prints STORIES_JSON",
      hint: 'for example `- { id: plan, agent: NAME, input: "Print STORIES_JSON for: {{task}}" }`',
    });
  } else if (!before.some((step) => mayPlan(definition, step))) {
    warn(reading, path, {
      message: `Step '${stories.name}' works on stories, and no step before it asks for STORIES_JSON`,
      expected: "an input or a role file that asks for STORIES_JSON",
      hint: `let '${before.at(-1)?.name}' end its answer with \`STORIES_JSON: [ … ]\``,
    });
  }
}
