// Starting a run. Owns: from a workflow, a task and a directory to a recorded run. Nothing is changed before all of it is right.

import { dirname, resolve } from "node:path";
import type { AgentDefinition, Definition } from "../domain/definition.ts";
import { AppError } from "../domain/error.ts";
import type { RunId } from "../domain/ids.ts";
import type { RunPlace } from "../domain/run.ts";
import { renderTemplate, templateKeys } from "../prompts/template.ts";
import { agentHome, provision } from "../protocols/antfarm/agent-home.ts";
import { newRunId } from "../system/ids.ts";
import { resolveBase } from "../workspaces/base.ts";
import { assertFreeBranch, freeBranch } from "../workspaces/freeBranch.ts";
import { inPlace, inspectRepository } from "../workspaces/repository.ts";
import type { LoadedWorkflow } from "./library.ts";
import type { Parts } from "./parts.ts";
import { createRun } from "./transition.ts";

export interface RunWish {
  readonly workflow: LoadedWorkflow;
  readonly task: string;
  readonly repo: string;
  readonly base: string | null;
  readonly inPlace: boolean;
  readonly context: Readonly<Record<string, string>>;
  readonly executor: string | null;
  readonly author: string;
  /** What the configuration says of budgets and concurrency; it only ever tightens. */
  readonly tighten: (definition: Definition) => Definition;
}

export interface StartedRun {
  readonly run: RunId;
  readonly number: number;
  /** What a person should know about the choices that were made. */
  readonly notes: readonly string[];
}

const longestTask = 512 * 1024;

export async function beginRun(parts: Parts, wish: RunWish): Promise<StartedRun> {
  // What a database or an agent could not hold is not part of anybody's words.
  const task = wish.task.toWellFormed().replaceAll("\0", "").trim();
  if (task === "")
    throw new AppError("USAGE", "the task is empty", {
      hint: 'say what should be done: pawl run feature-dev "Add a …"',
    });
  if (task.length > longestTask) {
    throw new AppError("USAGE", `the task has ${task.length} characters; at most ${longestTask} are taken`, {
      hint: "put the details into a file of the repository and name it in the task",
    });
  }
  assertTargets(parts);
  const definition = withContext(wish.tighten(wish.workflow.definition), { ...wish.context, task });
  const run = newRunId();
  const notes: string[] = [];
  const place = await choosePlace(wish, definition, notes);
  for (const agent of Object.values(definition.agents)) notes.push(...provisionAgent(parts, wish, agent, run));
  const created = await createRun(parts, (number) => ({
    type: "start_run",
    at: parts.clock.now(),
    author: wish.author,
    run,
    definition,
    task,
    place: place(number),
    executor: wish.executor,
    context: wish.context,
  }));
  return { ...created, notes };
}

/** Values of a workflow's own context are templates, resolved once, against what the caller gave. */
function withContext(definition: Definition, given: Readonly<Record<string, string>>): Definition {
  const entries = Object.entries(definition.context)
    // `repo: "{{repo}}"` says that the key exists; the run itself will set it.
    .filter(([key, value]) => !templateKeys(value).includes(key))
    .map(([key, value]) => [key, renderTemplate(value, given, definition.knownKeys).text]);
  return { ...definition, context: Object.fromEntries(entries) };
}

/** A person who relies on messages should not learn at the end of a run that none could be sent. */
function assertTargets(parts: Parts): void {
  for (const target of parts.targets) {
    const missing = target.missing();
    if (missing) throw new AppError("CONFIG_INVALID", `notify: ${missing.what}`, { hint: missing.hint });
  }
}

/** The place depends on the run's number, which only the store can give; everything slow is done before. */
async function choosePlace(
  wish: RunWish,
  definition: Definition,
  notes: string[],
): Promise<(number: number) => RunPlace> {
  const dir = resolve(wish.repo);
  if (wish.inPlace) {
    const facts = await inPlace(dir);
    return () => ({
      repo: facts.root,
      kind: "in_place",
      base: facts.head,
      baseName: facts.branch,
      branch: facts.branch,
    });
  }
  const facts = await inspectRepository(dir);
  const base = await resolveBase(dir, wish.base === null ? {} : { base: wish.base });
  notes.push(...base.notes);
  if (facts.dirty > 0) {
    notes.push(
      `your checkout has ${facts.dirty} uncommitted files; the run works from ${base.name} and does not see them`,
    );
  }
  const common = { repo: facts.root, kind: "worktree", base: base.commit, baseName: base.name } as const;
  const asked = wish.context["branch"];
  if (asked !== undefined) await assertFreeBranch(facts.root, asked);
  if (definition.workspace.branch === "by_step") return () => ({ ...common, branch: null });
  if (asked !== undefined) return () => ({ ...common, branch: asked });
  const nameFor = await freeBranch(facts.root, wish.task);
  return (number) => ({ ...common, branch: nameFor(number) });
}

function provisionAgent(parts: Parts, wish: RunWish, agent: AgentDefinition, run: RunId): readonly string[] {
  const home = agentHome(parts.home.agents, wish.workflow.definition.id, agent.name, run);
  return provision(home, agent, dirname(wish.workflow.file));
}
