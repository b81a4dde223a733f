// Carries lines of JSON between the agent's pipes and the SDK; the reader sees both directions. Updates of the agent go to the reader
// alone; the SDK gets the agent's requests and its answers.

import type { AnyMessage, Stream } from "@agentclientprotocol/sdk";
import type { AgentEvent } from "../../domain/agent-event.ts";
import type { InputPipe } from "../../system/process/call.ts";
import { agentStream } from "../stream/agent-stream.ts";
import { type Fields, fieldsOf } from "../stream/fields.ts";
import type { Reader } from "../stream/reader.ts";
import type { ProcessExit, StreamReading } from "../stream/stream-reading.ts";

/** Requests of the agent that wait for Pawl's answer. Further requests are ignored: they would fill the memory. */
const mostOpen = 100;
/** Of the requests about files, each of which holds a whole file in memory; the rest wait. */
const mostFiles = 4;

export interface Wire {
  /** The stream for the SDK, once the agent can be written to. */
  connect(pipe: InputPipe): Stream;
  /** What the agent printed on stdout. */
  write(chunk: Uint8Array): void;
  end(exit: ProcessExit): StreamReading;
}

export function openWire(reader: Reader, onEvent: (event: AgentEvent) => void): Wire {
  /** Ids of open requests of each side; each side counts its own. */
  const asked = new Set<unknown>();
  const open = new Set<unknown>();
  /** Open requests about files, the number of those whose answer is not yet written as well, and those that wait. */
  const files = new Set<unknown>();
  let filesOpen = 0;
  const waiting: AnyMessage[] = [];
  let deliver: (message: AnyMessage) => void = () => undefined;

  function take(message: AnyMessage): void {
    const { id, method } = fieldsOf(message);
    if (typeof method !== "string" || !method.startsWith("fs/")) return deliver(message);
    if (filesOpen >= mostFiles) return void waiting.push(message);
    filesOpen += 1;
    files.add(id);
    deliver(message);
  }

  function fileIsSent(): void {
    filesOpen -= 1;
    const next = waiting.shift();
    if (next !== undefined) take(next);
  }

  /** Null: an answer to no request, which means nothing. */
  function isForSdk({ id, method }: Fields): boolean | null {
    if (method === undefined) return asked.delete(id) ? true : null;
    // A second request with the same id could not be told from the first.
    if (id === undefined || typeof method !== "string" || open.size >= mostOpen || open.has(id)) return false;
    open.add(id);
    return true;
  }

  const listener: Reader = {
    noise: reader.noise,
    read(value) {
      const isSdks = isForSdk(fieldsOf(value));
      if (isSdks === null) return [];
      const events = reader.read({ dir: "<", m: value });
      if (isSdks) take(value as AnyMessage);
      return events;
    },
    end: (exit) => reader.end(exit),
  };
  const fromAgent = agentStream(listener, onEvent);

  async function send(message: AnyMessage, pipe: InputPipe): Promise<void> {
    const { id, method } = fieldsOf(message);
    const isFile = method === undefined && files.delete(id);
    if (method === undefined) open.delete(id);
    else if (id !== undefined) asked.add(id);
    for (const event of reader.read({ dir: ">", m: message })) onEvent(event);
    await pipe.write(`${JSON.stringify(message)}\n`);
    // Only now: an agent that does not read its answers would keep all of them in Pawl's memory.
    if (isFile) fileIsSent();
  }

  return {
    connect: (pipe) => ({
      readable: new ReadableStream<AnyMessage>({
        start(controller) {
          deliver = (message) => controller.enqueue(message);
        },
        cancel() {
          deliver = () => undefined;
        },
      }),
      writable: new WritableStream<AnyMessage>({ write: (message) => send(message, pipe) }),
    }),
    write: (chunk) => fromAgent.write(chunk),
    end: (exit) => fromAgent.end(exit),
  };
}
