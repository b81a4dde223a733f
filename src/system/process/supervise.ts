// Supervision of one program. Owns: its input, its limits and its end, until none of its processes is left. Does not own: what its output
// means, or whether it is retried.

import { type ChildProcessWithoutNullStreams, spawn } from "node:child_process";
import { systemClock } from "../clock.ts";
import type { Halt, ProcessCall, ProcessEnding, ProcessFacts, Supervised } from "./call.ts";
import { type ProcessIdentity, processIdentity } from "./identity.ts";
import { inputPipe } from "./input.ts";
import { watchLimits } from "./limits.ts";
import { type Output, readOutput } from "./output.ts";
import { explainStartFailure } from "./start-failure.ts";
import { stopProgram } from "./stop-ladder.ts";
import { killStrays, type Sweep } from "./strays.ts";
import { watch } from "./watchdog.ts";

const defaultGraceMs = 5_000;
/** A process that still holds the pipe after the program exited and the strays were killed cannot be found. */
const pipeHeldMs = 2_000;
const slowSinkMs = 30_000;
/** For a program that can be asked to stop by its own protocol. */
const farewellMs = 3_000;
/** A killed process can hang in the kernel, for example on a dead network disk. */
const deathMs = 5_000;

type UntimedFacts = Omit<ProcessFacts, "durationMs">;

export function supervise(call: ProcessCall): Supervised {
  const clock = call.clock ?? systemClock;
  const begunAt = clock.steady();
  const elapsedMs = () => clock.steady() - begunAt;
  const watched = watch(call.marker);
  const child = launch(call);
  if (child instanceof Error || child.pid === undefined) {
    watched.ended();
    const ended = startFailure(child).then((error) => ({
      ...explainStartFailure(error, call),
      ...nothingHappened,
      durationMs: elapsedMs(),
    }));
    return {
      pid: null,
      identity: null,
      started: ended.then(() => undefined),
      ended,
      stop: () => undefined,
      heard: () => undefined,
    };
  }
  watched.started(child.pid);
  const leader = processIdentity(child.pid) ?? { pid: child.pid, startedAt: "" };
  const running = follow(child, leader, call);
  if (typeof call.input === "function") call.input(inputPipe(child.stdin));
  return {
    pid: leader.pid,
    identity: leader,
    started: Promise.resolve(), // spawn returns a pid only after the program was loaded
    ended: running.ended.then((end) => {
      watched.ended();
      return { ...end, durationMs: elapsedMs() };
    }),
    stop: (reason) => running.halt({ kind: "stopped", reason }),
    heard: running.heard,
  };
}

function launch(call: ProcessCall): ChildProcessWithoutNullStreams | Error {
  const [program, ...args] = call.command;
  try {
    // Before the start: input that is not a text must not leave a program behind.
    const input = typeof call.input === "function" ? null : Buffer.from(call.input);
    const child = spawn(program, args, {
      cwd: call.cwd,
      env: { ...call.env, [call.marker.name]: call.marker.value },
      detached: true, // a group of its own, so that signals do not reach Pawl
      shell: false,
      stdio: ["pipe", "pipe", "pipe"],
    });
    // A program that does not read its input to the end breaks the pipe, which is not an error.
    child.stdin.on("error", () => undefined);
    if (input !== null) child.stdin.end(input);
    return child;
  } catch (error) {
    return error instanceof Error ? error : new Error(String(error));
  }
}

function startFailure(child: ChildProcessWithoutNullStreams | Error): Promise<Error> {
  return child instanceof Error ? Promise.resolve(child) : new Promise((resolve) => child.once("error", resolve));
}

function follow(child: ChildProcessWithoutNullStreams, leader: ProcessIdentity, call: ProcessCall) {
  let exit: ProcessEnding | undefined;
  let tellHalt: (halt: Halt) => void;
  const halted = new Promise<Halt>((resolve) => {
    tellHalt = resolve;
  });
  const halt = (why: Halt) => {
    if (exit === undefined) tellHalt(why);
  };
  const exited = new Promise<ProcessEnding>((resolve) => {
    child.once("exit", (code, signal) => {
      exit = code === null ? { kind: "signalled", signal: signal ?? "unknown" } : { kind: "exited", code };
      resolve(exit);
    });
  });
  const limits = watchLimits(call, halt, () => output.sinkIsBusy());
  const output = readOutput(child, {
    captureBytes: call.limits.captureBytes,
    sink: call.onOutput,
    onByte: () => limits.heard(),
  });

  async function toTheEnd(): Promise<ProcessEnding & UntimedFacts> {
    const ending = await Promise.race([exited, halted]);
    limits.forget();
    const sweep = await clearAway(ending);
    await settlesWithin(exited, deathMs);
    await readRest(output);
    return { ...ending, ...factsOf(output, sweep) };
  }

  async function clearAway(ending: ProcessEnding): Promise<Sweep> {
    if (ending.kind === "exited" || ending.kind === "signalled")
      return await killStrays({ leader, marker: call.marker });
    if (call.onHalt) await settlesWithin(Promise.race([call.onHalt().catch(() => undefined), exited]), farewellMs);
    return await stopProgram(leader, call.marker, call.limits.graceMs ?? defaultGraceMs);
  }

  return { ended: toTheEnd(), halt, heard: () => limits.heard() };
}

/** Reads what the program printed last. A slow sink gets time for it; a pipe that is held open does not. */
async function readRest(output: Output): Promise<void> {
  const stepMs = 50;
  let waitedMs = 0;
  for (let heldMs = 0; heldMs < pipeHeldMs && waitedMs < slowSinkMs; waitedMs += stepMs) {
    const busy = output.sinkIsBusy();
    if (await settlesWithin(output.finished, stepMs)) return;
    if (!busy) heldMs += stepMs;
  }
  output.giveUp();
}

function settlesWithin(promise: Promise<unknown>, ms: number): Promise<boolean> {
  return new Promise((resolve) => {
    const timer = setTimeout(() => resolve(false), ms);
    void promise.then(() => {
      clearTimeout(timer);
      resolve(true);
    });
  });
}

function factsOf(output: Output, sweep: Sweep): UntimedFacts {
  return {
    stdout: output.stdout.text(),
    stderr: output.stderr.text(),
    stdoutBytes: output.stdout.bytes(),
    stderrBytes: output.stderr.bytes(),
    strays: sweep.killed,
    straysLeft: sweep.left,
    sinkError: output.sinkError(),
  };
}

const nothingHappened: UntimedFacts = {
  stdout: "",
  stderr: "",
  stdoutBytes: 0,
  stderrBytes: 0,
  strays: 0,
  straysLeft: 0,
  sinkError: null,
};
