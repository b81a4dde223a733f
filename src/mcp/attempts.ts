// The tool server for attempts. Owns: a path and a token for each desk while its attempt runs.

import type { Desk, OpenDesk, ToolServer } from "../runtime/attempt/execute/desk.ts";
import { attemptInstructions, attemptTools } from "./attempt-tools.ts";
import { type Door, Loopback } from "./loopback.ts";
import { McpServer } from "./mcp-server.ts";

/** Nothing listens before the first desk is opened. */
export function openToolServer(): ToolServer {
  const loopback = new Loopback();
  return {
    async open(desk: Desk): Promise<OpenDesk> {
      const { id, token } = desk.claim.attempt;
      let server: McpServer | undefined;
      const door: Door = {
        token,
        // Most agents print: the schemas of their tools are never asked for.
        get server() {
          server ??= new McpServer(attemptTools(desk), attemptInstructions);
          return server;
        },
      };
      const url = await loopback.open(id, door);
      return {
        url,
        token,
        close() {
          desk.close();
          loopback.shut(id);
        },
      };
    },
    close: () => loopback.close(),
  };
}
