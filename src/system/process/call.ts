// The call of a program and its end. Owns: the types that callers and the supervisor share.

import type { Clock } from "../clock.ts";
import type { ProcessIdentity } from "./identity.ts";
import type { Marker } from "./strays.ts";

export interface ProcessCall {
  /** Program and arguments; no shell is involved. */
  readonly command: readonly [string, ...string[]];
  readonly cwd: string;
  /** The whole environment of the program; only the marker is added. */
  readonly env: Readonly<Record<string, string>>;
  /** Unique to this call: processes that still have it afterwards are killed. */
  readonly marker: Marker;
  /** A text that is written to stdin, which is then closed; or a function that gets stdin when the program runs. */
  readonly input: string | Uint8Array | ((pipe: InputPipe) => void);
  readonly limits: ProcessLimits;
  /** Gets every byte, in order for each stream. While its promise is pending, that stream is not read. */
  readonly onOutput?: OutputSink;
  /** Asks the program to stop by its own protocol, before the first signal. It has 3 s, or until the program exits. */
  readonly onHalt?: () => Promise<void>;
  /** Measures the wall limit and the duration; everything else uses real time. */
  readonly clock?: Clock;
}

export interface ProcessLimits {
  /** From start to end, whatever the program does. */
  readonly wallMs: number;
  /** How long it may print nothing; null if it may be silent. */
  readonly quietMs: number | null;
  /** From SIGTERM to SIGKILL; 5,000 by default. */
  readonly graceMs?: number;
  /** How much of stdout is kept in memory. */
  readonly captureBytes: number;
}

/** The stdin of a program that is written to while it runs. */
export interface InputPipe {
  /** Resolves when the pipe has accepted the text, or never will because the program closed it. Never rejects. */
  write(text: string): Promise<void>;
  close(): void;
}

export type OutputSink = (stream: OutputName, chunk: Uint8Array) => void | Promise<void>;
export type OutputName = "stdout" | "stderr";

export interface Supervised {
  readonly pid: number | null;
  /** Enough to find the process again after a restart of Pawl; null when it did not start. */
  readonly identity: ProcessIdentity | null;
  /** Resolves when the program runs or could not be started; `ended` says which. Never rejects. */
  readonly started: Promise<void>;
  /** Resolves when the program and all processes that it started are gone. Never rejects. */
  readonly ended: Promise<ProcessEnd>;
  /** Only the first call counts, and none after the program has exited. */
  stop(reason: string): void;
  /** Restarts the quiet limit: the program gave a sign of life outside of its output. */
  heard(): void;
}

export type ProcessEnd = ProcessEnding & ProcessFacts;

/** How a program ended. */
export type ProcessEnding =
  | { readonly kind: "exited"; readonly code: number }
  /** Killed, but not by Pawl: by a person, by the kernel when memory is short, or by itself. */
  | { readonly kind: "signalled"; readonly signal: string }
  | { readonly kind: "not_started"; readonly code: string; readonly message: string }
  | Halt;

/** Pawl ended it; what the program printed or returned then does not count. */
export type Halt =
  | { readonly kind: "timed_out"; readonly limit: "wall" | "quiet" }
  | { readonly kind: "stopped"; readonly reason: string };

export interface ProcessFacts {
  /** The captured text: beginning and end when there was more than the limit. */
  readonly stdout: string;
  readonly stderr: string;
  readonly stdoutBytes: number;
  readonly stderrBytes: number;
  readonly durationMs: number;
  /** Processes that outlived the program and were killed. */
  readonly strays: number;
  /** Processes that could not be killed; they may still write. */
  readonly straysLeft: number;
  /** Why the sink failed; it got nothing after that. Null if it got every byte that was read. */
  readonly sinkError: string | null;
}
