// Reads `executors` of a configuration file. executor-rules.ts refuses settings that have no effect.

import { z } from "zod";
import type { AgentRegistry } from "../../executors/agent/registry.ts";
import type { Access } from "../../executors/executor.ts";
import type { ExecutorConfig } from "../../executors/executor-config.ts";
import type { Sandbox } from "../../executors/sandbox/sandbox.ts";
import { durationMs, durationPattern } from "../../workflows/document/duration.ts";
import { wrongExecutor } from "./executor-rules.ts";

export const durationSchema = z.union([
  z.number().positive(),
  z.string().regex(durationPattern, 'a duration such as "45m" or seconds'),
]);

const word = z.string().regex(/^[^\s-]\S*$/, "one word that does not begin with -");
const path = z.string().regex(/^(?:\/|~\/)[^\0]*$/, "an absolute path, or one that begins with ~/");

const sandbox = z.union(
  [
    z.enum(["none", "bwrap", "read-only", "workspace-write"]),
    z.strictObject({
      kind: z.literal("bwrap"),
      network: z.boolean().optional(),
      write: z.array(path).max(50).optional(),
    }),
  ],
  {
    error:
      "none, bwrap, read-only, workspace-write, or { kind: bwrap, network: false, write: [PATH] } with absolute paths",
  },
);

export const executorSchema = (agents: AgentRegistry) =>
  z.strictObject({
    kind: z
      .enum(["command", "scripted", "acp", "await", ...agents.kinds])
      .optional()
      .describe("the executor's own name where that is an agent's, else command"),
    command: z.array(z.string().min(1)).min(1).optional(),
    script: z.string().optional(),
    program: z
      .string()
      .regex(/^(?:\/[^]*|[^\s/~-][^\s/]*)$/, "a program on PATH, or an absolute path")
      .optional(),
    preset: z.enum(agents.acpKinds).optional(),
    permissions: z.enum(["allow", "ask", "deny"]).optional(),
    model: word.optional(),
    effort: word.optional(),
    max_turns: z.int().min(1).optional(),
    max_usd: z.number().positive().optional(),
    access: z.enum(["write", "read"]).optional(),
    isolated: z.boolean().optional(),
    sandbox: sandbox.optional(),
    account: word.optional(),
    args: z.array(z.string()).max(100).optional(),
    env: z.array(z.string().regex(/^[A-Za-z_][A-Za-z0-9_]*$/, "the name of a variable")).optional(),
    limits: z
      .strictObject({
        wall: durationSchema.optional(),
        quiet: durationSchema.optional(),
        start: durationSchema.optional(),
      })
      .optional(),
  });

type Written = z.infer<ReturnType<typeof executorSchema>>;

/** `refuse` makes an error of a problem. */
export function readExecutor(
  name: string,
  written: Written,
  agents: AgentRegistry,
  refuse: (problem: string) => Error,
): ExecutorConfig {
  const read = executorOf(name, written, agents);
  const problem = contradiction(written) ?? wrongExecutor(read, agents);
  if (problem !== null) throw refuse(`executors.${name}: ${problem}`);
  return read;
}

function executorOf(name: string, written: Written, agents: AgentRegistry): ExecutorConfig {
  const { limits } = written;
  return {
    kind: kindOf(name, written, agents),
    command: written.command ?? [],
    script: written.script ?? null,
    env: written.env ?? [],
    wallMs: millisecondsOf(limits?.wall),
    quietMs: millisecondsOf(limits?.quiet),
    startMs: millisecondsOf(limits?.start),
    program: written.program ?? null,
    preset: written.preset ?? null,
    permissions: written.permissions ?? null,
    model: written.model ?? null,
    effort: written.effort ?? null,
    maxTurns: written.max_turns ?? null,
    maxUsd: written.max_usd ?? null,
    access: accessOf(written),
    isolated: written.isolated ?? null,
    sandbox: sandboxOf(written),
    account: written.account ?? null,
    args: written.args ?? [],
  };
}

/** An executor with the name of an agent, or `await`, is that one, unless it has a command: then it is a program with the same name. */
function kindOf(name: string, written: Written, agents: AgentRegistry): string {
  if (written.kind !== undefined) return written.kind;
  const isKind = agents.has(name) || name === "await";
  return isKind && written.command === undefined ? name : "command";
}

/** Two values of `sandbox` say what an agent may do, and nothing about bubblewrap. */
const accessWords: Readonly<Record<string, Access>> = { "read-only": "read", "workspace-write": "write" };

function accessOf({ access, sandbox: chosen }: Written): Access | null {
  return access ?? (typeof chosen === "string" ? (accessWords[chosen] ?? null) : null);
}

function sandboxOf({ sandbox: chosen }: Written): Sandbox | null {
  if (chosen === "bwrap") return { network: true, write: [] };
  if (typeof chosen !== "object") return null;
  return { network: chosen.network ?? true, write: chosen.write ?? [] };
}

function contradiction(written: Written): string | null {
  const access = accessOf(written);
  if (typeof written.sandbox !== "string" || (accessWords[written.sandbox] ?? access) === access) return null;
  return `\`access: ${access}\` and \`sandbox: ${written.sandbox}\` contradict each other`;
}

export function millisecondsOf(written: string | number | undefined): number | null {
  return written === undefined ? null : durationMs(written);
}
