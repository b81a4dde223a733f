// Turns the bytes of an agent's stdout into events, and into one reading at the end.

import type { AgentEvent } from "../../domain/agent-event.ts";
import { jsonLines, longestLine } from "./json-lines.ts";
import type { Reader } from "./reader.ts";
import type { ProcessExit, StreamReading } from "./stream-reading.ts";

export interface AgentStream {
  write(chunk: Uint8Array): void;
  end(exit: ProcessExit): StreamReading;
}

export function agentStream(reader: Reader, onEvent: (event: AgentEvent) => void): AgentStream {
  const lines = jsonLines({
    noise: reader.noise,
    onObject(value) {
      for (const event of reader.read(value)) onEvent(event);
    },
  });
  return {
    write: (chunk) => lines.write(chunk),
    end(exit) {
      lines.end();
      return withCutLines(reader.end(exit), lines.tooLong());
    },
  };
}

/** The last event may have been in one of them, so the message says that they were skipped. */
function withCutLines(reading: StreamReading, count: number): StreamReading {
  if (count === 0 || reading.ok) return reading;
  const cut = `${count} ${count === 1 ? "line was" : "lines were"} longer than ${longestLine / 1024 / 1024} MiB and not read`;
  return { ...reading, message: reading.message === "" ? cut : `${reading.message}; ${cut}` };
}
