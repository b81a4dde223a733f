// Receives signals and gives each to one step that waits for it. A signal that comes early is kept.

import type { ReceiveSignal } from "../../domain/command.ts";
import type { Rejection } from "../../domain/decision.ts";
import type { StepDefinition } from "../../domain/definition.ts";
import type { Gate } from "../../domain/gate.ts";
import type { StoryId } from "../../domain/ids.ts";
import { type Run, scopeOf } from "../../domain/run.ts";
import {
  type KeptSignal,
  mostKeptCharacters,
  mostKeptSignals,
  receivedOption,
  type SignalWait,
} from "../../domain/signal.ts";
import { storiesStep } from "../definitions.ts";
import type { Draft } from "../draft.ts";
import { acceptOutputs, clearedKeys } from "../outputs.ts";
import { rejectCommand } from "../rejection.ts";
import { takeRoute } from "../routing.ts";
import { recordAnswer } from "./answers.ts";

/** Records it; `takeSignals` wakes the step. */
export function receiveSignal(draft: Draft, { signal, of, outputs }: ReceiveSignal): Rejection | null {
  const { header } = draft.run;
  if (header.end && header.end.status !== "failed") return rejectCommand("over", `the run is ${header.end.status}`);
  const entry = of === null ? undefined : header.stories.find(({ id }) => id === of);
  if (of !== null && !entry) return rejectCommand("unknown", `there is no story ${of}`);
  if (entry?.status === "done" || entry?.status === "cancelled" || entry?.status === "skipped")
    return rejectCommand("over", `story ${of} is ${entry.status}`);
  const waits = waitsOf(draft.run, of);
  const wanted = waits.filter(({ name }) => name === signal);
  if (wanted.length === 0) return rejectCommand("unknown", noSuchSignal(draft.run, of, signal, waits));
  const keys = wanted.flatMap(({ produces }) => produces);
  const missing = [...new Set(keys)].filter((key) => !Object.hasOwn(outputs, key));
  if (missing.length > 0)
    return rejectCommand("illegal", `the signal ${signal} needs ${missing.join(" and ")}, as keys of a JSON object`);
  const kept = header.signals ?? [];
  const taken = Object.fromEntries(Object.entries(outputs).filter(([key]) => keys.includes(key)));
  const size = (values: KeptSignal["outputs"]) => Object.values(values).join("").length;
  const total = kept.reduce((sum, each) => sum + size(each.outputs), size(taken));
  if (kept.length >= mostKeptSignals || total > mostKeptCharacters)
    return rejectCommand("cap", `${kept.length} signals wait for their steps already, and no more are kept`);
  draft.emit(null, { type: "signal_received", signal, of, outputs: taken });
  return null;
}

/** Gives kept signals, the oldest first, to the steps that wait for them. Stories that are not loaded do not wait. */
export function takeSignals(draft: Draft): void {
  if (draft.isOver) return;
  for (const kept of draft.run.header.signals ?? []) {
    const gate = scopeOf(draft.run, kept.story)?.gates.find(
      ({ state, signal }) => state.status === "open" && signal === kept.name,
    );
    if (gate) take(draft, gate, kept);
  }
}

function take(draft: Draft, gate: Gate, { name, story, outputs }: KeptSignal): void {
  const route = gate.options[receivedOption];
  if (!route) return;
  draft.emit(story, { type: "signal_taken", signal: name, gate: gate.id, step: gate.step });
  recordAnswer(draft, gate, route, { option: receivedOption, reason: null, note: "" });
  const step = draft.step(story, gate.step);
  const { include } = draft.definition(story, step.name);
  const author = { name: step.name, produces: null, decide: null, ...(include ? { include } : {}) };
  const { set } = acceptOutputs(draft.run.header, author, outputs);
  const cleared = clearedKeys(step.produced, set);
  if (Object.keys(set).length > 0 || cleared.length > 0)
    draft.emit(story, { type: "outputs_set", step: step.id, set, cleared });
  takeRoute(draft, { story, step, route, feedback: "", cause: "route" });
}

/** The signals that a step of this scope may wait for. A story that has not begun may get any body. */
function waitsOf(run: Run, story: StoryId | null): readonly SignalWait[] {
  const { header, stories } = run;
  if (story === null) return header.definition.steps.flatMap(waitOf);
  const opened = stories[story];
  const bodies = opened ? [storiesStep(header, opened.of)] : header.definition.steps;
  return bodies.flatMap((step) => (step.kind === "stories" ? step.body.flatMap(waitOf) : []));
}

function waitOf(step: StepDefinition): readonly SignalWait[] {
  return step.kind === "gate" && step.signal ? [step.signal] : [];
}

function noSuchSignal(run: Run, of: StoryId | null, name: string, waits: readonly SignalWait[]): string {
  const where = of === null ? "no step of the run" : `no step of story ${of}`;
  const inside = run.header.definition.steps.flatMap((step) => (step.kind === "stories" ? step.body : []));
  if (of === null && inside.flatMap(waitOf).some((wait) => wait.name === name))
    return `${where} itself waits for the signal ${name}: stories do, so name one with --story`;
  const known = [...new Set(waits.map((wait) => wait.name))];
  const names = known.length === 0 ? "for no signal" : `for: ${known.join(", ")}`;
  return `${where} waits for the signal ${name}; its steps wait ${names}`;
}
