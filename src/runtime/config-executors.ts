// `executors` in a configuration file. Owns: what may be written there, and what it means. A setting without effect is not accepted.

import { z } from "zod";
import { type AgentKind, abilities, agentKinds, isAgentKind } from "../executors/agents.ts";
import type { Access } from "../executors/executor.ts";
import type { Sandbox } from "../executors/sandbox.ts";
import { durationMs, durationPattern } from "../workflows/duration.ts";

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
  const kind = kindOf(name, written);
  const problem = wrongExecutor(kind, written);
  if (problem !== null) throw refuse(`executors.${name}: ${problem}`);
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

function wrongExecutor(kind: Kind, written: Written): string | null {
  const access = accessOf(written);
  if (typeof written.sandbox === "string" && (accessWords[written.sandbox] ?? access) !== access)
    return `\`access: ${access}\` and \`sandbox: ${written.sandbox}\` do not go together`;
  if (kind === "acp") return wrongAcp(written);
  const [foreign] = (["preset", "permissions"] as const).filter((key) => written[key] !== undefined);
  if (foreign) return `\`${foreign}\` is for kind: acp`;
  return isAgentKind(kind) ? wrongAgent(kind, written) : wrongProgram(kind, written);
}

const agentSettings = ["program", "model", "effort", "max_turns", "max_usd", "isolated", "args"] as const;

function wrongProgram(kind: "command" | "scripted", written: Written): string | null {
  if (kind === "command" && !written.command) return "a command executor needs `command`";
  if (kind === "scripted" && !written.script) return "a scripted executor needs `script`";
  const [foreign] = agentSettings.filter((key) => written[key] !== undefined);
  if (foreign) return `\`${foreign}\` is for agents (kind: ${agentKinds.join(", ")})`;
  if (written.limits?.start !== undefined) return "`limits.start` is for agents";
  if (accessOf(written) === null || sandboxOf(written) !== null) return null;
  return "only a sandbox keeps a program from writing: `access` needs `sandbox: bwrap`";
}

function wrongAgent(kind: AgentKind, written: Written): string | null {
  if (written.command) return `\`command\` is for kind: command; where ${kind} lies is \`program\``;
  if (written.script) return "`script` is for kind: scripted";
  const can = abilities[kind];
  if (written.effort && !can.effort) return `${kind} has no levels of effort`;
  if (written.max_usd && !can.money) return `${kind} does not say what it costs; use \`max_turns\` or \`limits\``;
  if (written.isolated && !can.isolation) return `${kind} cannot be called without your own settings`;
  return cannotRead(kind, can.readOnly, written);
}

/** Those that tell it over that protocol, too. */
const tellsCost: ReadonlySet<AgentKind> = new Set(["claude", "opencode"]);

function wrongAcp(written: Written): string | null {
  const { preset } = written;
  if (!written.command && !preset) return `an acp executor needs \`command\`, or \`preset\` (${agentKinds.join(", ")})`;
  const [foreign] = (["program", "args", "script", "isolated"] as const).filter((key) => written[key] !== undefined);
  if (foreign) return `\`${foreign}\` is not for kind: acp`;
  if (preset && written.max_usd && !tellsCost.has(preset))
    return `${preset} does not say over acp what it costs; use \`max_turns\` or \`limits\``;
  return preset ? cannotRead(preset, abilities[preset].readOnly, written) : null;
}

function cannotRead(kind: AgentKind, canRead: boolean, written: Written): string | null {
  if (accessOf(written) !== "read" || canRead || sandboxOf(written) !== null) return null;
  return `${kind} cannot be kept from writing, except with \`sandbox: bwrap\``;
}

export function millisecondsOf(written: string | number | undefined): number | null {
  return written === undefined ? null : durationMs(written);
}
