// The two hooks of an Agent Team. A task is complete only if the check of its step passes, and a teammate that still has a task does not
// go idle. Whatever cannot be found out blocks nothing: the host of the team must not break.

import { existsSync } from "node:fs";
import { join } from "node:path";
import { hasEnded } from "../../domain/attempt.ts";
import type { Check } from "../../domain/check.ts";
import { errorText } from "../../domain/error.ts";
import type { Run } from "../../domain/run.ts";
import { aiFolder, ownHandoff, teamTasks } from "../../protocols/agentic/ai-folder.ts";
import { readOrNull } from "../../protocols/agentic/found-state.ts";
import { openTasks } from "../../protocols/agentic/team-tasks.ts";
import { runChecks } from "../../runtime/trees/checks.ts";
import { storyVariable } from "../../workflows/rules/checks.ts";
import type { Application } from "../application.ts";
import { projectPlace } from "./place.ts";
import { openRun } from "./project-runs.ts";

export type TeamHook = "task-completed" | "teammate-idle";

export interface TeamHooked {
  /** The task stays open, or the teammate goes on. */
  readonly blocks: boolean;
  /** What the teammate or a person reads; empty: there is nothing to say. */
  readonly feedback: string;
}

/** Says what a session that Pawl started works on. */
export interface OwnSession {
  context(): Promise<{
    readonly run: { readonly id: string };
    readonly story: { readonly id: string } | null;
    readonly step: { readonly name: string };
    readonly checks: readonly Check[];
  }>;
}

/** `input`: the JSON that the host of the team gives the hook. `session`: its own; null: Pawl did not start it. */
export async function hookTeam(
  app: Application,
  hook: TeamHook,
  input: string,
  dir: string | undefined,
  session: OwnSession | null = null,
): Promise<TeamHooked> {
  try {
    const given = readInput(input);
    const folder = dir ?? given.cwd ?? app.cwd;
    if (!existsSync(folder)) return open(`${folder} is not there`);
    return hook === "task-completed" ? await taskCompleted(app, given, folder, session) : teammateIdle(given, folder);
  } catch (error) {
    return open(`nothing was checked: ${errorText(error)}`);
  }
}

function open(feedback: string): TeamHooked {
  return { blocks: false, feedback };
}

interface HookInput {
  readonly cwd: string | undefined;
  readonly teammate: string;
  readonly task: string;
}

function readInput(text: string): HookInput {
  const value = Object(text.trim() === "" ? {} : JSON.parse(text)) as Readonly<Record<string, unknown>>;
  const word = (key: string) => (typeof value[key] === "string" ? value[key] : "");
  return {
    cwd: word("cwd") === "" ? undefined : word("cwd"),
    teammate: word("teammate_name"),
    task: word("task_subject") || word("task_id"),
  };
}

/** The check is that of the run, as it was when the run started. */
async function taskCompleted(
  app: Application,
  { task }: HookInput,
  folder: string,
  session: OwnSession | null,
): Promise<TeamHooked> {
  const work = session === null ? await stepAtWork(app, folder) : await stepOf(session);
  if (work === null) return open("nothing was checked: no run is at work here");
  const { step, story, checks, run } = work;
  if (checks.length === 0) return open(`${step} has no post_check`);
  const env = { PAWL_RUN: run, PAWL_STORY: story, PAWL_STEP: step, [storyVariable]: story };
  const site = { cwd: folder, attempt: `hook-${process.pid}`, sink: () => undefined, env };
  const { red } = await runChecks(checks, site, () => undefined);
  if (red === null) return { blocks: false, feedback: "" };
  const what = task === "" ? "The task is not complete" : `The task "${task}" is not complete`;
  return { blocks: true, feedback: `${what}: its check failed. Fix this before you complete it.\n\n${red}` };
}

interface StepAtWork {
  readonly run: string;
  readonly story: string;
  readonly step: string;
  readonly checks: readonly Check[];
}

async function stepOf(session: OwnSession): Promise<StepAtWork> {
  const { run, story, step, checks } = await session.context();
  return { run: run.id, story: story?.id ?? "", step: step.name, checks: checks.filter(isPostCheck) };
}

/** The step whose session calls the hook from the folder of a project. */
async function stepAtWork(app: Application, folder: string): Promise<StepAtWork | null> {
  const { store } = (await app.read()).parts;
  const id = (await openRun(store, await projectPlace(app, folder)))?.id;
  const run = id === undefined ? null : await store.wholeRun(id);
  if (run === null || id === undefined) return null;
  const attempts = Object.values(run.stories).flatMap((each) => each.attempts);
  const running = attempts.find((attempt) => !hasEnded(attempt));
  if (running === undefined) return null;
  return { run: id, story: running.story ?? "", step: running.name, checks: postChecks(run, running.name) };
}

function postChecks({ header }: Run, name: string): readonly Check[] {
  const body = header.definition.steps.flatMap((step) => (step.kind === "stories" ? step.body : [step]));
  const step = body.find((each) => each.name === name);
  return step?.kind === "agent" ? step.checks.filter(isPostCheck) : [];
}

function isPostCheck({ as }: Check): boolean {
  return as === "lint";
}

/** Its own tasks in the list of the lead, and those that no role has; then its hand-off, without which its work is lost in a crash. */
function teammateIdle({ teammate }: HookInput, folder: string): TeamHooked {
  const ai = aiFolder(join(folder, ".ai"));
  const tasks = openTasks(readOrNull(ai.root, teamTasks(ai)) ?? "", teammate);
  if (tasks.length > 0) {
    const list = tasks.map((task) => `- ${task}`).join("\n");
    return { blocks: true, feedback: `These tasks of .ai/TASKS.md are still open for ${teammate || "you"}:\n${list}` };
  }
  const hasRole = /^[\w.-]{1,64}$/.test(teammate) && !teammate.includes("..");
  if (!hasRole || readOrNull(ai.root, ownHandoff(ai, teammate)) !== null) return { blocks: false, feedback: "" };
  return {
    blocks: true,
    feedback: `Write .ai/handoffs/${teammate}.md before you stop: what you did, what is open, and what the next session should note.`,
  };
}
