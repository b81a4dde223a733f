// The definition of a run that works in the user's checkout: its stories share it, one at a time, and nothing is integrated.

import { type Definition, hasStoryTrees, type StepDefinition, type StoriesStep } from "../../domain/definition.ts";
import { AppError } from "../../domain/error.ts";
import type { StepName } from "../../domain/ids.ts";

export function withoutTrees(definition: Definition): Definition {
  if (!hasStoryTrees(definition)) return definition;
  const steps = definition.steps.map((step) => (step.kind === "stories" ? inOneTree(step) : step));
  return { ...definition, steps };
}

function inOneTree(written: StoriesStep): StoriesStep {
  const { workspace: _tree, branchPrefix: _branch, ...step } = written;
  const left = step.body.filter(({ kind }) => kind === "integrate").map(({ name }) => name);
  const body = step.body.filter(({ kind }) => kind !== "integrate");
  const jump = left.find((name) => body.some((each) => leadsTo(each, name)));
  if (jump !== undefined) {
    throw new AppError("USAGE", `a step of this workflow leads to ${jump}, which is left out in place`, {
      hint: "leave out --in-place, or let that step lead to `next`",
    });
  }
  return { ...step, body, concurrency: 1 };
}

/** Whether any route of the step, also one behind a limit or a gate, names that step. */
function leadsTo(value: StepDefinition | object, name: StepName): boolean {
  return Object.entries(value).some(([key, each]) => {
    if (key === "step") return each === name;
    return typeof each === "object" && each !== null && leadsTo(each, name);
  });
}
