// Checks that every gate has an answer that leads to an end, and that a deadline ends, too.

import type { StepDefinition } from "../../domain/definition.ts";
import { namesOf } from "../../domain/gate.ts";
import { repeats } from "../../domain/route.ts";
import { nearest } from "../document/problem.ts";
import { refuse } from "../document/reading.ts";
import { type Checked, labelOf, originOf } from "./checked.ts";
import { type Asking, gatesOf, leadsOut } from "./exits.ts";

/** `index` is null for a story's budget: whichever step of the body is held then may still pass. */
export function checkGates(checked: Checked, step: StepDefinition, index: number | null): void {
  for (const asking of gatesOf(step)) {
    // A gate without options has been told when it was read.
    if (Object.keys(asking.options).length === 0) continue;
    checkDeadline(checked, step, asking);
    if (index === null || leadsOut(checked.chain, index, asking)) continue;
    refuse(checked.reading, originOf(checked.reading, asking, step), {
      message: `${nameOf(checked, step, asking)}: every answer only comes back to this question`,
      expected: "an option that leads on or ends it: next, go_to, end or fail",
      hint: "add `stop: fail`",
    });
  }
}

function checkDeadline(checked: Checked, step: StepDefinition, asking: Asking): void {
  const { reading } = checked;
  const { deadline, options } = asking;
  if (!deadline) return;
  const path = [...originOf(reading, deadline, step), "then"];
  const names = namesOf(options);
  const label = `${nameOf(checked, step, asking)} deadline.then '${deadline.option}'`;
  const route = names.includes(deadline.option) ? options[deadline.option] : undefined;
  if (!route) {
    const meant = nearest(deadline.option, names);
    refuse(reading, path, {
      message: `${label} not found among its options`,
      expected: `one of: ${names.join(", ")}`,
      hint: meant ? `did you mean \`${meant}\`?` : "a deadline takes one of the options that a person has",
    });
  } else if (repeats(route)) {
    refuse(reading, path, {
      message: `${label}: a cycle that no person and no limit ends`,
      expected: "an option that leads to next, go_to, end, gate or fail",
      hint: "an answer that repeats makes limits count anew: only a person may give it",
    });
  }
}

function nameOf({ reading }: Checked, step: StepDefinition, asking: Asking): string {
  return "kind" in asking ? `Step '${step.name}'` : labelOf(reading, asking, step);
}
