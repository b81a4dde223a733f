// Ports. Owns: finding free ports, and keeping those that were found before.

import { createServer, type Server } from "node:net";

/** Ports that were handed out: their programs may not listen yet. */
const given = new Set<number>();

/** Keeps each port of `before` that is still free. */
export async function freePorts(count: number, before: readonly number[]): Promise<readonly number[]> {
  const open: Server[] = [];
  try {
    const ports: number[] = [];
    while (ports.length < count) {
      const kept = before[ports.length];
      const server = (kept === undefined ? null : await listenOn(kept)) ?? (await listenOn(0));
      if (server === null) break;
      open.push(server);
      const address = server.address();
      if (typeof address !== "object" || address === null) break;
      if (address.port !== kept && given.has(address.port)) continue;
      ports.push(address.port);
      given.add(address.port);
    }
    return ports;
  } finally {
    // Each port is held until all are found, so that none is found twice.
    await Promise.all(open.map((server) => new Promise((resolve) => server.close(resolve))));
  }
}

function listenOn(port: number): Promise<Server | null> {
  return new Promise((resolve) => {
    const server = createServer();
    server.once("error", () => resolve(null));
    server.listen({ port, host: "127.0.0.1", exclusive: true }, () => resolve(server));
  });
}
