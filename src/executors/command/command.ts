// The executor of any program that reads its prompt from stdin and prints its answer.

import { noUsage } from "../../domain/attempt.ts";
import { errorText } from "../../domain/error.ts";
import type { ProcessEnd } from "../../system/process/call.ts";
import { allowedEnvironment } from "../../system/process/environment.ts";
import { supervise } from "../../system/process/supervise.ts";
import { withSystem } from "../agent/system-text.ts";
import {
  type Access,
  attemptMarker,
  type Execution,
  type ExecutionEnd,
  type Executor,
  type ExecutorCall,
} from "../executor.ts";
import { missingFrom } from "../missing.ts";
import { notStarted } from "../not-started.ts";
import { diedBy, lastWords, processNotes, timeLimit } from "../process-end.ts";
import { programPath } from "../program.ts";
import { accessOf, writableBeside } from "../rights.ts";
import { type CommandLine, endInside, type Sandbox, sandboxed } from "../sandbox/sandbox.ts";

export interface CommandOptions {
  readonly name: string;
  readonly command: CommandLine;
  /** Variables that it sees beside the usual ones. */
  readonly env: readonly string[];
  /** Absent: none. */
  readonly sandbox?: Sandbox | null;
  /** Only a sandbox enforces it. */
  readonly access?: Access;
  readonly wallMs: number;
  readonly quietMs: number | null;
  readonly graceMs: number;
}

/** More than any real answer, and small enough for fifty agents at once; the log has everything. */
const captureBytes = 512 * 1024;

export function commandExecutor(options: CommandOptions): Executor {
  const { name, sandbox = null } = options;
  const [program] = options.command;
  return {
    name,
    missing: async () =>
      await missingFrom({ name, program, shown: `\`${program}\``, install: `install ${program}`, sandbox }),
    start: (call) => start(options, call),
  };
}

function start(options: CommandOptions, call: ExecutorCall): Execution {
  const env = { ...allowedEnvironment(process.env, options.env), ...call.env };
  let command: CommandLine;
  try {
    command = commandFor(options, call, env);
  } catch (error) {
    const why = errorText(error);
    return notStarted(`\`${options.command[0]}\` could not be started: ${why}`);
  }
  const supervised = supervise({
    command,
    cwd: call.cwd,
    env,
    marker: { name: attemptMarker, value: call.attempt },
    input: withSystem(call.system, call.prompt),
    limits: {
      wallMs: call.wallMs ?? options.wallMs,
      quietMs: call.quietMs ?? options.quietMs,
      graceMs: options.graceMs,
      captureBytes,
    },
    onOutput: call.onOutput,
  });
  return {
    started: supervised.started,
    ended: supervised.ended.then((end) => readEnd(options, options.sandbox ? endInside(end) : end)),
    stop: (reason) => supervised.stop(reason),
    heard: () => supervised.heard(),
  };
}

function commandFor(options: CommandOptions, call: ExecutorCall, env: Readonly<Record<string, string>>): CommandLine {
  const { sandbox } = options;
  const [program, ...args] = options.command;
  const command: CommandLine = [programPath(program), ...args];
  if (!sandbox) return command;
  const access = accessOf(options, call);
  const written = writableBeside(access, call);
  return sandboxed(command, { sandbox, cwd: call.cwd, access, env, written, read: call.outside ?? [] });
}

function readEnd(options: CommandOptions, end: ProcessEnd): ExecutionEnd {
  const common = { text: end.stdout, usage: noUsage, session: null, notes: processNotes(end, end.sinkError) };
  switch (end.kind) {
    case "exited":
      if (end.code === 0) return { ...common, outcome: "ran" };
      return { ...common, outcome: "failed", why: `exit code ${end.code}${lastWords(end.stderr, end.stdout)}` };
    case "signalled":
      return {
        ...common,
        outcome: "failed",
        kind: "killed",
        why: `${diedBy(end.signal)}${lastWords(end.stderr, end.stdout)}`,
      };
    case "timed_out":
      return { ...common, outcome: "timed_out", why: timeLimit(end) };
    case "stopped":
      return { ...common, outcome: "cancelled", why: end.reason };
    case "not_started":
      return { ...common, outcome: "failed", why: `\`${options.command[0]}\` could not be started: ${end.message}` };
  }
}
