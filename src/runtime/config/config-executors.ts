// `executors` in a configuration file. Owns: what may be written there, and what it means. A setting without effect is not accepted.

import { z } from "zod";
import { type AgentKind, abilities, agentKinds, isAgentKind } from "../../executors/agent/agents.ts";
import type { Access } from "../../executors/executor.ts";
import type { Sandbox } from "../../executors/sandbox/sandbox.ts";
import { durationMs, durationPattern } from "../../workflows/document/duration.ts";

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

export const executorSchema = z.strictObject({
  kind: z
    .enum(["command", "scripted", "acp", ...agentKinds])
    .optional()
    .describe("the executor's own name where that is an agent's, else command"),
  command: z.array(z.string().min(1)).min(1).optional(),
  script: z.string().optional(),
  program: z
    .string()
    .regex(/^(?:\/[^]*|[^\s/~-][^\s/]*)$/, "a program on PATH, or an absolute path")
    .optional(),
  preset: z.enum(agentKinds).optional(),
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

type Written = z.infer<typeof executorSchema>;
type Kind = AgentKind | "command" | "scripted" | "acp";

/** null: the file does not say. */
export interface ExecutorConfig {
  readonly kind: Kind;
  /** Of kind `acp` also the way in which a preset is called. */
  readonly command: readonly string[];
  readonly script: string | null;
  readonly env: readonly string[];
  readonly wallMs: number | null;
  readonly quietMs: number | null;
  readonly startMs: number | null;
  /** Of an agent: where it lies, when it is not on PATH under its own name. */
  readonly program: string | null;
  /** Of kind `acp`: a known agent. */
  readonly preset: AgentKind | null;
  /** Of kind `acp`: what it is answered when it asks. */
  readonly permissions: "allow" | "ask" | "deny" | null;
  readonly model: string | null;
  readonly effort: string | null;
  readonly maxTurns: number | null;
  readonly maxUsd: number | null;
  readonly access: Access | null;
  /** Without the user's own settings for that agent. */
  readonly isolated: boolean | null;
  /** Null: none. */
  readonly sandbox: Sandbox | null;
  /** Whose quota it uses. */
  readonly account: string | null;
  /** Arguments that the agent gets beside ours. */
  readonly args: readonly string[];
}

/** `refuse` makes an error of a problem. */
export function readExecutor(name: string, written: Written, refuse: (problem: string) => Error): ExecutorConfig {
  const read = executorOf(name, written);
  const problem = contradiction(written) ?? wrongExecutor(read);
  if (problem !== null) throw refuse(`executors.${name}: ${problem}`);
  return read;
}

function executorOf(name: string, written: Written): ExecutorConfig {
  const { limits } = written;
  return {
    kind: kindOf(name, written),
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

/** `claude: { model: sonnet }` is the agent; `claude: { command: […] }` is a program that happens to be called so. */
function kindOf(name: string, written: Written): Kind {
  if (written.kind !== undefined) return written.kind;
  return isAgentKind(name) && written.command === undefined ? name : "command";
}

/** Two of its words say what an agent may do, and nothing of bubblewrap. */
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
  return `\`access: ${access}\` and \`sandbox: ${written.sandbox}\` do not go together`;
}

/** Settings as they are written. */
const spelling = {
  command: "command",
  script: "script",
  env: "env",
  wallMs: "limits.wall",
  quietMs: "limits.quiet",
  startMs: "limits.start",
  program: "program",
  preset: "preset",
  permissions: "permissions",
  model: "model",
  effort: "effort",
  maxTurns: "max_turns",
  maxUsd: "max_usd",
  access: "access",
  isolated: "isolated",
  args: "args",
} as const satisfies Partial<Record<keyof ExecutorConfig, string>>;

type Setting = keyof typeof spelling;

/** The first of these settings that somebody chose, as it is written. */
function firstOf(settings: readonly Setting[], one: ExecutorConfig): string | null {
  const found = settings.find((setting) => {
    const value = one[setting];
    return Array.isArray(value) ? value.length > 0 : value !== null;
  });
  return found === undefined ? null : `\`${spelling[found]}\``;
}

/** What of it has no effect for its kind, or what it lacks; null: nothing. */
export function wrongExecutor(one: ExecutorConfig): string | null {
  const { kind } = one;
  if (kind === "acp") return wrongAcp(one);
  const foreign = firstOf(["preset", "permissions"], one);
  if (foreign) return `${foreign} is for kind: acp`;
  if (isAgentKind(kind)) return wrongAgent(kind, one);
  return kind === "scripted" ? wrongScripted(one) : wrongCommand(one);
}

const agentSettings: readonly Setting[] = ["program", "model", "effort", "maxTurns", "maxUsd", "isolated", "args"];

function wrongCommand(one: ExecutorConfig): string | null {
  if (one.command.length === 0) return "a command executor needs `command`";
  if (one.script !== null) return "`script` is for kind: scripted";
  const foreign = firstOf(agentSettings, one);
  if (foreign) return `${foreign} is for agents (kind: ${agentKinds.join(", ")})`;
  if (one.startMs !== null) return "`limits.start` is for agents";
  if (one.access === null || one.sandbox !== null) return null;
  return "only a sandbox keeps a program from writing: `access` needs `sandbox: bwrap`";
}

/** A script is played by a program of ours: there is nothing to choose but where it is confined. */
function wrongScripted(one: ExecutorConfig): string | null {
  if (one.script === null) return "a scripted executor needs `script`";
  const foreign = firstOf([...agentSettings, "command", "env", "access", "wallMs", "quietMs", "startMs"], one);
  return foreign && `${foreign} has no effect for kind: scripted`;
}

function wrongAgent(kind: AgentKind, one: ExecutorConfig): string | null {
  if (one.command.length > 0) return `\`command\` is for kind: command; where ${kind} lies is \`program\``;
  if (one.script !== null) return "`script` is for kind: scripted";
  const can = abilities[kind];
  if (one.effort !== null && !can.effort) return `${kind} has no levels of effort`;
  if (one.maxUsd !== null && !can.money) return `${kind} does not say what it costs; use \`max_turns\` or \`limits\``;
  if (one.isolated && !can.isolation) return `${kind} cannot be called without your own settings`;
  return cannotRead(kind, one);
}

/** Those that tell it over that protocol, too. */
const tellsCost: ReadonlySet<AgentKind> = new Set(["claude", "opencode"]);

function wrongAcp(one: ExecutorConfig): string | null {
  const { preset } = one;
  if (one.command.length === 0 && preset === null)
    return `an acp executor needs \`command\`, or \`preset\` (${agentKinds.join(", ")})`;
  const foreign = firstOf(["program", "args", "script", "isolated"], one);
  if (foreign) return `${foreign} is not for kind: acp`;
  if (preset !== null && one.maxUsd !== null && !tellsCost.has(preset))
    return `${preset} does not say over acp what it costs; use \`max_turns\` or \`limits\``;
  return preset === null ? null : cannotRead(preset, one);
}

function cannotRead(kind: AgentKind, { access, sandbox: chosen }: ExecutorConfig): string | null {
  if (access !== "read" || abilities[kind].readOnly || chosen !== null) return null;
  return `${kind} cannot be kept from writing, except with \`sandbox: bwrap\``;
}

export function millisecondsOf(written: string | number | undefined): number | null {
  return written === undefined ? null : durationMs(written);
}
