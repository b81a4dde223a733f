// The seed's codes of what can go wrong in a session. Which event means which code; E001, E006 and W003 come before there is a run.

import type { StepDefinition } from "../../../domain/definition.ts";
import type { Event } from "../../../domain/event.ts";
import { unknownValue } from "../../../domain/evidence.ts";
import { type StepName, type StoryId, stepName } from "../../../domain/ids.ts";
import type { Json } from "../../../domain/report.ts";
import { isPosition, isWave } from "./shown-steps.ts";
import { stageOf, type Visit } from "./visit.ts";

export const lifecycleCodes = ["E001", "E002", "E003", "E004", "E005", "E006", "W001", "W002", "W003"] as const;

export type LifecycleCode = (typeof lifecycleCodes)[number];

export interface SessionCode {
  readonly code: LifecycleCode;
  readonly at: number;
  readonly story: StoryId | null;
  /** The step that it is about. */
  readonly name: StepName;
  /** In words: why, or the steps that were inserted. */
  readonly why: string;
  readonly steps: readonly StepName[];
}

type Define = (story: StoryId | null, name: StepName) => StepDefinition | undefined;

/** `of`: the step that the event is about, or that led to it. */
export function codesOf(event: Event, of: Visit | null, define: Define): readonly SessionCode[] {
  if (of === null) return [];
  const definition = define(of.story, of.name);
  const found = { at: event.at, story: of.story, name: stepName(stageOf(of)) };
  if (event.type === "attempt_ended") {
    if (event.outcome === "timed_out" && isWave(definition))
      return [{ ...found, code: "E005", why: event.why, steps: [] }];
    if (event.verdict?.kind !== "value" || event.verdict.value !== unknownValue) return [];
    return [{ ...found, code: unknownCode(event.facts ?? {}, definition), why: whyIn(event.facts ?? {}), steps: [] }];
  }
  // What a position inserts is what the project lacks, not the repair of a failure.
  if (definition?.kind !== "decision" || isPosition(definition)) return [];
  if (event.type === "steps_inserted") {
    const isLast = event.asks !== undefined && event.asks !== "";
    const steps = event.steps.map(({ name }) => name);
    return [{ ...found, code: isLast ? "W002" : "W001", why: event.asks ?? "", steps }];
  }
  if (event.type === "gate_opened" && event.gate.cause === "exhausted")
    return [{ ...found, code: "W002", why: event.gate.question, steps: [] }];
  return [];
}

/** The reader knows best; else a position is E002, and a decision whose file is missing E004. */
function unknownCode(facts: Readonly<Record<string, Json>>, definition: StepDefinition | undefined): LifecycleCode {
  const given = facts["code"];
  const known = lifecycleCodes.find((code) => code === given);
  return known ?? (isPosition(definition) ? "E002" : "E004");
}

function whyIn(facts: Readonly<Record<string, Json>>): string {
  const decision = facts["decision"];
  const why = typeof decision === "object" && decision !== null && "why" in decision ? decision["why"] : "";
  // Readers put the code before their words, for people who read only those.
  return typeof why === "string" ? why.replace(/^E\d{3}: /, "") : "";
}
