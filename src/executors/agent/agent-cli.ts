// The executor of every agent with a command line; a profile says how one differs from another. It starts a new session where the
// one to resume is gone.

import type { Execution, ExecutionEnd, Executor } from "../executor.ts";
import { missingFrom } from "../missing.ts";
import { findProgram } from "../program.ts";
import type { AgentOptions } from "./agent-options.ts";
import type { AgentProfile } from "./agent-profile.ts";
import { type AgentRunEnd, runAgent } from "./agent-run.ts";
import { isOlder, versionOf } from "./agent-version.ts";
import { type CliCall, cliAgent } from "./cli-launch.ts";
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
    start: (call) => start({ profile, options, call, version }),
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

function start(called: CliCall): Execution {
  const { options, call } = called;
  const begunAt = performance.now();
  let stopReason: string | null = null;
  let run = runAgent(cliAgent(called), options, call);

  /** Once: a call that resumes no session cannot find it gone. */
  async function retryGone({ end, isGone }: AgentRunEnd): Promise<ExecutionEnd> {
    if (!isGone || !call.resume) return end;
    if (stopReason !== null) return cancelled(end, stopReason);
    const leftMs = (call.wallMs ?? options.wallMs) - (performance.now() - begunAt);
    const fresh = { ...call, resume: null, wallMs: Math.max(1, leftMs) };
    run = runAgent(cliAgent({ ...called, call: fresh }), options, fresh);
    const { end: other } = await run.ended;
    return { ...other, notes: [goneNote(call.resume.session), ...other.notes] };
  }

  return {
    started: run.started,
    ended: run.ended.then(retryGone),
    stop(reason) {
      stopReason ??= reason;
      run.stop(reason);
    },
    heard: () => run.heard(),
  };
}

/** An agent that was stopped while its session turned out to be gone does not start another. */
function cancelled({ text, usage, session, notes }: ExecutionEnd, why: string): ExecutionEnd {
  return { outcome: "cancelled", why, text, usage, session, notes };
}
