// `pawl agent`. Owns: one request without a PRD, worked on by the same machine as a story of one.

import { resolve } from "node:path";
import type { Command } from "commander";
import type { Console } from "../console.ts";
import { example } from "../example.ts";
import { readInput } from "../input.ts";
import { addRalphOptions, type RalphOptions, startRalph } from "../ralph.ts";
import { withSession } from "../session.ts";

export function define(program: Command, console: Console): void {
  const agent = program.command("agent").description("one request, step by step, as one story");
  addRalphOptions(
    agent
      .command("run")
      .description("work on one request in a tree of its own; its commit goes to the branch that is checked out")
      .argument("<request...>", "what should be done; `-` reads it from stdin"),
  )
    .addHelpText("after", example('pawl agent run "Fix the N+1 query in the profiles list"'))
    .action(async (words: string[], options: RalphOptions) => {
      const task = await readInput(words);
      await withSession({ store: options.store, repo: resolve(options.repo) }, async (session) => {
        await startRalph(console, session, { task, given: null, agents: 1, options });
      });
    });
}
