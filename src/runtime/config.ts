// Configuration. Owns: `$PAWL_HOME/config.yml` and `.pawl/config.yml` in the repository. The second wins where it may: it can
// tighten limits, never loosen them, and it cannot hand variables of the user's environment to a program.

import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { parseDocument } from "yaml";
import { z } from "zod";
import type { Definition } from "../domain/definition.ts";
import { AppError } from "../domain/error.ts";
import { durationMs, durationPattern } from "../workflows/duration.ts";

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
});

type File = z.infer<typeof schema>;

export interface ExecutorConfig {
  readonly kind: "command" | "scripted";
  readonly command: readonly string[];
  readonly script: string | null;
  readonly env: readonly string[];
  readonly wallMs: number | null;
  readonly quietMs: number | null;
}

export interface Config {
  readonly defaultExecutor: string | null;
  readonly executors: Readonly<Record<string, ExecutorConfig>>;
  readonly agents: number;
  readonly budget: {
    readonly costUsd: number | null;
    readonly wallMs: number | null;
    readonly attempts: number | null;
  };
  /** What the repository's file wanted and may not. */
  readonly warnings: readonly string[];
}

const defaultAgents = 4;

export function readConfig(homeFile: string, repo: string | null): Config {
  const own = readFile(homeFile);
  const theirs = repo === null ? {} : readFile(join(repo, ".pawl", "config.yml"));
  const warnings: string[] = [];
  const allowed = new Set(Object.values(own.executors ?? {}).flatMap(({ env }) => env ?? []));
  const executors: Record<string, ExecutorConfig> = {};
  for (const [name, written] of Object.entries(own.executors ?? {}))
    executors[name] = readExecutor(name, written, homeFile);
  for (const [name, written] of Object.entries(theirs.executors ?? {})) {
    const env = (written.env ?? []).filter((variable) => allowed.has(variable));
    for (const variable of written.env ?? []) {
      if (!allowed.has(variable))
        warnings.push(`.pawl/config.yml may not pass ${variable} to ${name}; allow it in ${homeFile}`);
    }
    executors[name] = readExecutor(name, { ...written, env }, ".pawl/config.yml");
  }
  return {
    defaultExecutor: theirs.default_executor ?? own.default_executor ?? null,
    executors,
    agents: tightest(own.concurrency?.agents, theirs.concurrency?.agents) ?? defaultAgents,
    budget: {
      costUsd: tightest(own.budget?.usd, theirs.budget?.usd),
      wallMs: tightest(wall(own), wall(theirs)),
      attempts: tightest(own.budget?.attempts, theirs.budget?.attempts),
    },
    warnings,
  };
}

/** A workflow's caps, made no looser than the configuration's. */
export function tighten(config: Config, definition: Definition): Definition {
  const { budget } = config;
  const { caps } = definition;
  return {
    ...definition,
    caps: {
      ...caps,
      costUsd: Math.min(caps.costUsd, budget.costUsd ?? caps.costUsd),
      wallMs: Math.min(caps.wallMs, budget.wallMs ?? caps.wallMs),
      attempts: Math.min(caps.attempts, budget.attempts ?? caps.attempts),
    },
  };
}

function readFile(file: string): File {
  if (!existsSync(file)) return {};
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

const wall = (file: File) => (file.budget?.wall === undefined ? undefined : durationMs(file.budget.wall));

function tightest(own: number | undefined, theirs: number | undefined): number | null {
  const values = [own, theirs].filter((value) => value !== undefined);
  return values.length === 0 ? null : Math.min(...values);
}

function invalid(file: string, problem: string): AppError {
  return new AppError("CONFIG_INVALID", `${file}: ${problem}`, {
    hint: "docs/guides/configure.md has an example of every setting",
  });
}
