// The output of a running program. Owns: reading both streams into captures and into the sink, at the sink's pace.

import type { Readable } from "node:stream";
import { errorText } from "../../domain/error.ts";
import type { OutputName, OutputSink } from "./call.ts";
import { type Capture, createCapture } from "./capture.ts";

const stderrCaptureBytes = 16 * 1024;

export interface Output {
  readonly stdout: Capture;
  readonly stderr: Capture;
  /** Both streams were read to their end, or given up. */
  readonly finished: Promise<void>;
  /** Reading waits for the sink: silence is then ours, not the program's. */
  sinkIsBusy(): boolean;
  sinkError(): string | null;
  /** Reads no more, even if somebody still holds the other end. */
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

  // Iterating, not 'data' with pause(): when the child exits, Node resumes a paused stream behind our back.
  async function read(name: OutputName): Promise<void> {
    try {
      for await (const chunk of streams[name] as AsyncIterable<Buffer>) {
        if (givenUp) return;
        readers.onByte();
        captures[name].write(chunk);
        await deliver(name, chunk);
      }
    } catch {
      // The stream broke or was destroyed by giveUp: what was read until then is the output.
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
