// Agents with a command line. Owns: the one way in which all of them are run: the prompt on stdin, events from stdout, the log, the
// limits, the end. What is different from agent to agent is in its profile.

import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { noUsage } from "../domain/attempt.ts";
import type { OutputSink } from "../system/process/call.ts";
import { allowedEnvironment } from "../system/process/environment.ts";
import { supervise } from "../system/process/supervise.ts";
import { endOf, exitOf } from "./agent-end.ts";
import type { AgentProfile, AgentTask, Invocation } from "./agent-profile.ts";
import { agentStream } from "./agent-stream.ts";
import { isOlder, type ProgramVersion, versionOf } from "./agent-version.ts";
import { type OwnHalt, type WatchLimits, watchAgent } from "./agent-watch.ts";
import { abilities } from "./agents.ts";
import { Denials } from "./denials.ts";
import {
  type Access,
  attemptMarker,
  type Execution,
  type ExecutionEnd,
  type Executor,
  type ExecutorCall,
  type Missing,
} from "./executor.ts";
import { findProgram } from "./program.ts";

export interface AgentOptions {
  readonly name: string;
  /** On PATH, or an absolute path. */
  readonly program: string;
  readonly model: string | null;
  readonly effort: string | null;
  readonly maxTurns: number | null;
  readonly maxUsd: number | null;
  readonly access: Access;
  readonly args: readonly string[];
  /** Names of variables that it may see beside the usual ones and its own keys. */
  readonly env: readonly string[];
  /** A directory for what the agent must keep apart from the user's own. */
  readonly home: string;
  readonly wallMs: number;
  readonly quietMs: number | null;
  readonly startMs: number;
  readonly leaveMs: number;
  readonly graceMs: number;
}

/** Of stdout only what is no event is looked at afterwards. */
const captureBytes = 64 * 1024;

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
    async missing() {
      return missingIn(profile, options, await ask());
    },
    version,
    start: (call) => start(profile, options, call, version),
  };
}

const chooseOther = "choose another executor with --executor NAME (see `pawl doctor`)";

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
  const scratch = new Scratch();
  const env = { ...allowedEnvironment(process.env, [...profile.keys, ...options.env]), ...call.env };
  const task = taskOf(profile, options, call, { env, scratch });
  const prepared = prepare(profile, task);
  if (!prepared.ok) {
    scratch.remove();
    return notStarted(prepared.why);
  }
  const { invocation } = prepared;

  const reader = profile.newReader(Date.now);
  const denials = new Denials();
  const log = carefully(call.onOutput);
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
    command: [options.program, ...invocation.args],
    cwd: call.cwd,
    env: { ...env, ...invocation.env },
    marker: { name: attemptMarker, value: call.attempt },
    input: call.prompt,
    limits: {
      wallMs: call.wallMs ?? options.wallMs,
      quietMs: call.quietMs ?? options.quietMs,
      graceMs: options.graceMs,
      captureBytes,
    },
    onOutput(name, chunk) {
      watch.heard();
      if (name === "stdout") stream.write(chunk);
      return log.sink(name, chunk);
    },
  });

  async function conclude(): Promise<ExecutionEnd> {
    const end = await supervised.ended;
    watch.forget();
    const halt = end.kind === "stopped" && ender !== "asked" ? ender : null;
    const read = stream.end(exitOf(end, halt));
    const reading = invocation.complete?.(read) ?? read;
    scratch.remove();
    // Whoever was told to stop shall not wait for one more program.
    const canAsk = reading.version === null && (end.kind === "exited" || end.kind === "signalled");
    return endOf({
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
      notes: leftOut(profile, call),
      logError: log.error(),
    });
  }

  return { started: supervised.started, ended: conclude(), stop: (reason) => endIt("asked", reason) };
}

function taskOf(
  profile: AgentProfile,
  options: AgentOptions,
  call: ExecutorCall,
  own: { readonly env: Readonly<Record<string, string>>; readonly scratch: Scratch },
): AgentTask {
  const can = abilities[profile.kind];
  const access = options.access === "read" || call.access === "read" ? "read" : "write";
  return {
    cwd: call.cwd,
    access,
    model: call.model ?? options.model,
    effort: can.effort ? (call.effort ?? options.effort) : null,
    maxTurns: options.maxTurns,
    maxUsd: options.maxUsd,
    resume: can.resume && isWord(call.resume ?? "") ? (call.resume ?? null) : null,
    mcp: call.mcp ?? null,
    args: options.args,
    outside: access === "write" ? outsideOf(call) : [],
    env: own.env,
    scratch: () => own.scratch.dir(),
    home: options.home,
  };
}

/** A model comes from a workflow's file, a session from what an agent printed: neither may become an argument of its own. */
function isWord(text: string): boolean {
  return /^[^\s-]\S*$/.test(text);
}

/** Prompts ask agents to write into these, and neither is in the workspace. */
function outsideOf({ env }: ExecutorCall): readonly string[] {
  const [progress, shared] = [env["PAWL_PROGRESS_FILE"], env["RALPH_SHARED_DIR"]];
  return [...(progress ? [dirname(progress)] : []), ...(shared ? [shared] : [])];
}

type Prepared = { readonly ok: true; readonly invocation: Invocation } | { readonly ok: false; readonly why: string };

function prepare(profile: AgentProfile, task: AgentTask): Prepared {
  const { title, kind } = profile;
  if (task.access === "read" && !abilities[kind].readOnly)
    return { ok: false, why: `${title} cannot be kept from writing, and this step may only read (${chooseOther})` };
  const strange = [task.model, task.effort].find((word) => word !== null && !isWord(word));
  if (strange !== undefined) return { ok: false, why: `${title} has no model or effort ${JSON.stringify(strange)}` };
  try {
    return { ok: true, invocation: profile.prepare(task) };
  } catch (error) {
    const why = error instanceof Error ? error.message : String(error);
    return { ok: false, why: `${title} could not be started: ${why}` };
  }
}

function notStarted(why: string): Execution {
  const end: ExecutionEnd = { outcome: "failed", why, text: "", usage: noUsage, session: null, notes: [] };
  return { started: Promise.resolve(), ended: Promise.resolve(end), stop: () => undefined };
}

/** What the agent keeps itself is not watched: it knows better what a turn is. */
function limitsOf({ keeps }: AgentProfile, options: AgentOptions): WatchLimits {
  const { startMs, leaveMs, maxTurns, maxUsd } = options;
  return { startMs, leaveMs, maxTurns: keeps.turns ? null : maxTurns, maxUsd: keeps.money ? null : maxUsd };
}

/** What the call asks for and this agent does not have. */
function leftOut({ kind, title }: AgentProfile, call: ExecutorCall): readonly string[] {
  const can = abilities[kind];
  return [
    ...(call.effort && !can.effort ? [`${title} has no levels of effort: ${call.effort} was left out`] : []),
    ...(call.resume && !(can.resume && isWord(call.resume))
      ? [`${title} cannot go on with that session: it began a new one`]
      : []),
  ];
}

/** A log that fails must not cost us the events: it is given up, and they are read on. */
function carefully(onOutput: OutputSink): { readonly sink: OutputSink; error(): string | null } {
  let problem: string | null = null;
  return {
    async sink(stream, chunk) {
      if (problem !== null) return;
      try {
        await onOutput(stream, chunk);
      } catch (error) {
        problem = error instanceof Error ? error.message : String(error);
      }
    },
    error: () => problem,
  };
}

/** A directory for files of one call, made when somebody needs it. */
class Scratch {
  #dir: string | null = null;

  dir(): string {
    this.#dir ??= mkdtempSync(join(tmpdir(), "pawl-agent-"));
    return this.#dir;
  }

  remove(): void {
    if (this.#dir === null) return;
    try {
      rmSync(this.#dir, { recursive: true, force: true });
    } catch {
      // Somebody holds a file in it; it is the system's directory for what may stay behind.
    }
  }
}
