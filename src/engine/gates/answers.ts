// Accepts the one answer to a gate: a person's, or the option that its deadline declares.

import { hasEnded } from "../../domain/attempt.ts";
import type { AnswerGate, ExpireGate } from "../../domain/command.ts";
import type { Rejection } from "../../domain/decision.ts";
import { isPerformed } from "../../domain/definition.ts";
import type { Gate } from "../../domain/gate.ts";
import { type GateId, noteId, type PartName, type StepName, type StoryId } from "../../domain/ids.ts";
import { didYouMean } from "../../domain/nearest.ts";
import { type Route, repeats } from "../../domain/route.ts";
import type { Scope } from "../../domain/scope.ts";
import type { Step } from "../../domain/step.ts";
import type { Draft } from "../draft.ts";
import { capReached, raisedCaps } from "../limits.ts";
import { leaveNote } from "../notes.ts";
import { acceptOutputs } from "../outputs.ts";
import { takePartRoute } from "../parts/part-routes.ts";
import { rejectCommand } from "../rejection.ts";
import { takeRoute } from "../routing.ts";
import { changeStory } from "../status-changes.ts";
import { isAboutStart } from "./gates.ts";

/** The tree of a gate whose tree is gone. With null the gate would accept an answer for any tree. */
const nothing = "";

/** The first answer wins, and only if it is for the tree that the gate showed. */
export function answerGate(draft: Draft, command: AnswerGate): Rejection | null {
  const gate = openGateOf(draft, command.story, command.gate);
  if ("accepted" in gate) return gate;
  if (gate.signal !== undefined)
    return rejectCommand("illegal", `gate ${gate.id} waits for the signal ${gate.signal}, which \`pawl signal\` sends`);
  const route = routeOf(gate, command.option, command.reason ?? null);
  if (!route) return rejectCommand("illegal", noSuchOption(gate, command.option));
  if (gate.cause === "asked" && command.option === "answer" && command.note.trim() === "")
    return rejectCommand("illegal", `gate ${gate.id} needs an answer in your own words: add it with --note TEXT`);
  if (gate.tree !== null && (command.tree ?? nothing) !== gate.tree) return showAgain(draft, command, gate);
  take(draft, gate, route, { option: command.option, reason: command.reason ?? null, note: command.note });
  return null;
}

/** No answer came in time: takes the option that the deadline declares. */
export function expireGate(draft: Draft, command: ExpireGate): Rejection | null {
  const gate = openGateOf(draft, command.story, command.gate);
  if ("accepted" in gate) return gate;
  const { deadline } = gate;
  if (deadline === null || deadline.at > command.at)
    return rejectCommand("illegal", `gate ${gate.id} has not reached its deadline`);
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

/** A reason may have a route of its own. If it has none, the option's route is taken and the reason is passed on as feedback. */
function routeOf(gate: Gate, option: string, reason: string | null): Route | undefined {
  const named = reason === null ? option : `${option}:${reason}`;
  const key = Object.hasOwn(gate.options, named) ? named : option;
  return Object.hasOwn(gate.options, key) ? gate.options[key] : undefined;
}

function noSuchOption(gate: Gate, option: string): string {
  const options = Object.keys(gate.options);
  return `gate ${gate.id} has no option "${option}"; ${didYouMean(option, options)}it has: ${options.join(", ")}`;
}

/** The work changed after the gate showed it. The gate now shows the new tree and waits for a new answer. */
function showAgain(draft: Draft, command: AnswerGate, gate: Gate): Rejection {
  draft.emit(command.story, { type: "gate_shown", gate: gate.id, tree: command.tree ?? nothing });
  const why = `the work has changed since gate ${gate.id} was shown; review it and answer again`;
  return { accepted: false, code: "moved", why, events: draft.accept().events, run: draft.run };
}

interface Said {
  readonly option: string;
  readonly reason: string | null;
  readonly note: string;
}

/** A person, a deadline or a signal has answered: the gate is over, and its story moves again. */
export function recordAnswer(draft: Draft, { id, story }: Gate, route: Route, said: Said): void {
  draft.emit(story, { type: "gate_answered", gate: id, ...said, took: route.to });
  if (story !== null) changeStory(draft, story, "running", "");
}

function take(draft: Draft, gate: Gate, route: Route, said: Said): void {
  const { story } = gate;
  recordAnswer(draft, gate, route, said);
  const step = draft.step(story, gate.step);
  const part = step.parts?.find(({ name }) => name === gate.part);
  // What a file says is asked whenever it is not known; only the end of a limit is the end of its count.
  const reads = gate.cause !== "exhausted" && draft.definition(story, step.name).kind === "decision";
  if (repeats(route)) {
    // A person asked for one more round, so the limit that led here starts again from zero; otherwise it would lead here again
    // at once. The steps of a story share a budget, so all of them start again. A cap of the run is raised only by this answer.
    if (gate.cause === "cap") raiseCaps(draft);
    else if (gate.cause !== "asked" && !isAboutStart(gate.cause) && !isCounted(draft.scope(story), gate) && !reads)
      draft.emit(story, { type: "limits_renewed", ...renewed(gate, step) });
  }
  recordDecision(draft, gate, step, said.option, route);
  const answer = gate.cause === "asked" ? `You asked: ${gate.question}\nThe answer: ${said.option}` : "";
  const words = joined([answer, said.reason ?? "", said.note]);
  // The words about a part are for that part, and a note is for whichever attempt starts next.
  if (part !== undefined) {
    const told = joined([gate.feedback, words]);
    return takePartRoute(draft, { story, step, part, route, feedback: told, cause: "route" });
  }
  // Feedback is replaced when an attempt fails; a note stays until an attempt that had it completes.
  if (words !== "" && route.to !== "fail") leaveNote(draft, { id: noteId(gate.id), story, text: words });
  const feedback = isAboutStart(gate.cause) ? gate.feedback : joined([gate.feedback, words]);
  takeRoute(draft, { story, step, route, feedback, cause: "route" });
}

/** Whose limits start again: those of the step, of one part of it, or of all steps of a story, which share a budget. */
function renewed({ story, part }: Gate, { name }: Step): { readonly of: StepName | null; readonly part?: PartName } {
  if (part !== undefined && story === null) return { of: name, part };
  return { of: story === null ? name : null };
}

/** What a person decides in the place of a step that decides by a key is the value of that key for the steps after it. */
function recordDecision(draft: Draft, gate: Gate, step: Step, option: string, route: Route): void {
  const definition = draft.definition(gate.story, step.name);
  if (!isPerformed(definition) || definition.decide === null) return;
  if (gate.cause === "cap" || gate.cause === "asked") return;
  if (route.to === "again" || route.to === "gate" || route.to === "fail") return;
  const { context } = draft.scope(gate.story);
  const kept = step.produced.flatMap((key) => (context[key] === undefined ? [] : [[key, context[key]] as const]));
  const decided = acceptOutputs(draft.run.header, definition, { [definition.decide]: option }).set;
  const set = { ...Object.fromEntries(kept), ...decided };
  draft.emit(gate.story, { type: "outputs_set", step: step.id, set, cleared: [] });
}

function joined(texts: readonly string[]): string {
  return texts.filter((text) => text !== "").join("\n\n");
}

/** If several stories ask about the same cap, only the first answer raises it. */
function raiseCaps(draft: Draft): void {
  const { header } = draft.run;
  if (capReached(header, draft.at) === null) return;
  draft.emit(null, { type: "caps_raised", caps: raisedCaps(header, draft.at) });
}

/** Its last attempt led to a question and was counted: no limit led here, so that none starts again. */
function isCounted({ attempts }: Scope, { step: id, part: of }: Gate): boolean {
  const last = attempts.findLast(({ step, part }) => step === id && part === of);
  return last !== undefined && hasEnded(last) && last.state.taken?.to === "gate" && last.state.taken.draws !== null;
}
