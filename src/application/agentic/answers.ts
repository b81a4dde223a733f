// What a person decides about the story at work: an answer to its review or question, a note, once more, or stop.

import { AppError } from "../../domain/error.ts";
import type { Gate } from "../../domain/gate.ts";
import type { GateOptions } from "../../domain/route.ts";
import { reasonOfWord, reasons } from "../../protocols/agentic/aliases.ts";
import { transition } from "../../runtime/transition/transition.ts";
import type { Application } from "../application.ts";
import { answer } from "../gates/gates.ts";
import { noteTo } from "../steering/notes.ts";
import { retry } from "../steering/steer.ts";
import { catchUp } from "./catch-up.ts";
import { optionTo, rejections, stepAt } from "./next-commands.ts";
import { projectAt } from "./place.ts";
import { type ProjectView, viewProject } from "./view.ts";

export interface AnswerRequest {
  readonly dir?: string | undefined;
  readonly note?: string | undefined;
}

/** What was done, in words, and where the project stands then. */
export interface Decided {
  readonly done: string;
  readonly view: ProjectView;
}

export async function approveStory(app: Application, { dir, note }: AnswerRequest): Promise<Decided> {
  const view = await viewCaughtUp(app, dir);
  const { gate, state } = view;
  if (gate?.cause === "asked") return await answerSession(app, view, gate, note);
  if (gate === null || !("approve" in gate.options)) throw notNow(view, "there is nothing to approve");
  await answer(app, gate.id, { option: "approve", note });
  return await decided(app, view, `${state.story} ${state.step}: approved.`);
}

/** A session that asked gets its answer by the words of the note. */
async function answerSession(
  app: Application,
  view: ProjectView,
  gate: Gate,
  note: string | undefined,
): Promise<Decided> {
  const words = note?.trim() ?? "";
  const { story, step } = view.state;
  const chosen = Object.keys(gate.options).find(
    (name) => name !== "stop" && name.toLowerCase() === words.toLowerCase(),
  );
  if (words === "" || (chosen === undefined && !("answer" in gate.options))) {
    const what =
      words === "" ? "needs an answer, not an approval" : `does not know the answer ${JSON.stringify(words)}`;
    throw notNow(view, `${story} ${step} ${what}`, "USAGE");
  }
  await answer(app, gate.id, chosen === undefined ? { option: "answer", note } : { option: chosen });
  return await decided(app, view, `${story} ${step} has your answer.`);
}

export async function rejectStory(
  app: Application,
  { dir, note, reason }: AnswerRequest & { readonly reason: string },
): Promise<Decided> {
  const view = await viewCaughtUp(app, dir);
  const { gate, state } = view;
  const known = gate === null ? [] : rejections(gate, view);
  if (gate === null || known.length === 0) throw notNow(view, "there is nothing to reject");
  const routeOf = (name: string | null) => known.find(([each]) => each === name)?.[1];
  const meant = routeOf(reason) === undefined ? reasonOfWord(reason) : reason;
  // At a review, a reason without a way of its own follows the default.
  const route = routeOf(meant) ?? (meant === null ? undefined : routeOf("default"));
  if (meant === null || route === undefined) {
    throw new AppError("USAGE", `"${reason}" is no reason that ${state.step} knows; nothing was changed`, {
      hint: `use one of: ${namesFor(known.map(([name]) => name)).join(", ")}`,
    });
  }
  const option = "reject" in gate.options || !("step" in route) ? "reject" : route.step;
  await answer(app, gate.id, { option, note, ...(meant === "default" ? {} : { reason: meant }) });
  return await decided(app, view, `${state.story} ${state.step}: rejected (${meant}).`);
}

/** Where there is a default, every reason of the protocol has a way. */
function namesFor(known: readonly string[]): readonly string[] {
  const own = known.filter((name) => name !== "default");
  return own.length === known.length ? own : [...new Set([...own, ...reasons]), "default"];
}

export async function noteStory(
  app: Application,
  { dir, text }: { readonly dir?: string | undefined; readonly text: string },
): Promise<Decided> {
  const view = await viewCaughtUp(app, dir);
  const run = assertRun(view);
  if (text.trim() === "")
    throw new AppError("USAGE", "the note is empty; nothing was changed", {
      hint: 'pawl project note "use the new API"',
    });
  await noteTo(app, run, { text, story: view.state.story ?? undefined });
  return await decided(app, view, `The next prompt of ${view.state.story ?? "the project"} has the note.`);
}

/** Once more. A step that is stuck starts with limits counted anew. */
export async function retryStory(app: Application, { dir }: AnswerRequest): Promise<Decided> {
  const view = await viewCaughtUp(app, dir);
  const run = assertRun(view);
  const { gate, whole, state } = view;
  if (whole?.header.end?.status === "failed" || view.entry?.status === "failed") {
    await retry(app, run);
    return await decided(app, view, `${state.story} ${state.step} can run again.`);
  }
  const isAnswerable = gate !== null && gate.cause !== "waits" && gate.cause !== "step";
  const option = isAnswerable ? againOf(gate.options) : null;
  if (gate === null || option === null) throw notNow(view, "there is nothing to retry");
  const note = gate.cause === "asked" ? "There is no answer. Go on with what is known." : undefined;
  await answer(app, gate.id, { option, note });
  return await decided(app, view, `${state.story} ${stepAt(gate, view)} can run again.`);
}

/** Stops the running attempt, and the run waits for a person. Where it waits already, the story ends as failed. */
export async function abortAttempt(app: Application, { dir }: AnswerRequest): Promise<Decided> {
  const view = await viewCaughtUp(app, dir);
  assertRun(view);
  const { entry, whole, state, running, gate } = view;
  if (gate !== null && gate.cause !== "waits" && gate.cause !== "step") {
    const option = optionTo(gate.options, "fail");
    if (option === null) throw notNow(view, "nothing is running");
    await answer(app, gate.id, { option });
    return await decided(app, view, `${state.story} has failed at ${stepAt(gate, view)}.`);
  }
  if (entry === null || whole === null || running === null || gate !== null) throw notNow(view, "nothing is running");
  await app.change(null, async ({ parts }) => {
    const decision = await transition(parts, whole.header.id, {
      type: "stop_attempt",
      story: entry.id,
      attempt: running.id,
      reason: `aborted by ${app.author}`,
      at: parts.clock.now(),
      author: app.author,
    });
    if (!decision.accepted) throw notNow(view, `${state.story} ${state.step} cannot be stopped: ${decision.why}`);
  });
  const isOver = running.driver === "pull";
  return await decided(app, view, `${state.story} ${state.step} is ${isOver ? "stopped" : "being stopped"}.`);
}

/** What people did to the files is looked at before they decide. */
export async function viewCaughtUp(app: Application, dir: string | undefined): Promise<ProjectView> {
  const place = await projectAt(app, dir);
  await catchUp(app, place);
  return await viewProject(app, place);
}

export async function decided(app: Application, { place }: ProjectView, done: string): Promise<Decided> {
  return { done, view: await viewProject(app, place) };
}

export function assertRun(view: ProjectView): string {
  if (view.run !== null) return view.run.id;
  throw new AppError("NOT_FOUND", `nothing of ${view.place.name} was started yet`, { hint: hintOf(view) });
}

/** What a person asked for does not fit where the project stands; the hint has what does. */
export function notNow(view: ProjectView, what: string, code: "REFUSED" | "USAGE" = "REFUSED"): AppError {
  return new AppError(code, `${what}; nothing was changed`, { details: [view.words], hint: hintOf(view) });
}

function hintOf({ commands }: ProjectView): string {
  const typed = commands.map(({ command }) => `\`${command}\``);
  return typed.length === 0 ? "`pawl project status` says where it stands" : `type ${typed.join(" or ")}`;
}

/** Of a gate about a limit, the option that brings more of the same: `retry` may lead back to an earlier step. */
function againOf(options: GateOptions): string | null {
  return ["retry", "continue"].find((name) => name in options) ?? optionTo(options, "again");
}
