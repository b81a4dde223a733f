// Answers. Owns: taking the one answer to a gate: a person's, or the one that its deadline declares.

import type { AnswerGate, ExpireGate } from "../../domain/command.ts";
import type { Rejection } from "../../domain/decision.ts";
import type { Gate } from "../../domain/gate.ts";
import type { GateId, StoryId } from "../../domain/ids.ts";
import { type Route, repeats } from "../../domain/route.ts";
import type { Draft } from "../draft.ts";
import { capReached, raisedCaps } from "../limits.ts";
import { rejectCommand } from "../rejection.ts";
import { takeRoute } from "../routing.ts";
import { changeStory } from "../status-changes.ts";

/** What a gate shows when its tree is gone. Were it null, the gate would be bound to nothing and take any answer. */
const nothing = "";

/** Answered exactly once, by whoever is first, and only for the tree that was shown. */
export function answerGate(draft: Draft, command: AnswerGate): Rejection | null {
  const gate = openGateOf(draft, command.story, command.gate);
  if ("accepted" in gate) return gate;
  const route = routeOf(gate, command.option, command.reason ?? null);
  if (!route) return rejectCommand("illegal", noSuchOption(gate, command.option));
  if (gate.cause === "asked" && command.option === "answer" && command.note.trim() === "")
    return rejectCommand("illegal", `gate ${gate.id} asks for your own words: add them as a note (--note TEXT)`);
  if (gate.tree !== null && (command.tree ?? nothing) !== gate.tree) return showAgain(draft, command, gate);
  take(draft, gate, route, { option: command.option, reason: command.reason ?? null, note: command.note });
  return null;
}

/** Nobody has answered in time: the declared option is taken. */
export function expireGate(draft: Draft, command: ExpireGate): Rejection | null {
  const gate = openGateOf(draft, command.story, command.gate);
  if ("accepted" in gate) return gate;
  const { deadline } = gate;
  if (deadline === null || deadline.at > command.at)
    return rejectCommand("illegal", `gate ${gate.id} may still be answered`);
  const route = routeOf(gate, deadline.option, null);
  if (!route) return rejectCommand("illegal", noSuchOption(gate, deadline.option));
  take(draft, gate, route, { option: deadline.option, reason: null, note: "" });
  return null;
}

function openGateOf(draft: Draft, story: StoryId | null, id: GateId): Gate | Rejection {
  const gate = draft.scope(story).gates.find((candidate) => candidate.id === id);
  if (!gate) return rejectCommand("unknown", `there is no gate ${id}`);
  if (gate.state.status === "answered") {
    return rejectCommand("answered", `gate ${gate.id} was answered "${gate.state.option}" by ${gate.state.by}`);
  }
  return gate.state.status === "void"
    ? rejectCommand("answered", `gate ${gate.id} is void: ${gate.state.reason}`)
    : gate;
}

/** An option with a reason leads where that reason leads; a reason without a route of its own is only told. */
function routeOf(gate: Gate, option: string, reason: string | null): Route | undefined {
  const named = reason === null ? option : `${option}:${reason}`;
  const key = Object.hasOwn(gate.options, named) ? named : option;
  return Object.hasOwn(gate.options, key) ? gate.options[key] : undefined;
}

function noSuchOption(gate: Gate, option: string): string {
  return `gate ${gate.id} has no option "${option}"; it has: ${Object.keys(gate.options).join(", ")}`;
}

/** The work has moved: what was approved is not what is there. The gate now shows the new state, and waits for a new answer. */
function showAgain(draft: Draft, command: AnswerGate, gate: Gate): Rejection {
  draft.emit(command.story, { type: "gate_shown", gate: gate.id, tree: command.tree ?? nothing });
  const why = `the work has changed since gate ${gate.id} was shown; look at it again and answer then`;
  return { accepted: false, code: "moved", why, events: draft.accept().events, run: draft.run };
}

function take(
  draft: Draft,
  gate: Gate,
  route: Route,
  said: { option: string; reason: string | null; note: string },
): void {
  const { story } = gate;
  draft.emit(story, {
    type: "gate_answered",
    gate: gate.id,
    option: said.option,
    reason: said.reason,
    note: said.note,
    took: route.to,
  });
  if (story !== null) changeStory(draft, story, "running", "");
  const step = draft.step(story, gate.step);
  if (repeats(route)) {
    // A person said "once more": the limit that led here counts anew, or it would lead here again at once. In a story the
    // budget is shared by its steps, so all of them count anew. A cap of the run changes only by such an explicit word.
    if (gate.cause === "cap") raiseCaps(draft);
    else if (gate.cause !== "asked")
      draft.emit(story, { type: "limits_renewed", of: story === null ? step.name : null });
  }
  const answer = gate.cause === "asked" ? `You asked: ${gate.question}\nThe answer: ${said.option}` : "";
  const told = [gate.feedback, answer, said.reason ?? "", said.note].filter((text) => text !== "").join("\n\n");
  takeRoute(draft, { story, step, route, feedback: told, cause: "route" });
}

/** Where several stories ask about the same cap, the first answer has raised it. */
function raiseCaps(draft: Draft): void {
  const { header } = draft.run;
  if (capReached(header, draft.at) === null) return;
  draft.emit(null, { type: "caps_raised", caps: raisedCaps(header, draft.at) });
}
