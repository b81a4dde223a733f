// Moves a session to its next stop: a decision, a question, or its end. One call evaluates at most one decision.

import { hasEnded } from "../../domain/attempt.ts";
import { AppError } from "../../domain/error.ts";
import type { Gate } from "../../domain/gate.ts";
import type { Run } from "../../domain/run.ts";
import { gatesOpenIn } from "../../protocols/lifecycle/session/session-document.ts";
import { isWave, stepIn } from "../../protocols/lifecycle/session/shown-steps.ts";
import type { Application } from "../application.ts";
import { type Driven, type ResumeRequest, resume } from "../driving/drive.ts";
import { answer } from "../gates/gates.ts";
import { wholeRun } from "../references.ts";

/** `hasEvaluated`: the answer that lets the session move was the word to evaluate a decision. */
export async function moveSession(
  app: Application,
  run: Run["header"]["id"],
  request: ResumeRequest,
  hasEvaluated: boolean,
): Promise<Driven> {
  const before = skillsRun(await load(app, run));
  const driven = await resume(app, run, request);
  if (driven.end !== "held" || hasEvaluated) return driven;
  const now = await load(app, run);
  const stop = gatesOpenIn(now).find(({ cause }) => cause === "waits");
  // No skill has run, so nothing is new that a person should look at before the files are read.
  if (stop === undefined || skillsRun(now) > before) return driven;
  await answer(app, stop.id, { option: "continue" });
  return await moveSession(app, run, { ...request, onStart: undefined }, true);
}

/** The option that means "go on" at a question; null: a person has to say more than that. */
export function goOnOption({ cause, options }: Pick<Gate, "cause" | "options">): string | null {
  if (cause === "cap" || cause === "asked") return null;
  return ["continue", "again"].find((option) => Object.hasOwn(options, option)) ?? null;
}

/** Gives the word to go on. A tree that a person has mended since the question is what they mean. */
export async function answerGoOn(app: Application, gate: Gate): Promise<boolean> {
  const option = goOnOption(gate);
  if (option === null) return false;
  try {
    await answer(app, gate.id, { option });
  } catch (error) {
    // A gate that is still open shows the tree as it is now, and takes the same answer for it.
    const shown = await (await app.read()).parts.store.gate(gate.id);
    const isOpen = shown?.gate.state.status === "open" && shown.gate.tree !== gate.tree;
    if (!(error instanceof AppError) || !isOpen) throw error;
    await answer(app, gate.id, { option });
  }
  return true;
}

async function load(app: Application, run: Run["header"]["id"]): Promise<Run> {
  return await wholeRun((await app.read()).parts.store, { id: run });
}

/** Those that have ended: what another driver began may end here. */
function skillsRun({ header, stories }: Run): number {
  return [header, ...Object.values(stories)]
    .flatMap(({ attempts }) => attempts)
    .filter((attempt) => hasEnded(attempt) && attempt.state.outcome !== "lost")
    .filter(({ story, name }) => isWave(stepIn(header.definition, story, name))).length;
}
