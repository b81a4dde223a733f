// Converts documents that an older Pawl wrote to their current form. Stored rows are never rewritten for a new name.

import type { Check } from "../domain/check.ts";
import { type Definition, isPerformed, type StepDefinition } from "../domain/definition.ts";
import type { Event } from "../domain/event.ts";
import type { RunPlace } from "../domain/run.ts";

/** Older definitions may have no `protocol` field; then the dialect stood for the protocol. Their checks may be texts. */
export function currentDefinition(
  written: Omit<Definition, "protocol"> & { readonly protocol?: string | null },
): Definition {
  const { protocol = written.dialect === "pawl" ? null : written.dialect } = written;
  return { ...written, protocol, steps: written.steps.map(currentStep) };
}

function currentStep(step: StepDefinition): StepDefinition {
  if (step.kind === "stories") return { ...step, body: step.body.map(currentStep) };
  return isPerformed(step) ? { ...step, checks: step.checks.map(currentCheck) } : step;
}

function currentCheck(check: Check | string): Check {
  return typeof check === "string" ? { run: check } : check;
}

/** `source` was called `prd`. */
export function currentPlace({ prd, ...place }: RunPlace & { readonly prd?: string }): RunPlace {
  return prd === undefined ? place : { ...place, source: prd };
}

export function currentEvent(event: Event): Event {
  if (event.type !== "run_started") return event;
  return { ...event, definition: currentDefinition(event.definition), place: currentPlace(event.place) };
}
