// Agents with a command line. Owns: the executor that all of them are, whose differences are in their profiles; a session that is
// gone is begun anew.

import type { Execution, ExecutionEnd, Executor, ExecutorCall, Missing } from "../executor.ts";
import { chooseOther } from "../not-started.ts";
import { findProgram } from "../program.ts";
import { missingSandbox } from "../sandbox/sandbox-missing.ts";
import type { AgentOptions } from "./agent-options.ts";
import type { AgentProfile } from "./agent-profile.ts";
import { type AgentRun, type AgentRunEnd, runAgent } from "./agent-run.ts";
import { isOlder, type ProgramVersion, versionOf } from "./agent-version.ts";
import { goneNote } from "./warm-session.ts";

export type { AgentOptions } from "./agent-options.ts";

export function agentExecutor(profile: AgentProfile, options: AgentOptions): Executor {
  const visible = [...profile.keys, ...options.env];
  const ask = async (): Promise<ProgramVersion | null> => {
    const file = findProgram(options.program);
    return file === null ? null : await versionOf(file, visible);
  };
  const version = async () => {
    const told = await ask();
    return told?.works === true ? told.version : null;
  };
  return {
    name: options.name,
    callsTools: true,
    async missing() {
      const missing = missingIn(profile, options, await ask());
      return missing === null && options.sandbox ? await missingSandbox(options.name, options.sandbox) : missing;
    },
    version,
    start: (call) => start(profile, options, call, version),
  };
}

function missingIn(profile: AgentProfile, { program }: AgentOptions, told: ProgramVersion | null): Missing | null {
  const what = `${profile.title} (\`${program}\`)`;
  const hint = `${profile.install}, or ${chooseOther}`;
  if (told === null) return { what: `${what} is not installed or not on PATH`, hint };
  if (!told.works) return { what: `${what} does not work: \`${program} --version\` says: ${told.why}`, hint };
  if (told.version === null || !isOlder(told.version, profile.oldest)) return null;
  return { what: `${what} is too old: it is ${told.version}, and Pawl needs ${profile.oldest} or newer`, hint };
}

function start(
  profile: AgentProfile,
  options: AgentOptions,
  call: ExecutorCall,
  version: () => Promise<string | null>,
): Execution {
  const begunAt = performance.now();
  let stopReason: string | null = null;
  let run: AgentRun = runAgent(profile, options, call, version);

  /** Once: without a session to go on with, none can be gone. */
  async function anew({ end, isGone }: AgentRunEnd): Promise<ExecutionEnd> {
    if (!isGone || !call.resume) return end;
    if (stopReason !== null) return cancelled(end, stopReason);
    const leftMs = (call.wallMs ?? options.wallMs) - (performance.now() - begunAt);
    run = runAgent(profile, options, { ...call, resume: null, wallMs: Math.max(1, leftMs) }, version);
    const { end: other } = await run.ended;
    return { ...other, notes: [goneNote(call.resume.session), ...other.notes] };
  }

  return {
    started: run.started,
    ended: run.ended.then(anew),
    stop(reason) {
      stopReason ??= reason;
      run.stop(reason);
    },
    heard: () => run.heard(),
  };
}

/** Who was told to stop while his session turned out to be gone does not begin another. */
function cancelled({ text, usage, session, notes }: ExecutionEnd, why: string): ExecutionEnd {
  return { outcome: "cancelled", why, text, usage, session, notes };
}
