// Agents with a command line. Owns: the executor that all of them are, whose differences are in their profiles; a session that is
// gone is begun anew.

import type { Execution, ExecutionEnd, Executor, ExecutorCall } from "../executor.ts";
import { missingFrom } from "../missing.ts";
import { findProgram } from "../program.ts";
import type { AgentOptions } from "./agent-options.ts";
import type { AgentProfile } from "./agent-profile.ts";
import { type AgentRun, type AgentRunEnd, runAgent } from "./agent-run.ts";
import { isOlder, versionOf } from "./agent-version.ts";
import { goneNote } from "./warm-session.ts";

export type { AgentOptions } from "./agent-options.ts";

export function agentExecutor(profile: AgentProfile, options: AgentOptions): Executor {
  const { name, program, sandbox = null } = options;
  const { title, install } = profile;
  const visible = [...profile.keys, ...options.env];
  const version = async () => {
    const file = findProgram(program);
    const told = file === null ? null : await versionOf(file, visible);
    return told?.works === true ? told.version : null;
  };
  return {
    name,
    callsTools: true,
    missing: async () =>
      await missingFrom({
        name,
        program,
        shown: `${title} (\`${program}\`)`,
        install,
        sandbox,
        unfit: async (file) => await unfitVersion(profile, program, file, visible),
      }),
    version,
    start: (call) => start(profile, options, call, version),
  };
}

async function unfitVersion(
  { oldest }: AgentProfile,
  program: string,
  file: string,
  visible: readonly string[],
): Promise<string | null> {
  const told = await versionOf(file, visible);
  if (!told.works) return `does not work: \`${program} --version\` says: ${told.why}`;
  if (told.version === null || !isOlder(told.version, oldest)) return null;
  return `is too old: it is ${told.version}, and Pawl needs ${oldest} or newer`;
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
