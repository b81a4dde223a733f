// The task of an agent. Owns: from a call and the configuration, what its profile is asked for, and what of it cannot be had.

import type { ExecutorCall } from "../executor.ts";
import type { Scratch } from "../homes/scratch.ts";
import type { AgentOptions } from "./agent-options.ts";
import type { AgentProfile, AgentTask } from "./agent-profile.ts";
import { outsideOf } from "./outside.ts";
import { fitsArgument } from "./system-text.ts";

export function taskOf(
  profile: AgentProfile,
  options: AgentOptions,
  call: ExecutorCall,
  own: { readonly env: Readonly<Record<string, string>>; readonly scratch: Scratch },
): AgentTask {
  const access = options.access === "read" || call.access === "read" ? "read" : "write";
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
    isSandboxed: hasSandbox(options),
    mcp: canReach(options) ? (call.mcp ?? null) : null,
    args: options.args,
    outside: access === "write" ? outsideOf(call) : [],
    env: own.env,
    scratch: () => own.scratch.dir(),
    home: options.home,
  };
}

/** What the call asks for and this agent does not have. */
export function leftOut(profile: AgentProfile, options: AgentOptions, call: ExecutorCall): readonly string[] {
  const { can, title } = profile;
  return [
    ...(call.effort && !can.effort ? [`${title} has no levels of effort: ${call.effort} was left out`] : []),
    ...(call.resume && !resumable(profile, call)
      ? [`${title} cannot go on with that session: it began a new one`]
      : []),
    ...(call.mcp && !canReach(options) ? ["its sandbox has no network: our own tools were not offered"] : []),
  ];
}

/** Why it is not started at all; null: it may be. */
export function refusal({ title, can }: AgentProfile, task: AgentTask, chooseOther: string): string | null {
  if (task.access === "read" && !can.readOnly && !task.isSandboxed)
    return `${title} cannot be kept from writing, and this step may only read (${chooseOther})`;
  const strange = [task.model, task.effort].find((word) => word !== null && !isWord(word));
  return strange === undefined ? null : `${title} has no model or effort ${JSON.stringify(strange)}`;
}

function resumable({ sessions }: AgentProfile, { resume }: ExecutorCall): boolean {
  return sessions !== null && isWord(resume?.session ?? "");
}

/** A model comes from a workflow's file, a session from what an agent printed: neither may become an argument of its own. */
function isWord(text: string): boolean {
  return /^[^\s-]\S*$/.test(text);
}

/** In the place that the agent has for it. Null: before the prompt, where it has none, or would not look there. */
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

function hasSandbox({ sandbox }: AgentOptions): boolean {
  return sandbox !== null && sandbox !== undefined;
}

/** Our tools are on this machine, which a sandbox without a network does not reach. */
function canReach({ sandbox }: AgentOptions): boolean {
  return sandbox?.network !== false;
}
