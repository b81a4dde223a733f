// `pawl project init`. Owns: printing what was set up, what was kept, and what to do next.

import type { Command } from "commander";
import { initProject } from "../../../application/agentic/init.ts";
import { applicationHere } from "../../opened.ts";
import type { Console } from "../../output/console.ts";
import { example } from "../../output/example.ts";
import { dirOption, type ProjectOptions } from "./options.ts";

interface Options extends ProjectOptions {
  readonly name?: string;
  readonly level?: string;
}

export function defineInit(project: Command, console: Console): void {
  project
    .command("init")
    .description("set up .ai/, the documents that prompts refer to, and the hook; keeps every file that is there")
    .option(...dirOption)
    .option("--name <name>", "what the project is called (default: the name of its folder)")
    .option("--level <level>", "0: you forward prompts; 1: each step waits for you; 2: it asks where it needs you")
    .addHelpText("after", example("pawl project init --name cart-app --level 2"))
    .action(async (options: Options) => {
      const done = await initProject(applicationHere(), options);
      if (console.json) return console.document(done);
      for (const path of done.written) console.print(path);
      if (done.kept.length > 0) console.say(`Kept as they were: ${done.kept.join(", ")}.`);
      for (const note of done.notes) console.note(note);
      console.say(`\n${done.name} works at level ${done.level}. Fill PROJECT_CONTEXT.md and docs/, commit them, then:`);
      const next = done.level === 0 ? "pawl project prompt --step bdd" : 'pawl project add US-001 "Title of the story"';
      console.say(`  ${next}`);
    });
}
