// Streams that the services of this process have open. Owns: counting them where they are served, whatever a browser says.

import { subscribe, unsubscribe } from "node:diagnostics_channel";
import type { IncomingMessage, ServerResponse } from "node:http";
import { onTestFinished } from "vitest";

interface Started {
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
}

export interface OpenStreams {
  /** Open now. */
  count(): number;
  /** Ever opened. */
  total(): number;
}

/** From now on, until the test ends. */
export function watchStreams(): OpenStreams {
  const open = new Set<ServerResponse>();
  let total = 0;
  const notice = (message: unknown) => {
    const { request, response } = message as Started;
    if (request.headers.accept !== "text/event-stream") return;
    total += 1;
    open.add(response);
    response.once("close", () => open.delete(response));
  };
  const channel = "http.server.request.start";
  subscribe(channel, notice);
  onTestFinished(() => void unsubscribe(channel, notice));
  return { count: () => open.size, total: () => total };
}
