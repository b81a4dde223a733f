// The output of a running program. Owns: reading both streams into captures and into the sink, as fast as the sink takes it.

import type { Readable } from "node:stream";
import { errorText } from "../../domain/error.ts";
import type { OutputName, OutputSink } from "./call.ts";
import { type Capture, createCapture } from "./capture.ts";

const stderrCaptureBytes = 16 * 1024;

export interface Output {
  readonly stdout: Capture;
  readonly stderr: Capture;
  /** Resolves when both streams were read to their end, or given up. */
  readonly finished: Promise<void>;
  /** True while reading waits for the sink: then silence is not the fault of the program. */
  sinkIsBusy(): boolean;
  sinkError(): string | null;
  /** Stops reading, even if another process still holds the other end. */
  giveUp(): void;
}

export interface OutputReaders {
  readonly captureBytes: number;
  readonly sink: OutputSink | undefined;
  readonly onByte: () => void;
}

export function readOutput(streams: Record<OutputName, Readable>, readers: OutputReaders): Output {
  const captures = { stdout: createCapture(readers.captureBytes), stderr: createCapture(stderrCaptureBytes) };
  let pending = 0;
  let sinkError: string | null = null;
  let givenUp = false;

  // Iterates instead of using 'data' with pause(): Node resumes a paused stream by itself when the child exits.
  async function read(name: OutputName): Promise<void> {
    try {
      for await (const chunk of streams[name] as AsyncIterable<Buffer>) {
        if (givenUp) return;
        readers.onByte();
        captures[name].write(chunk);
        await deliver(name, chunk);
      }
    } catch {
      // The stream broke, or giveUp destroyed it: the output is what was read until then.
    }
  }

  async function deliver(name: OutputName, chunk: Buffer): Promise<void> {
    if (readers.sink === undefined || sinkError !== null) return;
    pending += 1;
    try {
      await readers.sink(name, chunk);
    } catch (error) {
      sinkError = errorText(error);
    }
    pending -= 1;
    readers.onByte();
  }

  return {
    ...captures,
    finished: Promise.all([read("stdout"), read("stderr")]).then(() => undefined),
    sinkIsBusy: () => pending > 0,
    sinkError: () => sinkError,
    giveUp: () => {
      givenUp = true;
      streams.stdout.destroy();
      streams.stderr.destroy();
    },
  };
}
