// Starting a run. Owns: from a workflow, a task and a directory to a recorded run. Nothing is changed before all of it is right.

import { dirname, relative, resolve } from "node:path";
import type { StartRun } from "../../domain/command.ts";
import { type AgentDefinition, type Definition, hasStoryTrees } from "../../domain/definition.ts";
import { AppError } from "../../domain/error.ts";
import { agentName, type RunId } from "../../domain/ids.ts";
import type { RunPlace } from "../../domain/run.ts";
import { renderTemplate, templateKeys } from "../../prompts/template.ts";
import type { CompleteProtocol } from "../../protocols/complete-protocol.ts";
import { agentHome, provision } from "../../protocols/files/agent-home.ts";
import type { RunFacts } from "../../protocols/protocol.ts";
import { newRunId } from "../../system/ids.ts";
import { resolveCommands } from "../../workflows/format/project.ts";
import { resolveBase } from "../../workspaces/branches/base.ts";
import { assertFreeBranch, freeBranch } from "../../workspaces/branches/free-branch.ts";
import { inPlace, inspectRepository, uncommitted, uncommittedFiles } from "../../workspaces/git/repository.ts";
import { assertWritable } from "../../workspaces/git/writable.ts";
import { pathMatcher } from "../../workspaces/trees/path-patterns.ts";
import { cannotAwait } from "../attempt/execute/await-report.ts";
import { projectContext } from "../config/config.ts";
import type { Parts } from "../parts.ts";
import { reservation } from "../reservation.ts";
import type { GivenStories, RunRequest } from "../run-request.ts";
import { assertNoSecret, redactedRequest } from "../transition/redacted.ts";
import { createRun } from "../transition/transition.ts";
import { beginFiles, protocolPlace } from "../trees/protocol-folder.ts";
import { chooseBase } from "../trees/run-base.ts";
import { withoutTrees } from "./without-trees.ts";

export interface StartedRun {
  readonly run: RunId;
  readonly number: number;
  /** What a person should know about the choices that were made. */
  readonly notes: readonly string[];
}

const longestTask = 512 * 1024;

export async function beginRun(parts: Parts, original: RunRequest): Promise<StartedRun> {
  const request = redactedRequest(parts.secrets, original);
  // What a database or an agent could not hold is not part of anybody's words.
  const task = request.task.toWellFormed().replaceAll("\0", "").trim();
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
  const notes: string[] = [];
  const context = { ...parts.secrets.redactAll(projectContext(request.project)), ...request.context };
  const written = withContext(definitionFor(request, notes), { ...context, task });
  const definition = request.inPlace ? withoutTrees(written) : written;
  assertNoSecret(parts.secrets, definition);
  parts.protocols.assertKnown(definition);
  assertAwaitable(parts, definition, request.executor);
  const run = request.run ?? newRunId();
  const protocol = parts.protocols.of(definition);
  const given = request.given ?? storiesGivenBy(protocol, task);
  const placed = hasStoryTrees(definition)
    ? await chooseBase(request, notes)
    : await choosePlace(request, definition, notes);
  const files = protocolPlace(parts, protocol, run, given);
  const facts = { id: run, definition, place: { ...placed(0), ...files } };
  if (request.inPlace) await lookForUncommitted(protocol, facts, hasStoryTrees(written), notes);
  await beginFiles(protocol, facts);
  for (const agent of Object.values(definition.agents)) notes.push(...provisionAgent(parts, request, agent, run));
  const describe = (number: number): StartRun => ({
    type: "start_run",
    at: parts.clock.now(),
    author: request.author,
    run,
    definition,
    task,
    place: { ...placed(number), ...files },
    executor: request.executor,
    ...(request.waits === undefined ? {} : { waits: request.waits }),
    context,
    ...(given === null ? {} : { stories: given.stories, adopted: given.adopted }),
  });
  const created = await createRun(parts, describe, async (tx, accepted) => {
    if (request.reserves === true) await tx.setDriver(reservation(parts.clock, run));
    await request.alongside?.(tx, accepted);
  });
  return { ...created, notes };
}

/** A program can be awaited only where its report can be found. */
function assertAwaitable(
  { executors, protocols }: Pick<Parts, "executors" | "protocols">,
  definition: Definition,
  executor: string | null,
): void {
  const agents = Object.keys(definition.agents).map(agentName);
  const names = agents.flatMap((agent) => executors.namesFor({ executor, definition }, agent));
  const awaiting = names.find((name) => executors.awaitMs(name) !== null);
  if (awaiting === undefined || protocols.of(definition).canAwait) return;
  throw new AppError("USAGE", `the executor ${awaiting} cannot be used: ${cannotAwait(definition.protocol)}`, {
    hint: "choose an executor that starts a program: --executor NAME, or --executor 'command: PROGRAM'",
  });
}

/** The workflow as this run will have it: no looser than the configuration, with the project's own checks. */
function definitionFor(request: RunRequest, notes: string[]): Definition {
  const { definition, notes: unchecked } = resolveCommands(
    request.tighten(request.workflow.definition),
    request.project,
  );
  notes.push(...unchecked);
  const { agents } = request;
  if (agents === undefined || agents === null) return definition;
  const steps = definition.steps.map((step) => (step.kind === "stories" ? { ...step, concurrency: agents } : step));
  return { ...definition, steps };
}

function storiesGivenBy(protocol: CompleteProtocol, task: string): GivenStories | null {
  const stories = protocol.storiesFor(task);
  return stories === null ? null : { stories, adopted: [], source: null, shared: null };
}

/** Values of a workflow's own context are templates, resolved once, against what the caller gave. */
function withContext(definition: Definition, given: Readonly<Record<string, string>>): Definition {
  const options = { keepsForeign: definition.dialect !== "pawl" };
  const entries = Object.entries(definition.context)
    // `repo: "{{repo}}"` says that the key exists; the run itself will set it.
    .filter(([key, value]) => !templateKeys(value).includes(key))
    .map(([key, value]) => [key, renderTemplate(value, given, definition.knownKeys, options).text]);
  return { ...definition, context: Object.fromEntries(entries) };
}

/** A person who relies on messages should not learn at the end of a run that none could be sent. */
function assertTargets(parts: Parts): void {
  for (const target of parts.targets) {
    const missing = target.missing();
    if (missing) throw new AppError("CONFIG_INVALID", `notify: ${missing.what}`, { hint: missing.hint });
  }
}

/**
 * Work of a person in the checkout could be mixed up with that of agents. Stories are done one after the other, so that the work of the
 * first is there when the second begins: then it is only said. Files of the protocol do not count.
 */
async function lookForUncommitted(
  protocol: CompleteProtocol,
  run: RunFacts,
  hasStories: boolean,
  notes: string[],
): Promise<void> {
  const root = run.place.repo ?? "";
  const isKeptOut = pathMatcher(protocol.excludes(run));
  const own = protocol.ownFiles(run).map((file) => relative(root, file));
  const isOwn = (name: string) => own.some((file) => name === file || name.startsWith(`${file}/`));
  const dirty = (await uncommittedFiles(root)).filter((name) => !isKeptOut(name) && !isOwn(name));
  if (dirty.length === 0) return;
  if (!hasStories) throw uncommitted(root, dirty.length);
  const files = dirty.length === 1 ? "an uncommitted file" : `${dirty.length} uncommitted files`;
  notes.push(
    `your checkout has ${files}; the work of the stories is added to that, and nothing of it is ever put back`,
  );
}

/** The place depends on the run's number, which only the store can give; everything slow is done before. */
async function choosePlace(
  request: RunRequest,
  definition: Definition,
  notes: string[],
): Promise<(number: number) => RunPlace> {
  const dir = resolve(request.repo);
  if (request.plainFolder === true)
    return () => ({ repo: dir, kind: "directory", base: null, baseName: null, branch: null });
  if (request.inPlace) {
    const facts = await inPlace(dir, { mayBeDirty: true });
    await assertWritable(facts.root);
    return () => ({
      repo: facts.root,
      kind: "in_place",
      base: facts.head,
      baseName: facts.branch,
      branch: facts.branch,
    });
  }
  const facts = await inspectRepository(dir);
  await assertWritable(facts.root);
  const base = await resolveBase(facts, request.base === null ? {} : { base: request.base });
  notes.push(...base.notes);
  if (facts.dirty > 0) {
    const files = facts.dirty === 1 ? "an uncommitted file" : `${facts.dirty} uncommitted files`;
    notes.push(`your checkout has ${files}, which the run does not see; it works from ${base.name}`);
  }
  const common = { repo: facts.root, kind: "worktree", base: base.commit, baseName: base.name } as const;
  const asked = request.context["branch"];
  if (asked !== undefined) await assertFreeBranch(facts.root, asked);
  if (definition.workspace.branch === "by_step") return () => ({ ...common, branch: null });
  if (asked !== undefined) return () => ({ ...common, branch: asked });
  const nameFor = await freeBranch(facts.root, request.task);
  return (number) => ({ ...common, branch: nameFor(number) });
}

function provisionAgent(parts: Parts, request: RunRequest, agent: AgentDefinition, run: RunId): readonly string[] {
  const home = agentHome(parts.home.agents, request.workflow.definition.id, agent.name, run);
  return provision(home, agent, dirname(request.workflow.file));
}
