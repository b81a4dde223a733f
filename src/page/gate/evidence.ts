// What speaks for the work that a gate asks about. Owns: finding it in the log: how each step before the question ended, and what its
// checks, tests and decisions said.

import { nameWithPart } from "../../domain/attempt.ts";
import type { Event } from "../../domain/event.ts";
import type { Json } from "../../domain/report.ts";
import type { AnyStatus } from "../texts/common.ts";

interface EvidenceCheck {
  readonly run: string;
  readonly passed: boolean;
}

export interface Evidence {
  readonly attempt: string;
  /** `review`, or `review (security)`. */
  readonly name: string;
  readonly number: number;
  readonly status: AnyStatus;
  readonly outcome: string;
  /** Empty: nothing more is known. */
  readonly why: string;
  readonly checks: readonly EvidenceCheck[];
  readonly tests: { readonly pass: number; readonly fail: number; readonly skip: number } | null;
  readonly at: number;
}

const mostSteps = 12;

/** The last end of each step in the scope of the gate, before it was asked; the newest last. */
export function evidenceFor(events: readonly Event[], gate: string): readonly Evidence[] {
  const asked = events.findIndex((event) => event.type === "gate_opened" && event.gate.id === gate);
  const story = events[asked]?.story ?? null;
  const started = new Map<string, Extract<Event, { type: "attempt_dispatched" }>>();
  const found = new Map<string, Evidence>();
  for (const event of events.slice(0, Math.max(0, asked))) {
    if (event.story !== story) continue;
    if (event.type === "attempt_dispatched") started.set(event.attempt, event);
    if (event.type !== "attempt_ended") continue;
    const attempt = started.get(event.attempt);
    if (attempt === undefined) continue;
    const name = nameWithPart(attempt);
    found.delete(name);
    found.set(name, { ...endOf(event), name, number: attempt.number });
  }
  return [...found.values()].slice(-mostSteps);
}

function endOf(event: Extract<Event, { type: "attempt_ended" }>): Omit<Evidence, "name" | "number"> {
  const { attempt, outcome, verdict, why, facts = {}, at } = event;
  const rest = { attempt, why, checks: checksIn(facts["checks"]), tests: testsIn(facts["tests"]), at };
  if (outcome !== "completed") return { ...rest, status: "failed", outcome: outcome.replaceAll("_", " ") };
  if (verdict?.kind === "rejected")
    return {
      ...rest,
      status: "rejected",
      outcome: verdict.reason === null ? "rejected" : `rejected, ${verdict.reason}`,
    };
  return { ...rest, status: "done", outcome: verdict?.kind === "value" ? verdict.value : "passed" };
}

function checksIn(facts: Json | undefined): readonly EvidenceCheck[] {
  if (!Array.isArray(facts)) return [];
  return (facts as readonly Json[]).flatMap((fact) => {
    const { run, passed } = recordOf(fact);
    return typeof run === "string" && typeof passed === "boolean" ? [{ run, passed }] : [];
  });
}

function testsIn(facts: Json | undefined): Evidence["tests"] {
  const { pass, fail, skip } = recordOf(facts);
  return typeof pass === "number" && typeof fail === "number" && typeof skip === "number" ? { pass, fail, skip } : null;
}

function recordOf(fact: Json | undefined): Readonly<Record<string, Json>> {
  return typeof fact === "object" && fact !== null && !Array.isArray(fact)
    ? (fact as Readonly<Record<string, Json>>)
    : {};
}
