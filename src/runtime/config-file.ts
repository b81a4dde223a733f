// One configuration file. Owns: what may be written in it. Apart from config.ts, because its parsers are most of what a command
// would load, and most commands find no such file.

import { readFileSync } from "node:fs";
import { parseDocument } from "yaml";
import { z } from "zod";
import { AppError } from "../domain/error.ts";
import { type AgentKind, abilities, agentKinds, isAgentKind } from "../executors/agents.ts";
import type { Access } from "../executors/executor.ts";
import type { TargetConfig } from "../notify/target.ts";
import { durationMs, durationPattern } from "../workflows/duration.ts";
import { wrongVariable } from "../workflows/environment.ts";
import { readTargets, targetSchema } from "./config-targets.ts";

const duration = z.union([
  z.number().positive(),
  z.string().regex(durationPattern, 'a duration such as "45m" or seconds'),
]);

const word = z.string().regex(/^[^\s-]\S*$/, "one word that does not begin with -");

const executor = z.strictObject({
  kind: z
    .enum(["command", "scripted", ...agentKinds])
    .optional()
    .describe("the executor's own name where that is an agent's, else command"),
  command: z.array(z.string().min(1)).min(1).optional(),
  script: z.string().optional(),
  program: z
    .string()
    .regex(/^(?:\/[^]*|[^\s/~-][^\s/]*)$/, "a program on PATH, or an absolute path")
    .optional(),
  model: word.optional(),
  effort: word.optional(),
  max_turns: z.int().min(1).optional(),
  max_usd: z.number().positive().optional(),
  access: z.enum(["write", "read"]).optional(),
  args: z.array(z.string()).max(100).optional(),
  env: z.array(z.string().regex(/^[A-Za-z_][A-Za-z0-9_]*$/, "the name of a variable")).optional(),
  limits: z
    .strictObject({ wall: duration.optional(), quiet: duration.optional(), start: duration.optional() })
    .optional(),
});

const text = z.string().refine((written) => written.trim() !== "", "is empty; leave it out instead");

/** `500MB`, `2 GB`, `1.5GiB`, or a number of bytes. */
const sizePattern = /^(\d+(?:\.\d+)?)\s*(b|kb|mb|gb|tb|kib|mib|gib|tib)?$/i;

/** A file of the checkout, by a path that cannot lead out of it. `*` and `?` stand for parts of one name, `**` for directories. */
const insidePattern = z
  .string()
  .refine(
    staysInside,
    "a path from the top of the repository, such as .env or config/*.local.yml; no `..`, not absolute",
  );

const project = z.strictObject({
  lint: text.optional(),
  test: text.optional(),
  layers: text.optional(),
  hints: text.optional(),
});

const workspace = z.strictObject({
  setup: z.array(text).max(20).optional(),
  setup_when: z.array(insidePattern).max(50).optional(),
  copy: z.array(insidePattern).max(100).optional(),
  ports: z.int().min(0).max(20).optional(),
  min_free: z
    .union([z.int().min(0), z.string().regex(sizePattern, 'a size such as "2GB" or a number of bytes')])
    .optional(),
  env: z.record(z.string(), z.union([z.string(), z.number(), z.boolean()])).optional(),
});

const schema = z.strictObject({
  default_executor: z.string().min(1).optional(),
  executors: z.record(z.string(), executor).optional(),
  concurrency: z.strictObject({ agents: z.int().min(1).max(64).optional() }).optional(),
  budget: z
    .strictObject({
      usd: z.number().positive().optional(),
      wall: duration.optional(),
      attempts: z.int().min(1).optional(),
    })
    .optional(),
  project: project.optional(),
  workspace: workspace.optional(),
  notify: z.array(targetSchema).max(20).optional(),
});

/** null: the file does not say. */
export interface ExecutorConfig {
  readonly kind: AgentKind | "command" | "scripted";
  readonly command: readonly string[];
  readonly script: string | null;
  readonly env: readonly string[];
  readonly wallMs: number | null;
  readonly quietMs: number | null;
  readonly startMs: number | null;
  /** Of an agent: where it lies, when it is not on PATH under its own name. */
  readonly program: string | null;
  readonly model: string | null;
  readonly effort: string | null;
  readonly maxTurns: number | null;
  readonly maxUsd: number | null;
  readonly access: Access | null;
  /** Arguments that the agent gets beside ours. */
  readonly args: readonly string[];
}

/** How the project is worked on, in its own words; null: nobody said. */
export interface ProjectConfig {
  /** The command that lints and formats; it is a check, too. */
  readonly lint: string | null;
  readonly test: string | null;
  /** Which part may use which: `api -> core -> common`. */
  readonly layers: string | null;
  readonly hints: string | null;
}

/** What a story's tree needs before somebody works in it. */
export interface WorkspaceConfig {
  /** Commands that make a fresh tree ready. */
  readonly setup: readonly string[];
  /** Files whose change makes it necessary again. */
  readonly setupWhen: readonly string[];
  /** Files of the user's checkout that git does not have, and that a tree needs. */
  readonly copy: readonly string[];
  /** How many ports of its own each tree gets. */
  readonly ports: number;
  /** Below this no new tree is made. */
  readonly minFreeBytes: number;
  readonly env: Readonly<Record<string, string>>;
}

/** null: the file does not say. */
export interface ConfigFile {
  readonly defaultExecutor: string | null;
  readonly executors: Readonly<Record<string, ExecutorConfig>>;
  readonly agents: number | null;
  readonly budget: {
    readonly costUsd: number | null;
    readonly wallMs: number | null;
    readonly attempts: number | null;
  };
  readonly project: ProjectConfig;
  readonly workspace: { readonly [K in Exclude<keyof WorkspaceConfig, "env">]: WorkspaceConfig[K] | null } & Pick<
    WorkspaceConfig,
    "env"
  >;
  readonly notify: readonly TargetConfig[];
}

export function readConfigFile(file: string): ConfigFile {
  const written = parse(file);
  const { budget } = written;
  const executors = Object.entries(written.executors ?? {});
  return {
    defaultExecutor: written.default_executor ?? null,
    executors: Object.fromEntries(executors.map(([name, one]) => [name, readExecutor(name, one, file)])),
    agents: written.concurrency?.agents ?? null,
    budget: {
      costUsd: budget?.usd ?? null,
      wallMs: millisecondsOf(budget?.wall),
      attempts: budget?.attempts ?? null,
    },
    project: {
      lint: written.project?.lint?.trim() ?? null,
      test: written.project?.test?.trim() ?? null,
      layers: written.project?.layers?.trim() ?? null,
      hints: written.project?.hints?.trim() ?? null,
    },
    workspace: readWorkspace(written.workspace ?? {}, file),
    notify: readTargets(written.notify ?? [], (problem) => invalid(file, problem)),
  };
}

function parse(file: string): z.infer<typeof schema> {
  const document = parseDocument(readFileSync(file, "utf8"), { prettyErrors: true });
  const [broken] = document.errors;
  if (broken) throw invalid(file, broken.message);
  const read = schema.safeParse(document.toJS({ maxAliasCount: 20 }) ?? {});
  if (read.success) return read.data;
  const [issue] = read.error.issues;
  throw invalid(file, `${issue?.path.join(".") || "the file"}: ${issue?.message ?? "is not a configuration"}`);
}

function readExecutor(name: string, written: z.infer<typeof executor>, file: string): ExecutorConfig {
  const kind = kindOf(name, written);
  const problem = wrongExecutor(kind, written);
  if (problem !== null) throw invalid(file, `executors.${name}: ${problem}`);
  const { limits } = written;
  return {
    kind,
    command: written.command ?? [],
    script: written.script ?? null,
    env: written.env ?? [],
    wallMs: millisecondsOf(limits?.wall),
    quietMs: millisecondsOf(limits?.quiet),
    startMs: millisecondsOf(limits?.start),
    program: written.program ?? null,
    model: written.model ?? null,
    effort: written.effort ?? null,
    maxTurns: written.max_turns ?? null,
    maxUsd: written.max_usd ?? null,
    access: written.access ?? null,
    args: written.args ?? [],
  };
}

/** `claude: { model: sonnet }` is the agent; `claude: { command: […] }` is a program that happens to be called so. */
function kindOf(name: string, written: z.infer<typeof executor>): ExecutorConfig["kind"] {
  if (written.kind !== undefined) return written.kind;
  return isAgentKind(name) && written.command === undefined ? name : "command";
}

const agentSettings = ["program", "model", "effort", "max_turns", "max_usd", "access", "args"] as const;

/** A setting without effect is not accepted. */
function wrongExecutor(kind: ExecutorConfig["kind"], written: z.infer<typeof executor>): string | null {
  if (!isAgentKind(kind)) {
    if (kind === "command" && !written.command) return "a command executor needs `command`";
    if (kind === "scripted" && !written.script) return "a scripted executor needs `script`";
    const [foreign] = agentSettings.filter((key) => written[key] !== undefined);
    if (foreign) return `\`${foreign}\` is for agents (kind: ${agentKinds.join(", ")})`;
    return written.limits?.start === undefined ? null : "`limits.start` is for agents";
  }
  if (written.command) return `\`command\` is for kind: command; where ${kind} lies is \`program\``;
  if (written.script) return "`script` is for kind: scripted";
  const can = abilities[kind];
  if (written.effort && !can.effort) return `${kind} has no levels of effort`;
  if (written.max_usd && !can.money) return `${kind} does not say what it costs; use \`max_turns\` or \`limits\``;
  return written.access === "read" && !can.readOnly ? `${kind} cannot be kept from writing` : null;
}

function millisecondsOf(written: string | number | undefined): number | null {
  return written === undefined ? null : durationMs(written);
}

function readWorkspace(written: z.infer<typeof workspace>, file: string): ConfigFile["workspace"] {
  const env = Object.entries(written.env ?? {}).map(([name, value]) => [name, String(value)] as const);
  for (const [name, value] of env) {
    const wrong = wrongVariable(name, value);
    if (wrong !== null) throw invalid(file, `workspace.env: ${wrong}`);
  }
  return {
    setup: written.setup ?? null,
    setupWhen: written.setup_when ?? null,
    copy: written.copy ?? null,
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

/** Of a checkout everything may be named but what is outside, and git's own directory. */
function staysInside(pattern: string): boolean {
  const parts = pattern.split("/");
  const climbs = parts.includes("..") || parts.includes("") || /[\\\0]/.test(pattern);
  return !climbs && !/^[~-]|^[A-Za-z]:/.test(pattern) && parts[0]?.toLowerCase() !== ".git";
}

function invalid(file: string, problem: string): AppError {
  return new AppError("CONFIG_INVALID", `${file}: ${problem}`, {
    hint: "docs/guides/configure.md has an example of every setting",
  });
}
