// `pawl mcp`. Owns: Pawl as a tool of somebody's own agent session, over stdio. Nothing but the protocol is on stdout.

import type { Command } from "commander";
import { Protocol } from "../../mcp/protocol.ts";
import { serveStdio } from "../../mcp/stdio.ts";
import type { Console } from "../console.ts";
import { example } from "../example.ts";
import { peopleInstructions, peopleTools } from "../people-tools.ts";

export function define(parent: Command, console: Console): void {
  parent
    .command("mcp")
    .description("an MCP server over stdio: start a run, look, answer a gate, from your own agent session")
    .addHelpText("after", example("claude mcp add pawl -- pawl mcp", "codex mcp add pawl -- pawl mcp"))
    .action(async (options: { store?: string }) => {
      // For every command that a tool calls, and for drivers in the background.
      if (options.store !== undefined) process.env["PAWL_STORE"] = options.store;
      // What was asked for is done, also when nobody waits for the answer any more.
      console.isDriving = true;
      await serveStdio(new Protocol(peopleTools, peopleInstructions), process.stdin, process.stdout);
    });
}
