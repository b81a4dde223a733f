// What a person decides about the story at work: an answer to its review or question, a note, once more, on without it, or stop.

import { AppError } from "../../domain/error.ts";
import type { GateOptions } from "../../domain/route.ts";
import { reasonOfWord, reasons } from "../../protocols/agentic/aliases.ts";
import { transition } from "../../runtime/transition/transition.ts";
import type { Application } from "../application.ts";
import { edit } from "../edit.ts";
import { answer } from "../gates.ts";
import { noteTo } from "../notes.ts";
import { retry } from "../steer.ts";
import { catchUp } from "./catch-up.ts";
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
  const { gate } = view;
  if (gate === null || gate.cause === "waits") throw nothingAsked(view);
  const option = gate.cause === "asked" && note !== undefined ? "answer" : firstOf(gate.options);
  await answer(app, gate.id, { option, note });
  return await decided(app, view, `${view.state.story} ${view.state.step}: ${option}.`);
}

export async function rejectStory(
  app: Application,
  { dir, note, reason }: AnswerRequest & { readonly reason: string },
): Promise<Decided> {
  const view = await viewCaughtUp(app, dir);
  const { gate } = view;
  if (gate === null || !("reject" in gate.options)) throw nothingAsked(view);
  // A reason without a way of its own follows the default.
  const known = [...new Set([...reasonsIn(gate.options), ...reasons])];
  const meant = reason === "default" || known.includes(reason) ? reason : reasonOfWord(reason);
  if (meant === null) {
    throw new AppError("USAGE", `"${reason}" is no reason that this review knows; nothing was changed`, {
      hint: `use one of: ${[...known, "default"].join(", ")}`,
    });
  }
  await answer(app, gate.id, { option: "reject", note, ...(meant === "default" ? {} : { reason: meant }) });
  return await decided(app, view, `${view.state.story} ${view.state.step}: rejected (${meant}).`);
}

export async function noteStory(
  app: Application,
  { dir, text }: { readonly dir?: string | undefined; readonly text: string },
): Promise<Decided> {
  const view = await viewCaughtUp(app, dir);
  const run = assertRun(view);
  await noteTo(app, run, { text, story: view.state.story ?? undefined });
  return await decided(app, view, "The next prompt has the note.");
}

/** Once more, with limits counted anew. */
export async function retryStory(app: Application, { dir }: AnswerRequest): Promise<Decided> {
  const view = await viewCaughtUp(app, dir);
  const run = assertRun(view);
  const { gate, whole } = view;
  if (whole?.header.end?.status === "failed" || view.entry?.status === "failed") await retry(app, run);
  else if (gate === null) throw nothingAsked(view);
  else if (gate.cause === "asked")
    await answer(app, gate.id, {
      option: firstOf(gate.options),
      note: "There is no answer. Go on with what is known.",
    });
  else await answer(app, gate.id, { option: againOf(view, gate.options) });
  return await decided(app, view, `${view.state.story} ${view.state.step} runs again.`);
}

/** On to the next step, with a note in the log that nothing confirmed this one. */
export async function skipStep(
  app: Application,
  { dir, yes = false }: AnswerRequest & { readonly yes?: boolean },
): Promise<Decided> {
  const view = await viewCaughtUp(app, dir);
  const run = assertRun(view);
  const { gate, state, entry } = view;
  const isReview = gate?.cause === "step";
  if (isReview && !yes) {
    throw new AppError("REFUSED", `${state.step} waits for your review; nothing was changed`, {
      hint: "look at it and `pawl project approve`, or skip it unseen with `pawl project skip --yes`",
    });
  }
  if (state.status === "running") {
    throw new AppError("REFUSED", `${state.story} ${state.step} is running; nothing was changed`, {
      hint: "`pawl project abort` stops it, then skip it",
    });
  }
  const next = Object.entries(gate?.options ?? {}).find(([, route]) => route.to === "next")?.[0];
  const why = `skipped by ${app.author}`;
  if (gate !== null && next !== undefined)
    await answer(app, gate.id, { option: next, note: isReview ? why : undefined });
  else {
    const scope = entry === null ? undefined : view.whole?.stories[entry.id];
    const step = scope?.chain.find((each) => each.state.status !== "done" && each.state.status !== "skipped");
    if (step === undefined || entry === null) throw nothingAsked(view);
    await edit(app, run, { story: entry.id, operations: [{ op: "skip", step: step.id, reason: why }] });
  }
  return await decided(app, view, `${state.story} ${state.step} is skipped.`);
}

/** Stops the running attempt; the run waits for a person. */
export async function abortAttempt(app: Application, { dir }: AnswerRequest): Promise<Decided> {
  const view = await viewCaughtUp(app, dir);
  assertRun(view);
  const { entry, whole, state } = view;
  const step =
    entry === null ? undefined : whole?.stories[entry.id]?.chain.find((each) => each.state.status === "running");
  if (entry === null || whole === null || step?.state.status !== "running" || step.state.attempt === null)
    throw new AppError("REFUSED", "nothing is running; nothing was changed", {
      hint: "`pawl project status` says why",
    });
  const { attempt } = step.state;
  await app.change(null, async ({ parts }) => {
    const decision = await transition(parts, whole.header.id, {
      type: "stop_attempt",
      story: entry.id,
      attempt,
      reason: `aborted by ${app.author}`,
      at: parts.clock.now(),
      author: app.author,
    });
    if (!decision.accepted)
      throw new AppError("REFUSED", decision.why, { hint: "`pawl project status` says where it stands" });
  });
  return await decided(app, view, `${state.story} ${state.step} is stopped.`);
}

/** What people did to the files is looked at before they decide. */
async function viewCaughtUp(app: Application, dir: string | undefined): Promise<ProjectView> {
  const place = await projectAt(app, dir);
  await catchUp(app, place);
  return await viewProject(app, place);
}

async function decided(app: Application, { place }: ProjectView, done: string): Promise<Decided> {
  return { done, view: await viewProject(app, place) };
}

function assertRun({ run, place }: ProjectView): string {
  if (run !== null) return run.id;
  throw new AppError("NOT_FOUND", `nothing of ${place.name} was started yet`, { hint: "pawl project continue" });
}

function nothingAsked({ report }: ProjectView): AppError {
  return new AppError("REFUSED", "nothing waits for an answer; nothing was changed", {
    details: [report],
    hint: "`pawl project status` says where it stands; `pawl project continue` goes on",
  });
}

function againOf(view: ProjectView, options: GateOptions): string {
  const named = ["continue", "again"].find((name) => name in options);
  const option = named ?? Object.entries(options).find(([, route]) => route.to === "again")?.[0];
  if (option === undefined) throw nothingAsked(view);
  return option;
}

function firstOf(options: GateOptions): string {
  return Object.keys(options)[0] ?? "";
}

function reasonsIn(options: GateOptions): readonly string[] {
  return Object.keys(options).flatMap((name) => (name.startsWith("reject:") ? [name.slice("reject:".length)] : []));
}
