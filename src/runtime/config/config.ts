// Reads the configuration: `$PAWL_HOME/config.yml`, and `.pawl/config.yml` of the repository. The repository's wins where it may: it
// can tighten limits and never loosen them, and it cannot pass variables of the user's environment to a program.

import { existsSync } from "node:fs";
import { join } from "node:path";
import type { ProjectKey } from "../../domain/context.ts";
import { type Definition, defaultCaps } from "../../domain/definition.ts";
import type { AgentRegistry } from "../../executors/agent/registry.ts";
import type { ExecutorConfig } from "../../executors/executor-config.ts";
import type { Prices } from "../../executors/prices.ts";
import type { TargetConfig } from "../../notify/target.ts";
import type { ConfigFile, ProjectConfig, WorkspaceConfig } from "./config-file.ts";
import type { MergeContext } from "./config-rights.ts";
import type { ServiceConfig } from "./config-service.ts";
import type { WorkerConfig } from "./config-worker.ts";
import { tightest } from "./tightest.ts";
import type { RepositoryCommand } from "./trust.ts";

export interface Config {
  /** The first of `defaultExecutors`; null: none was chosen. */
  readonly defaultExecutor: string | null;
  /** Executors for runs and workflows that name none, in order of preference. */
  readonly defaultExecutors: readonly string[];
  readonly executors: Readonly<Record<string, ExecutorConfig>>;
  /** How many agents may work at once; null: not configured. */
  readonly agents: number | null;
  /** How many attempts of an agent of this name may run at once, over all runs. */
  readonly agentLimits: Readonly<Record<string, number>>;
  readonly budget: ConfigFile["budget"];
  readonly project: ProjectConfig;
  readonly workspace: WorkspaceConfig;
  /** Only the user's own: a repository could send the texts of its users anywhere. */
  readonly notify: readonly TargetConfig[];
  /** Only the user's own: a repository could send answers to an address of its choice. */
  readonly service: ServiceConfig;
  /** Only the user's own: a repository must not choose what a machine of its users performs. */
  readonly worker: WorkerConfig;
  /** Whether the user agreed to it. Only the user's own: a repository must not have the work of its users sent anywhere. */
  readonly telemetry: boolean;
  /** Only the user's own: a lower price loosens a budget in USD. */
  readonly prices: Prices;
  /** What the repository's own file wants to run. */
  readonly repositoryCommands: readonly RepositoryCommand[];
  /** What the repository's file asks for and may not have. */
  readonly warnings: readonly string[];
}

/** In the folder of a repository. */
export const repositoryConfig = ".pawl/config.yml";

const noWorkerConfig: WorkerConfig = { labels: [], executors: null, repositories: {} };

const defaultAgents = 4;
const defaultPorts = 1;
const defaultMinFreeBytes = 1_000_000_000;

/** The configured number; else as many as the workflow runs stories at once, and at least the default. */
export function agentsFor({ agents }: Pick<Config, "agents">, { steps }: Definition): number {
  const wanted = steps.map((step) => (step.kind === "stories" ? step.concurrency : 1));
  return agents ?? Math.max(defaultAgents, ...wanted);
}

/** `commit`: what counts is the repository's file there, and not the one in its folder; null: the one in its folder. */
export async function readConfig(
  homeFile: string,
  repo: string | null,
  agents: AgentRegistry,
  commit: string | null = null,
): Promise<Config> {
  const own = await readIfThere(homeFile, agents);
  const theirs = repo === null ? nothing : await readOfRepository(repo, agents, commit);
  const warnings: string[] = [];
  const executors = await executorsOf(own, theirs, { agents, homeFile, warn: (text) => warnings.push(text) });
  const defaultExecutors = theirs.defaultExecutors.length > 0 ? theirs.defaultExecutors : own.defaultExecutors;
  if (theirs.notify.length > 0)
    warnings.push(`.pawl/config.yml may not choose who is notified; put \`notify\` into ${homeFile}`);
  if (Object.keys(theirs.prices).length > 0)
    warnings.push(`.pawl/config.yml may not say what models cost; put \`prices\` into ${homeFile}`);
  if (theirs.service.publicUrl !== null)
    warnings.push(`.pawl/config.yml may not say where people answer; put \`service\` into ${homeFile}`);
  if (theirs.worker !== null)
    warnings.push(`.pawl/config.yml may not say what a worker takes; put \`worker\` into ${homeFile}`);
  if (theirs.telemetry !== null)
    warnings.push(`.pawl/config.yml may not turn telemetry on or off; put \`telemetry\` into ${homeFile}`);
  return {
    defaultExecutor: defaultExecutors[0] ?? null,
    defaultExecutors,
    executors,
    prices: own.prices,
    agents: tightest(own.agents, theirs.agents),
    agentLimits: tightestOfEach(own.agentLimits, theirs.agentLimits),
    budget: {
      costUsd: tightest(own.budget.costUsd, theirs.budget.costUsd),
      wallMs: tightest(own.budget.wallMs, theirs.budget.wallMs),
      attempts: tightest(own.budget.attempts, theirs.budget.attempts),
      unknown: own.budget.unknown ?? theirs.budget.unknown,
    },
    project: {
      lint: theirs.project.lint ?? own.project.lint,
      ...testOf(theirs.project.test === null ? own.project : theirs.project),
      layers: theirs.project.layers ?? own.project.layers,
      hints: theirs.project.hints ?? own.project.hints,
    },
    workspace: workspaceOf(own.workspace, theirs.workspace),
    notify: own.notify,
    service: own.service,
    worker: own.worker ?? noWorkerConfig,
    telemetry: own.telemetry ?? false,
    repositoryCommands: [...commandsIn(theirs), ...(repo === null ? [] : await commandsOfRules(repo))],
    warnings,
  };
}

/** The commands of the step rules of the project in this folder. Imports their reader only where there are some. */
export async function commandsOfRules(dir: string): Promise<readonly RepositoryCommand[]> {
  const file = join(dir, rulesFile);
  if (!existsSync(file)) return [];
  const { commandsInRulesFile } = await import("./rules-commands.ts");
  return commandsInRulesFile(file);
}

/** In the folder of a project: its own step rules. */
export const rulesFile = ".ai/step-rules.yaml";

/** A command and the form of its results belong together. */
function testOf({ test, testResults }: ProjectConfig): Pick<ProjectConfig, "test" | "testResults"> {
  return { test, ...(testResults === undefined ? {} : { testResults }) };
}

/** Every text of the file that Pawl would run as a command. */
export function commandsIn({ project, workspace, executors }: ConfigFile): readonly RepositoryCommand[] {
  const named = { "project.lint": project.lint, "project.test": project.test };
  const single = Object.entries(named).flatMap(([key, command]) => (command === null ? [] : [{ key, command }]));
  const setup = (workspace.setup ?? []).map((command) => ({ key: "workspace.setup", command }));
  const hooks = Object.entries(hookKeys).flatMap(([key, name]) =>
    (workspace.hooks[name] ?? []).map((command) => ({ key: `workspace.hooks.${key}`, command })),
  );
  const programs = Object.entries(executors).flatMap(([name, { command, script }]) => [
    ...(command.length === 0 ? [] : [{ key: `executors.${name}.command`, command: shownWords(command) }]),
    ...(script === null ? [] : [{ key: `executors.${name}.script`, command: script }]),
  ]);
  return [...single, ...setup, ...hooks, ...programs];
}

function tightestOfEach(own: Config["agentLimits"], theirs: Config["agentLimits"]): Config["agentLimits"] {
  const limits = Object.entries(theirs).map(([name, limit]) => [name, Math.min(limit, own[name] ?? limit)] as const);
  return { ...own, ...Object.fromEntries(limits) };
}

const hookKeys = { before_run: "beforeRun", after_run: "afterRun", before_remove: "beforeRemove" } as const;

/** Two lists of words never look the same. */
function shownWords(words: readonly string[]): string {
  return words.map((word) => (/^[\w@%+=:,./-]+$/.test(word) ? word : JSON.stringify(word))).join(" ");
}

/** Imports the check together with the parsers, and only for a repository that configures executors. */
async function executorsOf(own: ConfigFile, theirs: ConfigFile, context: MergeContext): Promise<Config["executors"]> {
  if (Object.keys(theirs.executors).length === 0) return own.executors;
  const { mergedExecutors } = await import("./config-rights.ts");
  return mergedExecutors(own.executors, theirs.executors, context);
}

/** What templates may say about the project, such as `{{lint_command}}`. */
export function projectContext({ lint, test, layers, hints }: ProjectConfig): Readonly<Record<string, string>> {
  const values: Readonly<Record<ProjectKey, string | null>> = {
    lint_command: lint,
    test_command: test,
    layer_rule: layers,
    tool_hints: hints,
  };
  return Object.fromEntries(Object.entries(values).flatMap(([key, value]) => (value === null ? [] : [[key, value]])));
}

/** Makes a workflow's caps no looser than the configuration's, and adds what the project's tools leave behind. */
export function tighten(config: Config, definition: Definition): Definition {
  const { budget } = config;
  const { caps, workspace } = definition;
  const { unknown: _, ...amounts } = budget;
  const atDefault = (Object.keys(amounts) as (keyof typeof amounts)[]).filter(
    (name) => amounts[name] === defaultCaps[name],
  );
  const given = [...new Set([...(caps.given ?? []), ...atDefault])];
  const byProducts = [...(workspace.byProducts ?? []), ...config.workspace.byProducts];
  return {
    ...definition,
    workspace: { ...workspace, ...(byProducts.length === 0 ? {} : { byProducts }) },
    caps: {
      ...caps,
      costUsd: Math.min(caps.costUsd, budget.costUsd ?? caps.costUsd),
      wallMs: Math.min(caps.wallMs, budget.wallMs ?? caps.wallMs),
      attempts: Math.min(caps.attempts, budget.attempts ?? caps.attempts),
      ...(budget.unknown === null ? {} : { unknown: budget.unknown }),
      ...(given.length === 0 ? {} : { given }),
    },
  };
}

/** A project without configuration. */
export const plainProject: ProjectConfig = { lint: null, test: null, layers: null, hints: null };

const nothing: ConfigFile = {
  defaultExecutor: null,
  defaultExecutors: [],
  executors: {},
  prices: {},
  agents: null,
  agentLimits: {},
  budget: { costUsd: null, wallMs: null, attempts: null, unknown: null },
  project: plainProject,
  workspace: {
    hooks: { beforeRun: null, afterRun: null, beforeRemove: null },
    setup: null,
    setupWhen: null,
    copy: null,
    byProducts: null,
    ports: null,
    minFreeBytes: null,
    env: {},
  },
  notify: [],
  service: { publicUrl: null },
  worker: null,
  telemetry: null,
};

/** Imports the parsers only for a file that exists. */
async function readIfThere(file: string, agents: AgentRegistry): Promise<ConfigFile> {
  if (!existsSync(file)) return nothing;
  const { readConfigFile } = await import("./config-file.ts");
  return readConfigFile(file, agents);
}

async function readOfRepository(repo: string, agents: AgentRegistry, commit: string | null): Promise<ConfigFile> {
  const file = join(repo, repositoryConfig);
  if (commit === null) return await readIfThere(file, agents);
  const { fileAt } = await import("../../workspaces/clones/clone.ts");
  const text = await fileAt(repo, commit, repositoryConfig);
  if (text === null) return nothing;
  const { readConfigFile } = await import("./config-file.ts");
  return readConfigFile(`${file} of ${commit.slice(0, 10)}`, agents, text);
}

/** A list comes from one file or the other; variables are merged one by one. */
function workspaceOf(own: ConfigFile["workspace"], theirs: ConfigFile["workspace"]): WorkspaceConfig {
  return {
    setup: theirs.setup ?? own.setup ?? [],
    hooks: {
      beforeRun: theirs.hooks.beforeRun ?? own.hooks.beforeRun ?? [],
      afterRun: theirs.hooks.afterRun ?? own.hooks.afterRun ?? [],
      beforeRemove: theirs.hooks.beforeRemove ?? own.hooks.beforeRemove ?? [],
    },
    setupWhen: theirs.setupWhen ?? own.setupWhen ?? [],
    copy: theirs.copy ?? own.copy ?? [],
    byProducts: [...(own.byProducts ?? []), ...(theirs.byProducts ?? [])],
    ports: theirs.ports ?? own.ports ?? defaultPorts,
    minFreeBytes: theirs.minFreeBytes ?? own.minFreeBytes ?? defaultMinFreeBytes,
    env: { ...own.env, ...theirs.env },
  };
}

/** The workspace of a configuration that says nothing about it. */
export const plainWorkspace: WorkspaceConfig = workspaceOf(nothing.workspace, nothing.workspace);
