// Answers. Owns: taking a person's one answer to a gate.

import type { AnswerGate } from "../domain/command.ts";
import type { Rejection } from "../domain/decision.ts";
import { repeats } from "../domain/route.ts";
import type { Draft } from "./draft.ts";
import { changeStory } from "./ends.ts";
import { reject } from "./rejection.ts";
import { follow } from "./routing.ts";

/** Answered exactly once, by whoever is first, and only for the tree that was shown. */
export function answerGate(draft: Draft, command: AnswerGate): Rejection | null {
  const gate = draft.scope(command.story).gates.find((candidate) => candidate.id === command.gate);
  if (!gate) return reject("unknown", `there is no gate ${command.gate}`);
  if (gate.state.status === "answered") {
    return reject("answered", `gate ${gate.id} was answered "${gate.state.option}" by ${gate.state.by}`);
  }
  if (gate.state.status === "void") return reject("answered", `gate ${gate.id} is void: ${gate.state.reason}`);
  const route = Object.hasOwn(gate.options, command.option) ? gate.options[command.option] : undefined;
  if (!route) {
    return reject(
      "illegal",
      `gate ${gate.id} has no option "${command.option}"; it has: ${Object.keys(gate.options).join(", ")}`,
    );
  }
  if (gate.tree !== null && command.tree !== gate.tree) {
    return reject("moved", `the work has changed since gate ${gate.id} was shown; look at it again`);
  }
  draft.emit(command.story, {
    type: "gate_answered",
    gate: gate.id,
    option: command.option,
    note: command.note,
    took: route.to,
  });
  if (command.story !== null) changeStory(draft, command.story, "running", "");
  const step = draft.step(command.story, gate.step);
  // A person said "once more": the limit that led here counts anew, or it would lead here again at once.
  // In a story the budget is shared by its steps, so all of them count anew.
  const renewed = command.story === null ? step.name : null;
  if (repeats(route)) draft.emit(command.story, { type: "limits_renewed", of: renewed });
  const told = [gate.feedback, command.note].filter((text) => text !== "").join("\n\n");
  follow(draft, { story: command.story, step, route, feedback: told, cause: "route", tree: null });
  return null;
}
