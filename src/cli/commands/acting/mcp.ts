// `pawl mcp`. Owns: Pawl as a tool of a person's own agent session, over stdio. Only the protocol is on stdout.

import type { Command } from "commander";
import { McpServer } from "../../../mcp/mcp-server.ts";
import { serveStdio } from "../../../mcp/stdio.ts";
import { summaryOf } from "../../catalogue.ts";
import { peopleInstructions, peopleTools } from "../../mcp/people-tools.ts";
import { type StoreOption, withApplication } from "../../opened.ts";
import type { Console } from "../../output/console.ts";
import { example } from "../../output/example.ts";

export function define(parent: Command, console: Console): void {
  parent
    .command("mcp")
    .description(summaryOf("mcp"))
    .addHelpText("after", example("claude mcp add pawl -- pawl mcp", "codex mcp add pawl -- pawl mcp"))
    .action(async (options: StoreOption) => {
      // A request is completed also when its caller no longer waits for the answer.
      console.isDriving = true;
      await withApplication(options, async (app) => {
        await serveStdio(new McpServer(peopleTools(app), peopleInstructions), process.stdin, process.stdout);
      });
    });
}
