// The command executor. Owns: any program that reads its prompt from stdin and prints its answer.

import { noUsage } from "../../domain/attempt.ts";
import type { ProcessEnd } from "../../system/process/call.ts";
import { allowedEnvironment } from "../../system/process/environment.ts";
import { supervise } from "../../system/process/supervise.ts";
import { attemptMarker, type Execution, type ExecutionEnd, type Executor, type ExecutorCall } from "../executor.ts";
import { lastWords, notesOf, timeLimit } from "../process-end.ts";
import { findProgram } from "../program.ts";

export interface CommandOptions {
  readonly name: string;
  readonly command: readonly [string, ...string[]];
  /** Names of variables that it may see beside the usual ones. */
  readonly env: readonly string[];
  readonly wallMs: number;
  readonly quietMs: number | null;
  readonly graceMs: number;
}

/** More than any honest answer, and small enough for fifty agents at once; the log has it whole. */
const captureBytes = 512 * 1024;

export function commandExecutor(options: CommandOptions): Executor {
  return {
    name: options.name,
    async missing() {
      const [program] = options.command;
      if (findProgram(program) !== null) return null;
      return {
        what: `\`${program}\` is not installed or not on PATH`,
        hint: `install ${program}, or choose another executor with --executor NAME (see \`pawl doctor\`)`,
      };
    },
    start: (call) => start(options, call),
  };
}

function start(options: CommandOptions, call: ExecutorCall): Execution {
  const supervised = supervise({
    command: options.command,
    cwd: call.cwd,
    env: { ...allowedEnvironment(process.env, options.env), ...call.env },
    marker: { name: attemptMarker, value: call.attempt },
    input: call.prompt,
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
    ended: supervised.ended.then((end) => readEnd(options, end)),
    stop: (reason) => supervised.stop(reason),
  };
}

function readEnd(options: CommandOptions, end: ProcessEnd): ExecutionEnd {
  const common = { text: end.stdout, usage: noUsage, session: null, notes: notesOf(end, end.sinkError) };
  switch (end.kind) {
    case "exited":
      if (end.code === 0) return { ...common, outcome: "ran" };
      return { ...common, outcome: "failed", why: `exit code ${end.code}${lastWords(end.stderr, end.stdout)}` };
    case "signalled":
      return {
        ...common,
        outcome: "lost",
        why: `ended from outside by ${end.signal}${lastWords(end.stderr, end.stdout)}`,
      };
    case "timed_out":
      return { ...common, outcome: "timed_out", why: timeLimit(end) };
    case "stopped":
      return { ...common, outcome: "cancelled", why: end.reason };
    case "not_started":
      return { ...common, outcome: "failed", why: `\`${options.command[0]}\` could not be started: ${end.message}` };
  }
}
