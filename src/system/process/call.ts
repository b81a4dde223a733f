// The call of a program and how it ended. Owns: the words that callers and the supervisor share.

import type { Clock } from "../clock.ts";
import type { ProcessIdentity } from "./identity.ts";
import type { Marker } from "./strays.ts";

export interface ProcessCall {
  /** Program and arguments, given to no shell. */
  readonly command: readonly [string, ...string[]];
  readonly cwd: string;
  /** The whole environment of the program; nothing of ours is added but the marker. */
  readonly env: Readonly<Record<string, string>>;
  /** Unique to this call: whoever carries it afterwards is killed. */
  readonly marker: Marker;
  /** Written to stdin, which is then closed; or who holds stdin as long as the program runs, called when it does. */
  readonly input: string | Uint8Array | ((pipe: InputPipe) => void);
  readonly limits: ProcessLimits;
  /** Gets every byte, in order for each stream. While its promise is pending that stream is not read. */
  readonly onOutput?: OutputSink;
  /** Ends the program's work in the program's own words, before the first signal: given 3 s, and not waited for when it exits. */
  readonly onHalt?: () => Promise<void>;
  /** Decides when the wall limit is reached and how long it took; everything else waits in real time. */
  readonly clock?: Clock;
}

export interface ProcessLimits {
  /** From start to end, whatever the program does. */
  readonly wallMs: number;
  /** Without a byte on stdout or stderr; null: it may be silent. */
  readonly quietMs: number | null;
  /** From SIGTERM to SIGKILL; 5,000 unless told. */
  readonly graceMs?: number;
  /** How much of stdout is kept in memory. */
  readonly captureBytes: number;
}

/** The stdin of a program that is talked to. */
export interface InputPipe {
  /** Settles when the pipe has taken it, or never will: a program may close its end at any time. Never rejects. */
  write(text: string): Promise<void>;
  close(): void;
}

export type OutputSink = (stream: OutputName, chunk: Uint8Array) => void | Promise<void>;
export type OutputName = "stdout" | "stderr";

export interface Supervised {
  readonly pid: number | null;
  /** Enough to find the process again after we were restarted; null when it did not start. */
  readonly identity: ProcessIdentity | null;
  /** Settles when the program runs or could not be started; `ended` tells which. Never rejects. */
  readonly started: Promise<void>;
  /** Settles when the program and all it started are gone. Never rejects. */
  readonly ended: Promise<ProcessEnd>;
  /** Only the first call counts, and none after the program has exited. */
  stop(reason: string): void;
  /** It gave a sign of life elsewhere than in its output: its quiet limit begins anew. */
  heard(): void;
}

export type ProcessEnd = Verdict & ProcessFacts;

export type Verdict =
  | { readonly kind: "exited"; readonly code: number }
  /** Killed by somebody else: a person, the kernel when memory is short, itself. */
  | { readonly kind: "signalled"; readonly signal: string }
  | { readonly kind: "not_started"; readonly code: string; readonly message: string }
  | Halt;

/** We ended it; what the program said or returned then does not count. */
export type Halt =
  | { readonly kind: "timed_out"; readonly limit: "wall" | "quiet" }
  | { readonly kind: "stopped"; readonly reason: string };

export interface ProcessFacts {
  /** Captured text: head and tail when there was more than the limit. */
  readonly stdout: string;
  readonly stderr: string;
  readonly stdoutBytes: number;
  readonly stderrBytes: number;
  readonly durationMs: number;
  /** Processes that outlived the program and were killed. */
  readonly strays: number;
  /** Processes that could not be killed; they may still write. */
  readonly straysLeft: number;
  /** Why the sink was given up; from then on it got nothing. Null: it got every byte that was read. */
  readonly sinkError: string | null;
}
