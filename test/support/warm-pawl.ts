// A `pawl` that has started already. To start one takes a tenth of a second of computing; most commands of tests only look at a run or
// act on one, which takes a tenth of that. It runs one command at a time, as a process of its own; what comes meanwhile, drives, reads
// a terminal or has an environment of its own is started as `bin/pawl`.

import { type ChildProcess, spawn } from "node:child_process";
import { programWords } from "./program-words.ts";

export interface Called {
  readonly code: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

export interface WarmCall {
  readonly args: readonly string[];
  readonly cwd: string;
  readonly env: NodeJS.ProcessEnv;
  readonly input: string;
}

/** They end by themselves, and drive no run. */
const commands = new Set(
  [
    "runs status stories why cost events",
    "gates answer approve reject signal note edit step",
    "pause cancel retry cap waits workflow schema",
  ].flatMap((names) => names.split(" ")),
);

let running: ChildProcess | null = null;
let isBusy = false;

/** Null: the command must be started. `onTestFinished` gets what ends a command that hangs. */
export function callWarm(call: WarmCall, onTestFinished: (end: () => void) => void): Promise<Called> | null {
  if (isBusy || !commands.has(call.args[0] ?? "") || call.args.includes("--follow")) return null;
  isBusy = true;
  const child = (running ??= start(call.env));
  let hasEnded = false;
  onTestFinished(() => {
    if (!hasEnded) child.kill("SIGKILL");
  });
  const called = new Promise<Called>((resolve, reject) => {
    const gone = (code: number | null, signal: string | null) => {
      running = null;
      reject(new Error(`\`pawl ${call.args.join(" ")}\` ended its process: ${code ?? signal}`));
    };
    child.once("exit", gone);
    child.once("message", (message) => {
      child.off("exit", gone);
      resolve(message as Called);
    });
    child.send(call);
  });
  return called.finally(() => {
    hasEnded = true;
    isBusy = false;
  });
}

/** It ends with this process. */
function start(env: NodeJS.ProcessEnv): ChildProcess {
  const [node, ...words] = programWords("warm-program.ts");
  const child = spawn(node, words, { cwd: "/", env, stdio: ["ignore", "pipe", "inherit", "ipc"] });
  child.unref();
  child.channel?.unref();
  return child;
}
