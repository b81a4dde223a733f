// Starting a run. Owns: from the words of a caller to a recorded run: which workflow, who performs it, in which repository. Nothing
// is recorded before all of it is right.

import { engineKeys } from "../../domain/context.ts";
import { counted } from "../../domain/counted.ts";
import type { Definition } from "../../domain/definition.ts";
import { AppError } from "../../domain/error.ts";
import { agentName, type RunId } from "../../domain/ids.ts";
import type { WaitsLevel } from "../../domain/run.ts";
import { absoluteExecutor } from "../../executors/inline-command.ts";
import { readScript } from "../../executors/script.ts";
import { type Config, tighten } from "../../runtime/config/config.ts";
import type { ProjectConfig } from "../../runtime/config/config-file.ts";
import type { Executors } from "../../runtime/parts.ts";
import type { Alongside, GivenStories } from "../../runtime/run-request.ts";
import { beginRun } from "../../runtime/runs/start.ts";
import { type OpenedWorkflow, openWorkflow } from "../../runtime/runs/workflow-library.ts";
import { moneyCapGap } from "../../runtime/views/money-cap.ts";
import type { Application, Session } from "../application.ts";
import { readText } from "../files.ts";
import { capWarnings, lowerCaps, type RaisedCaps } from "../steering/caps.ts";

export interface StartRequest {
  /** A bundled or installed id, or a path; or a workflow that is loaded already. */
  readonly workflow: string | OpenedWorkflow;
  readonly task: string;
  readonly repo: string;
  /** What the work starts from. */
  readonly base?: string | undefined;
  /** Work in the checkout itself. */
  readonly inPlace?: boolean | undefined;
  /** Work in the folder itself, which need not be a repository. */
  readonly plainFolder?: boolean | undefined;
  readonly context?: Readonly<Record<string, string>> | undefined;
  /** For every agent: an executor's name, or `command: PROGRAM ARGUMENT…`. */
  readonly executor?: string | undefined;
  /** Before which steps it asks a person: `all`, those that the workflow `marked` (the default), or `none`. */
  readonly waits?: WaitsLevel | undefined;
  /** A script that is played instead of an agent. */
  readonly script?: string | undefined;
  /** Overrides how the configuration says the project is linted and tested. */
  readonly lint?: string | undefined;
  readonly test?: string | undefined;
  /** Stories at once. */
  readonly agents?: number | null | undefined;
  /** Stories that are known already. */
  readonly given?: GivenStories | undefined;
  /** No executor is needed now: agents may pull its steps. */
  readonly mayWait?: boolean | undefined;
  /** The caller drives it: no other process may begin to, not even in its first moment. */
  readonly reserves?: boolean | undefined;
  /** Is recorded together with the run. */
  readonly alongside?: Alongside | undefined;
  /** Caps that are lower than those of the workflow and the configuration; higher ones change nothing. */
  readonly caps?: RaisedCaps | undefined;
  /** The id of the run. Default: a new one. */
  readonly id?: RunId | undefined;
  readonly author?: string | undefined;
  /** Receives what a person should know, as soon as it is known, also if the start then fails. */
  readonly onNote?: ((note: string) => void) | undefined;
}

export interface Started {
  readonly run: RunId;
  readonly number: number;
  readonly workflow: string;
  /** About the configuration and the choices that were made. */
  readonly notes: readonly string[];
}

/** Records a run. Something must drive it then: `run` does both. */
export async function start(app: Application, request: StartRequest): Promise<Started> {
  const prepared = prepareStart(app, request);
  return await app.change(prepared.repo, async (session) => await startIn(session, prepared));
}

export interface PreparedStart extends Omit<StartRequest, "workflow" | "executor" | "script"> {
  readonly workflow: OpenedWorkflow;
  /** As the caller calls it. */
  readonly workflowName: string;
  readonly executor: string | null;
  readonly context: Readonly<Record<string, string>>;
  readonly author: string;
}

/** What can be checked without a store. */
export function prepareStart(app: Application, request: StartRequest): PreparedStart {
  const { script: _, workflow, ...rest } = request;
  const opened = typeof workflow === "string" ? openFor(app, workflow, request) : workflow;
  const context = checkedContext(request.context ?? {});
  assertInputs(opened, context);
  return {
    ...rest,
    workflow: opened,
    workflowName: typeof workflow === "string" ? workflow : workflow.definition.id,
    repo: app.path(request.repo),
    executor: executorOf(app, request),
    context,
    author: request.author ?? app.author,
  };
}

/** What a workflow gets from one that includes it comes from the caller where it runs by itself. */
function assertInputs(
  { definition: { id, inputs = [] } }: OpenedWorkflow,
  context: Readonly<Record<string, string>>,
): void {
  const missing = inputs.filter((name) => !Object.hasOwn(context, name));
  if (missing.length === 0) return;
  throw new AppError("USAGE", `${id} needs ${missing.join(", ")}`, {
    hint: `give ${missing.length === 1 ? "it" : "each"} with --context: ${missing.map((name) => `--context ${name}=…`).join(" ")}`,
  });
}

/** A run that was given no stories needs a step that plans them. */
function openFor({ home, protocols, cwd }: Application, workflow: string, { given }: StartRequest): OpenedWorkflow {
  return openWorkflow(home, workflow, protocols, cwd, { plans: given === undefined });
}

/** Within a use case of the same repository. */
export async function startIn({ parts, config }: Session, request: PreparedStart): Promise<Started> {
  const { workflow, executor, given, agents = null, onNote: note = () => undefined } = request;
  for (const warning of config.warnings) note(warning);
  for (const { line, message } of workflow.warnings) note(`${request.workflowName}:${line}: ${message}`);
  if (request.mayWait !== true) await assertExecutors(parts.executors, workflow, executor);
  const tightened = (definition: Definition) => lowerCaps(tighten(config, definition), request.caps ?? {});
  assertMoneyCap(parts.executors, tightened(workflow.definition), executor, note);
  const started = await beginRun(parts, {
    ...(request.id === undefined ? {} : { run: request.id }),
    workflow,
    task: request.task,
    repo: request.repo,
    base: request.base ?? null,
    inPlace: request.inPlace ?? false,
    ...(request.plainFolder === true ? { plainFolder: true } : {}),
    context: request.context,
    executor,
    ...(request.waits === undefined ? {} : { waits: request.waits }),
    author: request.author,
    tighten: tightened,
    project: projectFor(config, request),
    agents,
    ...(request.reserves === true ? { reserves: true } : {}),
    ...(given === undefined ? {} : { given }),
    ...(request.alongside === undefined ? {} : { alongside: request.alongside }),
  });
  for (const each of started.notes) note(each);
  if (given !== undefined) {
    const done = given.adopted.filter(({ status }) => status === "done").length;
    const stories = { all: given.stories.length, open: given.stories.length - done };
    for (const each of capWarnings(tightened(workflow.definition), stories).notes) note(each);
  }
  if (agents !== null && config.agents !== null && config.agents < agents)
    note(`the configuration allows ${counted(config.agents, "agent")} at once (concurrency.agents)`);
  const { run, number } = started;
  return { run, number, workflow: workflow.definition.id, notes: [...config.warnings, ...started.notes] };
}

/** As it is recorded: paths are absolute, because agents work in other directories. */
export function executorOf(
  app: Application,
  { executor, script }: Pick<StartRequest, "executor" | "script">,
): string | null {
  if (script !== undefined) {
    const file = app.path(script);
    readScript(readText(file), file);
    return `scripted:${file}`;
  }
  return executor === undefined ? null : absoluteExecutor(executor, app.cwd);
}

/** Before anything is recorded: each agent needs an executor that can be used. */
export async function assertExecutors(
  executors: Executors,
  { definition }: Pick<OpenedWorkflow, "definition">,
  executor: string | null,
): Promise<void> {
  const names = new Set<string>();
  for (const agent of Object.keys(definition.agents)) {
    const able = executors.namesFor({ executor, definition }, agentName(agent));
    if (able.length === 0) {
      throw new AppError("EXECUTOR_MISSING", `no executor is configured for the agent "${agent}"`, {
        hint: "give one with --executor NAME or --executor 'command: PROGRAM', set default_executor in the configuration, or let agents pull (`pawl run --detach`)",
      });
    }
    for (const name of able) if (name !== "pull") names.add(name);
  }
  for (const name of names) {
    const missing = await (await executors.get(name)).missing();
    if (missing) throw new AppError("EXECUTOR_MISSING", missing.what, { hint: missing.hint });
  }
}

/** A cap that nothing can count is said at the start, or refused where the workflow wants that. */
function assertMoneyCap(
  executors: Executors,
  definition: OpenedWorkflow["definition"],
  executor: string | null,
  note: (text: string) => void,
): void {
  const gap = moneyCapGap({ definition, executor, caps: definition.caps }, executors);
  if (gap === null) return;
  if (definition.caps.unknown !== "stop") return note(gap);
  throw new AppError("REFUSED", gap, {
    hint: "choose an executor that reports its cost or its model, give it a price, or remove `unknown: stop` from the caps or the configuration's budget",
  });
}

const keyPattern = /^[A-Za-z_][A-Za-z0-9_]*$/;

/** Keys in lower case; those that Pawl sets are refused. */
function checkedContext(context: Readonly<Record<string, string>>): Readonly<Record<string, string>> {
  const entries = Object.entries(context).map(([key, value]) => [key.toLowerCase(), value] as const);
  for (const [key] of entries) {
    if (!keyPattern.test(key))
      throw new AppError("USAGE", `"${key}" cannot be a key of the context`, {
        hint: "a key has letters, digits and _, for example ticket",
      });
    if (key === "branch" || !engineKeys.has(key)) continue;
    const hint =
      key === "repo" ? "--repo DIR names the repository; agents work in a tree of their own" : "choose another name";
    throw new AppError("USAGE", `--context cannot set ${key}: Pawl itself sets it`, { hint });
  }
  return Object.fromEntries(entries);
}

/** The form of the test results belongs to the configured command, not to one that the caller names. */
function projectFor({ project }: Config, { lint, test }: Pick<StartRequest, "lint" | "test">): ProjectConfig {
  const { testResults, ...others } = project;
  const own = test === undefined && testResults !== undefined ? { testResults } : {};
  return { ...others, ...own, lint: lint ?? project.lint, test: test ?? project.test };
}
