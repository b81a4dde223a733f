// Applies events to gates, and to the steps that they hold.

import type { Event } from "../../domain/event.ts";
import { answerOf, type Gate } from "../../domain/gate.ts";
import type { GateId, StoryId } from "../../domain/ids.ts";
import type { Run } from "../../domain/run.ts";
import type { Step } from "../../domain/step.ts";
import { checked, nextPartState, nextStepState } from "../moves.ts";
import { withItem, withPart, withScope } from "../run-updates.ts";
import { gateTable, move } from "../tables.ts";

type Of<T extends Event["type"]> = Extract<Event, { type: T }>;

export function withGateOpened(run: Run, event: Of<"gate_opened">): Run {
  const gate: Gate = { ...event.gate, state: { status: "open" } };
  return withScope(run, event.story, (scope) => ({
    gates: [...scope.gates, gate],
    chain: scope.chain.map((step) => (step.id === gate.step ? heldStep(step, gate) : step)),
  }));
}

function heldStep(step: Step, { id, part }: Gate): Step {
  const held = { status: "held", gate: id } as const;
  if (part === undefined) return { ...step, state: nextStepState(step, "hold", held) };
  return withPart(step, part, (of) => ({ ...of, state: nextPartState(of, "hold", held) }));
}

export function withGateAnswered(run: Run, event: Of<"gate_answered">): Run {
  return withGate(run, event.story, event.gate, "answer", () => ({
    status: "answered",
    option: event.option,
    reason: event.reason,
    note: event.note,
    by: event.author,
    at: event.at,
    took: event.took,
  }));
}

export function withGateShown(run: Run, event: Of<"gate_shown">): Run {
  const open = withGate(run, event.story, event.gate, "show", () => ({ status: "open" }));
  return withScope(open, event.story, (scope) => ({
    gates: scope.gates.map((gate) => (gate.id === event.gate ? { ...gate, tree: event.tree } : gate)),
  }));
}

export function withGateVoided(run: Run, event: Of<"gate_voided">): Run {
  return withGate(run, event.story, event.gate, "void", (gate) => {
    const answer = answerOf(gate);
    return { status: "void", reason: event.reason, at: event.at, ...(answer === null ? {} : { answer }) };
  });
}

function withGate(
  run: Run,
  story: StoryId | null,
  id: GateId,
  change: string,
  next: (gate: Gate) => Gate["state"],
): Run {
  return withScope(run, story, (scope) => ({
    gates: withItem(
      scope.gates,
      (gate) => gate.id === id,
      (gate) => {
        const to = next(gate);
        return { ...gate, state: checked(move(gateTable, `gate ${id}`, gate.state.status, change), to.status, to) };
      },
      `gate ${id}`,
    ),
  }));
}
