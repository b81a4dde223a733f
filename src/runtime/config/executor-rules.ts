// Which settings have an effect for which kind of executor. The configuration refuses the others instead of ignoring them.

import type { AgentDescriptor } from "../../executors/agent/agent-descriptor.ts";
import type { AgentRegistry } from "../../executors/agent/registry.ts";
import type { ExecutorConfig } from "../../executors/executor-config.ts";

/** Settings as the file spells them. */
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

/** The first of these settings that the file has, as the file spells it. */
function firstOf(settings: readonly Setting[], one: ExecutorConfig): string | null {
  const found = settings.find((setting) => {
    const value = one[setting];
    return Array.isArray(value) ? value.length > 0 : value !== null;
  });
  return found === undefined ? null : `\`${spelling[found]}\``;
}

/** Why the configuration is refused: a setting without effect for its kind, or one that it lacks; null: it is right. */
export function wrongExecutor(one: ExecutorConfig, agents: AgentRegistry): string | null {
  const { kind } = one;
  if (kind === "acp") return wrongAcp(one, agents);
  const foreign = firstOf(["preset", "permissions"], one);
  if (foreign) return `${foreign} is for kind: acp`;
  const agent = agents.find(kind);
  if (agent !== null) return wrongAgent(agent, one);
  if (kind === "await") return wrongAwait(one);
  return kind === "scripted" ? wrongScripted(one) : wrongCommand(one, agents);
}

const agentSettings: readonly Setting[] = ["program", "model", "effort", "maxTurns", "maxUsd", "isolated", "args"];

function wrongCommand(one: ExecutorConfig, { kinds }: AgentRegistry): string | null {
  if (one.command.length === 0) return "a command executor needs `command`";
  if (one.script !== null) return "`script` is for kind: scripted";
  const foreign = firstOf(agentSettings, one);
  if (foreign) return `${foreign} is for agents (kind: ${kinds.join(", ")})`;
  if (one.startMs !== null) return "`limits.start` is for agents";
  if (one.access === null || one.sandbox !== null) return null;
  return "only a sandbox keeps a program from writing: `access` needs `sandbox: bwrap`";
}

/** A program of Pawl's plays the script: only its sandbox can be chosen. */
function wrongScripted(one: ExecutorConfig): string | null {
  if (one.script === null) return "a scripted executor needs `script`";
  const foreign = firstOf([...agentSettings, "command", "env", "access", "wallMs", "quietMs", "startMs"], one);
  return foreign && `${foreign} has no effect for kind: scripted`;
}

/** It starts no program: only its time can be chosen. */
function wrongAwait(one: ExecutorConfig): string | null {
  const foreign = firstOf([...agentSettings, "command", "script", "env", "access", "quietMs", "startMs"], one);
  if (foreign) return `${foreign} has no effect for kind: await`;
  return one.sandbox === null && one.account === null
    ? null
    : "kind: await starts no program: it has only `limits.wall`";
}

function wrongAgent(agent: AgentDescriptor, one: ExecutorConfig): string | null {
  const { kind, can } = agent;
  if (one.command.length > 0) return `\`command\` is for kind: command; the path of ${kind} is \`program\``;
  if (one.script !== null) return "`script` is for kind: scripted";
  if (one.effort !== null && !can.effort) return `${kind} has no levels of effort`;
  if (one.maxUsd !== null && !can.money) return `${kind} does not report its cost; use \`max_turns\` or \`limits\``;
  if (one.isolated && !can.isolation) return `${kind} cannot be called without your own settings`;
  return cannotRead(agent, one);
}

function wrongAcp(one: ExecutorConfig, agents: AgentRegistry): string | null {
  const preset = one.preset === null ? null : agents.find(one.preset);
  if (one.command.length === 0 && preset === null)
    return `an acp executor needs \`command\`, or \`preset\` (${agents.acpKinds.join(", ")})`;
  const foreign = firstOf(["program", "args", "script", "isolated"], one);
  if (foreign) return `${foreign} is not for kind: acp`;
  if (preset !== null && one.maxUsd !== null && !preset.acp?.tellsCost)
    return `${preset.kind} does not report its cost over acp; use \`max_turns\` or \`limits\``;
  return preset === null ? null : cannotRead(preset, one);
}

function cannotRead({ kind, can }: AgentDescriptor, { access, sandbox }: ExecutorConfig): string | null {
  if (access !== "read" || can.readOnly || sandbox !== null) return null;
  return `${kind} cannot be kept from writing, except with \`sandbox: bwrap\``;
}
