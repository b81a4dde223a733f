// One run of an agent's program. Owns: the prompt on stdin, events from stdout, the log, the limits, the end.

import { errorText } from "../../domain/error.ts";
import { allowedEnvironment } from "../../system/process/environment.ts";
import { supervise } from "../../system/process/supervise.ts";
import { attemptMarker, type ExecutionEnd, type ExecutorCall } from "../executor.ts";
import { Scratch } from "../homes/scratch.ts";
import { chooseOther, notStarted } from "../not-started.ts";
import { programPath } from "../program.ts";
import { type CommandLine, endInside, sandboxed } from "../sandbox/sandbox.ts";
import { agentStream } from "../stream/agent-stream.ts";
import { carefulSink } from "../stream/careful-sink.ts";
import { Denials } from "../stream/denials.ts";
import type { Reading } from "../stream/reading.ts";
import { endOf, exitOf } from "./agent-end.ts";
import type { AgentOptions } from "./agent-options.ts";
import type { AgentProfile, AgentTask, Invocation } from "./agent-profile.ts";
import { leftOut, refusal, taskOf } from "./agent-task.ts";
import { type OwnHalt, usualRetryMs, type WatchLimits, watchAgent } from "./agent-watch.ts";
import { withSystem } from "./system-text.ts";
import { goneNote, isAnother, isGone, withoutSpent } from "./warm-session.ts";

export interface AgentRun {
  readonly started: Promise<void>;
  readonly ended: Promise<AgentRunEnd>;
  stop(reason: string): void;
  heard(): void;
}

export interface AgentRunEnd {
  readonly end: ExecutionEnd;
  /** It did not find the session that it was to go on with, and did nothing. */
  readonly isGone: boolean;
}

/** Of stdout only what is no event is looked at afterwards. */
const captureBytes = 64 * 1024;

export function runAgent(
  profile: AgentProfile,
  options: AgentOptions,
  call: ExecutorCall,
  version: () => Promise<string | null>,
): AgentRun {
  const scratch = new Scratch();
  const env = { ...allowedEnvironment(process.env, [...profile.keys, ...options.env]), ...call.env };
  const task = taskOf(profile, options, call, { env, scratch });
  const prepared = prepare(profile, options, task, scratch);
  if (!prepared.ok) {
    scratch.remove();
    const { started, ended, stop, heard } = notStarted(prepared.why);
    return { started, ended: ended.then((end) => ({ end, isGone: false })), stop, heard };
  }
  const { invocation, command } = prepared;

  const reader = profile.newReader(Date.now);
  const denials = new Denials();
  const log = carefulSink(call.onOutput);
  let hasSpoken = false;
  /** Who ended it, if anybody did: the first counts, as it does for the process. */
  let ender: OwnHalt | "asked" | null = null;
  const endIt = (by: OwnHalt | "asked", reason: string) => {
    ender ??= by;
    supervised.stop(reason);
  };
  const watch = watchAgent(limitsOf(profile, options), reader, (halt) => endIt(halt, halt.kind));
  const stream = agentStream(reader, (event) => {
    hasSpoken = true;
    denials.saw(event);
    watch.saw(event);
  });
  const supervised = supervise({
    command,
    cwd: call.cwd,
    env: environmentOf(task, invocation),
    marker: { name: attemptMarker, value: call.attempt },
    input: task.system === null ? withSystem(call.system, call.prompt) : call.prompt,
    limits: {
      wallMs: call.wallMs ?? options.wallMs,
      quietMs: call.quietMs ?? options.quietMs,
      graceMs: options.graceMs,
      captureBytes,
    },
    onOutput(name, chunk) {
      watch.heard();
      if (name === "stdout") stream.write(chunk);
      else denials.heard(chunk.toString());
      return log.sink(name, chunk);
    },
  });

  async function conclude(): Promise<AgentRunEnd> {
    const ended = await supervised.ended;
    const end = task.isSandboxed ? endInside(ended) : ended;
    watch.forget();
    const halt = end.kind === "stopped" && ender !== "asked" ? ender : null;
    const read = stream.end(exitOf(end, halt));
    const whole = uncached(profile, invocation.complete?.(read) ?? read);
    const { reading, notes } = warmed(profile, task, call, whole);
    scratch.remove();
    // Whoever was told to stop shall not wait for one more program.
    const canAsk = reading.version === null && (end.kind === "exited" || end.kind === "signalled");
    const told = endOf({
      name: options.name,
      profile,
      access: task.access,
      end,
      halt,
      reading,
      hasSpoken,
      denials,
      model: task.model,
      version: canAsk ? await version().catch(() => null) : reading.version,
      notes: [...leftOut(profile, options, call), ...notes],
      logError: log.error(),
    });
    return {
      end: told,
      isGone: task.resume !== null && profile.sessions !== null && isGone(profile.sessions, end, reading),
    };
  }

  return {
    started: supervised.started,
    ended: conclude(),
    stop: (reason) => endIt("asked", reason),
    heard() {
      watch.heard();
      supervised.heard();
    },
  };
}

type Prepared =
  | { readonly ok: true; readonly invocation: Invocation; readonly command: CommandLine }
  | { readonly ok: false; readonly why: string };

function prepare(profile: AgentProfile, options: AgentOptions, task: AgentTask, scratch: Scratch): Prepared {
  const why = refusal(profile, task, chooseOther);
  if (why !== null) return { ok: false, why };
  try {
    const invocation = profile.prepare(task);
    const command: CommandLine = [programPath(options.program), ...invocation.args];
    if (!options.sandbox) return { ok: true, invocation, command };
    const env = environmentOf(task, invocation);
    const written = [...scratch.places(), ...task.outside, ...(invocation.written ?? [])];
    const { sandbox } = options;
    const { cwd, access } = task;
    return {
      ok: true,
      invocation,
      command: sandboxed(command, { sandbox, cwd, access, env, own: profile.places(env, task.home), written }),
    };
  } catch (error) {
    const problem = errorText(error);
    return { ok: false, why: `${profile.title} could not be started: ${problem}` };
  }
}

function environmentOf({ env }: AgentTask, { env: own, withheld = [] }: Invocation): Record<string, string> {
  const seen = Object.entries(env).filter(([name]) => !withheld.includes(name));
  return { ...Object.fromEntries(seen), ...own };
}

/** What the agent keeps itself is not watched: it knows better what a turn is. */
function limitsOf({ keeps }: AgentProfile, options: AgentOptions): WatchLimits {
  const { startMs, leaveMs, retryMs = usualRetryMs, maxTurns, maxUsd } = options;
  return { startMs, leaveMs, retryMs, maxTurns: keeps.turns ? null : maxTurns, maxUsd: keeps.money ? null : maxUsd };
}

/** Before anything is taken off: what was used before is told without what came from a cache, which must not be paid for twice. */
function uncached({ cachedIsInput }: AgentProfile, reading: Reading): Reading {
  if (!cachedIsInput) return reading;
  const { usage } = reading;
  return { ...reading, usage: { ...usage, inputTokens: Math.max(0, usage.inputTokens - usage.cacheReadTokens) } };
}

/** Of a session that was gone on with, what this run has used. */
function warmed(
  { sessions }: AgentProfile,
  { resume }: AgentTask,
  call: ExecutorCall,
  reading: Reading,
): { readonly reading: Reading; readonly notes: readonly string[] } {
  if (resume === null || sessions === null || !call.resume) return { reading, notes: [] };
  if (isAnother(reading, resume)) return { reading, notes: reading.ok ? [goneNote(resume)] : [] };
  return { reading: withoutSpent(reading, sessions, call.resume), notes: [] };
}
