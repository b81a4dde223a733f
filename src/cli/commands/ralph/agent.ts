// `pawl agent`. Owns: one request without a PRD, worked on like a story of one.

import type { Command } from "commander";
import { runRequest } from "../../../application/starting/stories-given.ts";
import { summaryOf } from "../../catalogue.ts";
import { readInput } from "../../input/input.ts";
import { withApplication } from "../../opened.ts";
import type { Console } from "../../output/console.ts";
import { example } from "../../output/example.ts";
import { addOptions, runGivenStories, type StoriesOptions } from "./options.ts";

export function define(program: Command, console: Console): void {
  const agent = program.command("agent").description(summaryOf("agent"));
  addOptions(
    agent
      .command("run")
      .description("work on one request in a tree of its own; its commit goes to the branch that is checked out")
      .argument("<request...>", "what should be done; `-` reads it from stdin"),
  )
    .addHelpText("after", example('pawl agent run "Fix the N+1 query in the profiles list"'))
    .action(async (words: string[], options: StoriesOptions) => {
      const task = await readInput(words);
      await withApplication(options, async (app) => {
        await runGivenStories(console, app, options, async (request) => await runRequest(app, task, request));
      });
    });
}
