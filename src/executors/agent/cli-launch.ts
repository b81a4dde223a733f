// Launches an agent with a command line: the prompt goes to stdin, events come from stdout.

import type { ProcessEnd } from "../../system/process/call.ts";
import { allowedEnvironment } from "../../system/process/environment.ts";
import type { ExecutorCall } from "../executor.ts";
import { Scratch } from "../homes/scratch.ts";
import { programPath } from "../program.ts";
import { agentStream } from "../stream/agent-stream.ts";
import type { StreamReading } from "../stream/stream-reading.ts";
import { exitOf } from "./agent-end.ts";
import type { AgentOptions } from "./agent-options.ts";
import type { AgentProfile, AgentTask, Invocation } from "./agent-profile.ts";
import type { AgentToRun, Connection, Launch } from "./agent-run.ts";
import { agentTaskOf, leftOut, refusal } from "./agent-task.ts";
import { withSystem } from "./system-text.ts";
import { goneNote, isAnother, isGone, withoutSpent } from "./warm-session.ts";

export interface CliCall {
  readonly profile: AgentProfile;
  readonly options: AgentOptions;
  readonly call: ExecutorCall;
  /** Asks the installed program, for an agent whose stream does not report its version. */
  readonly version: () => Promise<string | null>;
}

export function cliAgent(called: CliCall): AgentToRun {
  const { profile, options, call } = called;
  const { title, login } = profile;
  const scratch = new Scratch();
  return {
    title,
    login,
    launch() {
      const env = { ...allowedEnvironment(process.env, [...profile.keys, ...options.env]), ...call.env };
      const task = agentTaskOf(profile, options, call, { env, scratch });
      const refused = refusal(profile, task);
      return refused === null ? launchOf(called, task, scratch) : { refused };
    },
    release: () => scratch.remove(),
  };
}

function launchOf(called: CliCall, task: AgentTask, scratch: Scratch): Launch {
  const { profile, options } = called;
  const invocation = profile.prepare(task);
  const env = environmentOf(task, invocation);
  const reader = profile.newReader(called.call.now ?? Date.now);
  return {
    access: task.access,
    command: [programPath(options.program), ...invocation.args],
    env,
    opened: () => ({
      own: profile.places(env, task.home),
      written: [...scratch.places(), ...task.outside, ...(invocation.written ?? [])],
    }),
    reader,
    limits: limitsOf(profile, options),
    connect(link) {
      const stream = agentStream(reader, link.saw);
      return {
        input: inputOf(called.call, task),
        write: (chunk) => stream.write(chunk),
        end: async (end, halt) => await conclude(called, task, invocation, end, stream.end(exitOf(end, halt))),
      };
    },
  };
}

function environmentOf({ env }: AgentTask, { env: own, withheld = [] }: Invocation): Readonly<Record<string, string>> {
  const seen = Object.entries(env).filter(([name]) => !withheld.includes(name));
  return { ...Object.fromEntries(seen), ...own };
}

/** The run does not watch what the agent limits itself: the agent knows better what a turn is. */
function limitsOf({ keeps }: AgentProfile, { startMs, maxTurns, maxUsd }: AgentOptions): Launch["limits"] {
  return { startMs, maxTurns: keeps.turns ? null : maxTurns, maxUsd: keeps.money ? null : maxUsd };
}

function inputOf({ system, prompt }: ExecutorCall, task: AgentTask): string {
  return task.system === null ? withSystem(system, prompt) : prompt;
}

async function conclude(
  { profile, options, call, version }: CliCall,
  task: AgentTask,
  invocation: Invocation,
  end: ProcessEnd,
  read: StreamReading,
): ReturnType<Connection["end"]> {
  const whole = uncached(profile, invocation.complete?.(read) ?? read);
  const { reading, notes } = warmed(profile, task, call, whole);
  // A run that was stopped does not wait for one more program.
  const canAsk = reading.version === null && (end.kind === "exited" || end.kind === "signalled");
  return {
    reading,
    notes: [...leftOut(profile, options, call), ...notes],
    model: task.model,
    version: canAsk ? await version().catch(() => null) : null,
    isGone: task.resume !== null && profile.sessions !== null && isGone(profile.sessions, end, reading),
  };
}

/** Before anything is subtracted: what the session used before is counted without what came from a cache. */
function uncached({ cachedIsInput }: AgentProfile, reading: StreamReading): StreamReading {
  if (!cachedIsInput) return reading;
  const { usage } = reading;
  return { ...reading, usage: { ...usage, inputTokens: Math.max(0, usage.inputTokens - usage.cacheReadTokens) } };
}

/** Of a resumed session, what this run used. */
function warmed(
  { sessions }: AgentProfile,
  { resume }: AgentTask,
  call: ExecutorCall,
  reading: StreamReading,
): { readonly reading: StreamReading; readonly notes: readonly string[] } {
  if (resume === null || sessions === null || !call.resume) return { reading, notes: [] };
  if (isAnother(reading, resume)) return { reading, notes: reading.ok ? [goneNote(resume)] : [] };
  return { reading: withoutSpent(reading, sessions, call.resume), notes: [] };
}
