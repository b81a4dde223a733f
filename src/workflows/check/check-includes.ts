// Checks what included workflows promise each other: every declared output is set by a step, and no step has the id of an include.

import type { Definition, StepDefinition } from "../../domain/definition.ts";
import { isWithin } from "../../domain/include.ts";
import { foldValue } from "../../domain/route.ts";
import type { Path } from "../document/problem.ts";
import { type Reading, refuse } from "../document/reading.ts";
import { originOf } from "./checked.ts";
import { keysSetBy, performedSteps } from "./templates.ts";

export function checkIncludes(definition: Definition, reading: Reading): void {
  const own = reading.document.value["outputs"];
  const declared = Array.isArray(own) ? own.map((key) => foldValue(String(key))) : [];
  declared.forEach((key, index) => {
    const set = performedSteps(definition.steps).flatMap(keysSetBy);
    if (!set.includes(key) && !Object.hasOwn(definition.context, key)) refuseOutput(reading, ["outputs", index], key);
  });
  for (const { path, inclusion, declared: outputs } of reading.included.mounts) {
    const steps = performedSteps(definition.steps).filter((step) => isWithin(step, inclusion.id));
    outputs.forEach(([own, key], index) => {
      const isSet = steps.some((step) => keysSetBy(step).includes(key)) || Object.hasOwn(definition.context, key);
      if (!isSet) refuseOutput(reading, [...path, "outputs", index], own);
    });
  }
  for (const step of definition.steps.flatMap(withBody)) {
    if (definition.includes === undefined || !Object.hasOwn(definition.includes, step.name)) continue;
    refuse(reading, [...originOf(reading, step), "id"], {
      message: `Step '${step.name}' exists twice`,
      expected: "each id once",
      hint: "a step with `workflow` has that id; rename one of the two",
    });
  }
}

function withBody(step: StepDefinition): readonly StepDefinition[] {
  return step.kind === "stories" ? [step, ...step.body] : [step];
}

function refuseOutput(reading: Reading, path: Path, key: string): void {
  refuse(reading, path, {
    message: `the output \`${key}\` is set by no step`,
    expected: "a key that a step of this file produces or decides",
    hint: `let a step declare it: \`produces: [${key}]\`, or remove it from \`outputs\``,
  });
}
