// Takes the current step as passed, on a person's word alone. That is a line in the log, and never a note for an executor.

import { AppError } from "../../domain/error.ts";
import { isOver } from "../../domain/step.ts";
import { aiFolder } from "../../protocols/agentic/ai-folder.ts";
import { appendInside } from "../../system/files/inside.ts";
import type { Application } from "../application.ts";
import { answer } from "../gates/gates.ts";
import { edit } from "../steering/edit.ts";
import { type AnswerRequest, assertRun, type Decided, decided, notNow, viewCaughtUp } from "./answers.ts";
import { isSkippable, optionTo, stepAt } from "./next-commands.ts";
import { type ProjectView, viewProject } from "./view.ts";

export async function skipStep(
  app: Application,
  { dir, yes = false }: AnswerRequest & { readonly yes?: boolean },
): Promise<Decided> {
  const view = await viewCaughtUp(app, dir);
  assertRun(view);
  const { gate, state, place } = view;
  if (state.status === "running") throw notNow(view, `${state.story} ${state.step} is running`);
  if (gate?.cause === "step" && !yes) {
    throw new AppError("REFUSED", `${state.story} waits for your review; nothing was changed`, {
      hint: `look at it and \`pawl project approve${place.flag}\`, or skip it unseen with \`pawl project skip --yes${place.flag}\``,
    });
  }
  if (gate !== null && !isSkippable(gate, view)) throw notNow(view, `${stepAt(gate, view)} cannot be skipped`);
  const passing = gate === null ? null : optionTo(gate.options, "next");
  if (gate !== null && passing !== null) {
    await answer(app, gate.id, { option: passing });
    return await skipped(app, view, stepAt(gate, view));
  }
  return await skipped(app, view, await skipReady(app, await released(app, view)));
}

/** A step that waits for a word may start; then it can be skipped. Each answer is for one question, and there are at most two. */
async function released(app: Application, view: ProjectView): Promise<ProjectView> {
  const option = view.gate === null ? null : optionTo(view.gate.options, "again");
  if (view.gate === null || option === null) return view;
  await answer(app, view.gate.id, { option });
  return await released(app, await viewProject(app, view.place));
}

async function skipReady(app: Application, view: ProjectView): Promise<string> {
  const { entry, whole } = view;
  const step = entry === null ? undefined : whole?.stories[entry.id]?.chain.find((each) => !isOver(each));
  const isWork = step !== undefined && step.name !== "integrate" && entry?.status !== "failed";
  if (entry === null || !isWork) throw notNow(view, "there is nothing to skip");
  const reason = `skipped by ${app.author}`;
  await edit(app, assertRun(view), { story: entry.id, operations: [{ op: "skip", step: step.id, reason }] });
  return step.name;
}

async function skipped(app: Application, view: ProjectView, step: string): Promise<Decided> {
  const { root, log } = aiFolder(view.place.ai);
  const { story } = view.state;
  appendInside(root, log, `${new Date().toISOString()} [INFO] [pawl] ${story} ${step} skipped by ${app.author}\n`);
  return await decided(app, view, `${story} ${step} is skipped.`);
}
