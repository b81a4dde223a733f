// Reads one configuration file. It is apart from config.ts because its parsers are most of what a command would load, and most
// commands find no such file.

import { readFileSync, statSync } from "node:fs";
import { parseDocument } from "yaml";
import { z } from "zod";
import { type Check, type ResultForm, resultForms } from "../../domain/check.ts";
import { AppError, errorText } from "../../domain/error.ts";
import type { AgentRegistry } from "../../executors/agent/registry.ts";
import type { ExecutorConfig } from "../../executors/executor-config.ts";
import type { Prices } from "../../executors/prices.ts";
import type { TargetConfig } from "../../notify/target.ts";
import { guide } from "../../system/package-root.ts";
import { wrongVariable } from "../../workflows/format/environment.ts";
import { durationSchema as duration, executorSchema, millisecondsOf, readExecutor } from "./config-executors.ts";
import { readServiceConfig, type ServiceConfig, serviceSchema } from "./config-service.ts";
import { readTargets, targetSchema } from "./config-targets.ts";
import { readWorkerConfig, type WorkerConfig, workerSchema } from "./config-worker.ts";

const text = z.string().refine((written) => written.trim() !== "", "is empty; leave it out instead");

/** `500MB`, `2 GB`, `1.5GiB`, or a number of bytes. */
const sizePattern = /^(\d+(?:\.\d+)?)\s*(b|kb|mb|gb|tb|kib|mib|gib|tib)?$/i;

/** A path of the checkout that cannot lead out of it. `*` and `?` stand for parts of one name, `**` for directories. */
const insidePattern = z
  .string()
  .refine(
    staysInside,
    "a path from the top of the repository, such as .env or config/*.local.yml; no `..`, not absolute",
  );

const project = z.strictObject({
  lint: text.optional(),
  test: z
    .union([text, z.strictObject({ run: text, reads: z.enum(resultForms), file: insidePattern.optional() })])
    .optional(),
  layers: text.optional(),
  hints: text.optional(),
});

const hook = z.union([text, z.array(text).min(1).max(20)]).transform((written) => [written].flat());

const workspace = z.strictObject({
  hooks: z
    .strictObject({ before_run: hook.optional(), after_run: hook.optional(), before_remove: hook.optional() })
    .optional(),
  setup: z.array(text).max(20).optional(),
  setup_when: z.array(insidePattern).max(50).optional(),
  copy: z.array(insidePattern).max(100).optional(),
  by_products: z.array(text).max(100).optional(),
  ports: z.int().min(0).max(20).optional(),
  min_free: z
    .union([z.int().min(0), z.string().regex(sizePattern, 'a size such as "2GB" or a number of bytes')])
    .optional(),
  env: z.record(z.string(), z.union([z.string(), z.number(), z.boolean()])).optional(),
});

const dollars = z.number().min(0);

/** USD for a million tokens, by the name of a model. */
const prices = z.record(
  z.string(),
  z.strictObject({ input: dollars, cached_input: dollars.optional(), output: dollars }),
);

const executorName = z.string().min(1);

const schemaFor = (agents: AgentRegistry) =>
  z.strictObject({
    default_executor: z.union([executorName, z.array(executorName).min(1).max(10)]).optional(),
    executors: z.record(z.string(), executorSchema(agents)).optional(),
    prices: prices.optional(),
    concurrency: z
      .strictObject({
        agents: z.int().min(1).max(64).optional(),
        of: z.record(z.string(), z.int().min(1).max(64)).optional(),
      })
      .optional(),
    budget: z
      .strictObject({
        usd: z.number().positive().optional(),
        wall: duration.optional(),
        attempts: z.int().min(1).optional(),
        unknown: z.enum(["continue", "stop"]).optional(),
      })
      .optional(),
    project: project.optional(),
    workspace: workspace.optional(),
    notify: z.array(targetSchema).max(20).optional(),
    service: serviceSchema.optional(),
    worker: workerSchema.optional(),
    telemetry: z.boolean().optional(),
  });

/** The project's commands and rules; null: the file does not say. */
export interface ProjectConfig {
  /** The command that lints and formats; it is a check, too. */
  readonly lint: string | null;
  readonly test: string | null;
  /** How the results of the tests are read; absent: their exit code decides. */
  readonly testResults?: Pick<Check, "reads" | "file">;
  /** Which part may import which: `api -> core -> common`. */
  readonly layers: string | null;
  readonly hints: string | null;
}

interface TreeHooks {
  readonly beforeRun: readonly string[];
  readonly afterRun: readonly string[];
  readonly beforeRemove: readonly string[];
}

/** What a story's tree needs before an agent works in it. */
export interface WorkspaceConfig {
  /** Commands that prepare a fresh tree. */
  readonly setup: readonly string[];
  /** Commands around each attempt in a tree, and before a tree is removed. */
  readonly hooks: TreeHooks;
  /** Files whose change makes the setup necessary again. */
  readonly setupWhen: readonly string[];
  /** Untracked files of the user's checkout that a tree needs. */
  readonly copy: readonly string[];
  /** Files that the project's tools leave behind, besides the known ones. */
  readonly byProducts: readonly string[];
  /** The number of ports that each tree gets. */
  readonly ports: number;
  /** Below this amount of free disk space, no new tree is made. */
  readonly minFreeBytes: number;
  readonly env: Readonly<Record<string, string>>;
}

/** null: the file does not say. */
export interface ConfigFile {
  readonly defaultExecutor: string | null;
  /** In order of preference; empty: the file does not say. */
  readonly defaultExecutors: readonly string[];
  readonly executors: Readonly<Record<string, ExecutorConfig>>;
  readonly prices: Prices;
  readonly agents: number | null;
  /** How many attempts of an agent of this name may run at once, over all runs. */
  readonly agentLimits: Readonly<Record<string, number>>;
  readonly budget: {
    readonly costUsd: number | null;
    readonly wallMs: number | null;
    readonly attempts: number | null;
    /** Where the cost of an executor is not known, a run with a money limit is refused. */
    readonly unknown: "stop" | null;
  };
  readonly project: ProjectConfig;
  readonly workspace: {
    readonly [K in Exclude<keyof WorkspaceConfig, "env" | "hooks">]: WorkspaceConfig[K] | null;
  } & Pick<WorkspaceConfig, "env"> & { readonly hooks: { readonly [K in keyof TreeHooks]: TreeHooks[K] | null } };
  readonly notify: readonly TargetConfig[];
  readonly service: ServiceConfig;
  readonly worker: WorkerConfig | null;
  readonly telemetry: boolean | null;
}

/** `text`: what is in it, where it is not read from the disk. */
export function readConfigFile(file: string, agents: AgentRegistry, text?: string): ConfigFile {
  const written = parse(file, agents, text ?? textOf(file));
  const { budget } = written;
  const executors = Object.entries(written.executors ?? {});
  const defaultExecutors = [written.default_executor ?? []].flat();
  return {
    defaultExecutor: defaultExecutors[0] ?? null,
    defaultExecutors,
    executors: Object.fromEntries(
      executors.map(([name, one]) => [name, readExecutor(name, one, agents, (problem) => invalid(file, problem))]),
    ),
    prices: readPrices(written.prices ?? {}),
    agents: written.concurrency?.agents ?? null,
    agentLimits: written.concurrency?.of ?? {},
    budget: {
      costUsd: budget?.usd ?? null,
      wallMs: millisecondsOf(budget?.wall),
      attempts: budget?.attempts ?? null,
      unknown: budget?.unknown === "stop" ? "stop" : null,
    },
    project: {
      lint: written.project?.lint?.trim() ?? null,
      ...readTest(written.project?.test),
      layers: written.project?.layers?.trim() ?? null,
      hints: written.project?.hints?.trim() ?? null,
    },
    workspace: readWorkspace(written.workspace ?? {}, file),
    notify: readTargets(written.notify ?? [], (problem) => invalid(file, problem)),
    service: readServiceConfig(written.service),
    worker: written.worker === undefined ? null : readWorkerConfig(written.worker),
    telemetry: written.telemetry ?? null,
  };
}

function readTest(
  written:
    | string
    | { readonly run: string; readonly reads: ResultForm; readonly file?: string | undefined }
    | undefined,
): Pick<ProjectConfig, "test" | "testResults"> {
  if (typeof written !== "object") return { test: written?.trim() ?? null };
  const { run, reads, file } = written;
  return { test: run.trim(), testResults: { reads, ...(file === undefined ? {} : { file }) } };
}

/** A service reads the file for each call; making the schema takes longer than reading. */
const schemas = new WeakMap<AgentRegistry, ReturnType<typeof schemaFor>>();

function parse(file: string, agents: AgentRegistry, text: string): z.infer<ReturnType<typeof schemaFor>> {
  const schema = schemas.get(agents) ?? schemaFor(agents);
  schemas.set(agents, schema);
  const read = schema.safeParse(valueIn(file, text) ?? {});
  if (read.success) return read.data;
  const [issue] = read.error.issues;
  throw invalid(file, `${issue?.path.join(".") || "the file"}: ${issue?.message ?? "is not a configuration"}`);
}

function valueIn(file: string, text: string): unknown {
  const document = parseDocument(text, { prettyErrors: true });
  const [broken] = document.errors;
  if (broken) throw invalid(file, broken.message);
  try {
    return document.toJS({ maxAliasCount: 20 });
  } catch (error) {
    throw invalid(file, errorText(error));
  }
}

const maxBytes = 1024 * 1024;

/** Checks the file before it opens it: a pipe or a device, even behind a link, would be read for ever. */
function textOf(file: string): string {
  try {
    const found = statSync(file);
    if (!found.isFile()) throw new Error("is not a plain file");
    if (found.size > maxBytes) throw new Error(`has ${found.size} bytes; at most ${maxBytes} are read`);
    return readFileSync(file, "utf8");
  } catch (error) {
    throw new AppError("CONFIG_INVALID", `${file}: ${errorText(error)}`, {
      hint: "put a YAML file there that you can read, or remove it",
      cause: error,
    });
  }
}

function readPrices(written: z.infer<typeof prices>): Prices {
  const read = Object.entries(written).map(
    ([model, { input, cached_input, output }]) =>
      [model, { input, cachedInput: cached_input ?? null, output }] as const,
  );
  return Object.fromEntries(read);
}

function readWorkspace(written: z.infer<typeof workspace>, file: string): ConfigFile["workspace"] {
  const env = Object.entries(written.env ?? {}).map(([name, value]) => [name, String(value)] as const);
  for (const [name, value] of env) {
    const wrong = wrongVariable(name, value);
    if (wrong !== null) throw invalid(file, `workspace.env: ${wrong}`);
  }
  const { before_run, after_run, before_remove } = written.hooks ?? {};
  return {
    setup: written.setup ?? null,
    hooks: {
      beforeRun: before_run ?? null,
      afterRun: after_run ?? null,
      beforeRemove: before_remove ?? null,
    },
    setupWhen: written.setup_when ?? null,
    copy: written.copy ?? null,
    byProducts: written.by_products ?? null,
    ports: written.ports ?? null,
    minFreeBytes: written.min_free === undefined ? null : bytesOf(written.min_free),
    env: Object.fromEntries(env),
  };
}

function bytesOf(written: string | number): number {
  if (typeof written === "number") return written;
  const [, amount = "0", unit = "b"] = sizePattern.exec(written.trim()) ?? [];
  const base = unit.toLowerCase().includes("i") ? 1024 : 1000;
  return Math.round(Number(amount) * base ** "bkmgt".indexOf(unit.charAt(0).toLowerCase()));
}

/** Everything in a checkout may be named, except git's own directory. */
function staysInside(pattern: string): boolean {
  const parts = pattern.split("/");
  const climbs = parts.includes("..") || parts.includes("") || /[\\\0]/.test(pattern);
  return !climbs && !/^[~-]|^[A-Za-z]:/.test(pattern) && parts[0]?.toLowerCase() !== ".git";
}

function invalid(file: string, problem: string): AppError {
  return new AppError("CONFIG_INVALID", `${file}: ${problem}`, {
    hint: `${guide("configure")} has an example of every setting`,
  });
}
