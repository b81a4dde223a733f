// The servers that `streams` measures, each in a process of its own: Pawl's, which notices what another process commits, and a bare one
// that sends the messages it is given.

import { createServer, type ServerResponse } from "node:http";
import { Application } from "../src/application/application.ts";
import { startServer } from "../src/http/server.ts";

const [kind, home = ""] = process.argv.slice(2);
const streams = new Set<ServerResponse>();

async function listen(): Promise<string> {
  if (kind === "pawl") {
    const app = new Application({ cwd: home, env: { PAWL_HOME: home } });
    return (await startServer({ app, host: "127.0.0.1", port: 0 })).url;
  }
  const server = createServer((_, response) => {
    response.writeHead(200, { "content-type": "text/event-stream" }).flushHeaders();
    streams.add(response);
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const address = server.address();
  return `http://127.0.0.1:${typeof address === "object" ? address?.port : ""}`;
}

process.on("message", (message: { readonly send?: string }) => {
  if (message.send === undefined) process.send?.({ cpu: process.cpuUsage() });
  else for (const stream of streams) stream.write(message.send);
});
process.once("disconnect", () => process.exit(0));
process.send?.({ url: await listen() });
