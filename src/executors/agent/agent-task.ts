// Makes the task for an agent's profile from a call and the configuration, and notes what the agent cannot do.

import type { ExecutorCall, McpAddress } from "../executor.ts";
import type { Scratch } from "../homes/scratch.ts";
import { chooseOther } from "../not-started.ts";
import { accessOf, writableBeside } from "../rights.ts";
import type { AgentOptions, AgentRunOptions } from "./agent-options.ts";
import type { AgentProfile, AgentTask } from "./agent-profile.ts";
import { fitsArgument } from "./system-text.ts";

export function agentTaskOf(
  profile: AgentProfile,
  options: AgentOptions,
  call: ExecutorCall,
  own: { readonly env: Readonly<Record<string, string>>; readonly scratch: Scratch },
): AgentTask {
  const access = accessOf(options, call);
  const resume = resumable(profile, call) ? (call.resume?.session ?? null) : null;
  return {
    cwd: call.cwd,
    access,
    commands: call.commands ?? [],
    model: call.model ?? options.model,
    effort: profile.can.effort ? (call.effort ?? options.effort) : null,
    maxTurns: options.maxTurns,
    maxUsd: options.maxUsd,
    resume,
    system: placedSystem(profile, call, resume),
    isolated: options.isolated === true,
    isSandboxed: options.sandbox != null,
    mcp: toolsFor(options, call),
    args: options.args,
    outside: writableBeside(access, call),
    env: own.env,
    scratch: () => own.scratch.dir(),
    home: options.home,
  };
}

/** Notes about what the call asks for and this agent does not have. */
export function leftOut(profile: AgentProfile, options: AgentOptions, call: ExecutorCall): readonly string[] {
  const { can, title } = profile;
  return [
    ...(call.effort && !can.effort ? [`${title} has no levels of effort: ${call.effort} was left out`] : []),
    ...(call.resume && !resumable(profile, call)
      ? [`${title} cannot resume that session, so it started a new one`]
      : []),
    ...unreachableTools(options, call),
  ];
}

/** Why it must not be started; null: it may. */
export function refusal({ title, can }: AgentProfile, task: AgentTask): string | null {
  if (task.access === "read" && !can.readOnly && !task.isSandboxed) return cannotOnlyRead(title);
  const strange = [task.model, task.effort].find((word) => word !== null && !isWord(word));
  return strange === undefined ? null : `${title} has no model or effort ${JSON.stringify(strange)}`;
}

function resumable({ sessions }: AgentProfile, { resume }: ExecutorCall): boolean {
  return sessions !== null && isWord(resume?.session ?? "");
}

/** A model comes from a workflow's file and a session from what an agent printed: neither may become an argument of its own. */
function isWord(text: string): boolean {
  return /^[^\s-]\S*$/.test(text);
}

/** The role, if it goes into the agent's own place for it; null: before the prompt, because there is no place or it would be ignored. */
function placedSystem(
  { system: place, sessions }: AgentProfile,
  { system }: ExecutorCall,
  resume: string | null,
): string | null {
  const told = system?.trim() ?? "";
  const isOverlooked = resume !== null && sessions?.keepsSystem === true;
  if (told === "" || place === null || isOverlooked) return null;
  return place === "file" || fitsArgument(told) ? told : null;
}

export function cannotOnlyRead(title: string): string {
  return `${title} cannot be kept from writing, and this step may only read (${chooseOther})`;
}

/** Our tools listen on this machine, which a sandbox without a network does not reach. */
function canReach({ sandbox }: Pick<AgentRunOptions, "sandbox">): boolean {
  return sandbox?.network !== false;
}

export function toolsFor(options: Pick<AgentRunOptions, "sandbox">, { mcp = null }: ExecutorCall): McpAddress | null {
  return canReach(options) ? mcp : null;
}

export function unreachableTools(options: Pick<AgentRunOptions, "sandbox">, { mcp }: ExecutorCall): readonly string[] {
  return mcp && !canReach(options) ? ["its sandbox has no network, so Pawl's tools were not offered"] : [];
}
