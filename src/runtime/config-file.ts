// One configuration file. Owns: what may be written in it. Apart from config.ts, because its parsers are most of what a command
// would load, and most commands find no such file.

import { readFileSync } from "node:fs";
import { parseDocument } from "yaml";
import { z } from "zod";
import { AppError } from "../domain/error.ts";
import type { TargetConfig } from "../notify/target.ts";
import { durationMs, durationPattern } from "../workflows/duration.ts";
import { readTargets, targetSchema } from "./config-targets.ts";

const duration = z.union([
  z.number().positive(),
  z.string().regex(durationPattern, 'a duration such as "45m" or seconds'),
]);

const executor = z.strictObject({
  kind: z.enum(["command", "scripted"]).optional().describe("command unless told"),
  command: z.array(z.string().min(1)).min(1).optional(),
  script: z.string().optional(),
  env: z.array(z.string().regex(/^[A-Za-z_][A-Za-z0-9_]*$/, "the name of a variable")).optional(),
  limits: z.strictObject({ wall: duration.optional(), quiet: duration.optional() }).optional(),
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
  notify: z.array(targetSchema).max(20).optional(),
});

export interface ExecutorConfig {
  readonly kind: "command" | "scripted";
  readonly command: readonly string[];
  readonly script: string | null;
  readonly env: readonly string[];
  readonly wallMs: number | null;
  readonly quietMs: number | null;
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
      wallMs: budget?.wall === undefined ? null : durationMs(budget.wall),
      attempts: budget?.attempts ?? null,
    },
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
  const kind = written.kind ?? "command";
  if (kind === "command" && !written.command)
    throw invalid(file, `executors.${name}: a command executor needs \`command\``);
  if (kind === "scripted" && !written.script)
    throw invalid(file, `executors.${name}: a scripted executor needs \`script\``);
  const { limits } = written;
  return {
    kind,
    command: written.command ?? [],
    script: written.script ?? null,
    env: written.env ?? [],
    wallMs: limits?.wall === undefined ? null : durationMs(limits.wall),
    quietMs: limits?.quiet === undefined ? null : durationMs(limits.quiet),
  };
}

function invalid(file: string, problem: string): AppError {
  return new AppError("CONFIG_INVALID", `${file}: ${problem}`, {
    hint: "docs/guides/configure.md has an example of every setting",
  });
}
