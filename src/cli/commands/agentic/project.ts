// `pawl project`. Owns: the commands for projects that work by the files of `.ai/`, each in a file of its own.

import type { Command } from "commander";
import { summaryOf } from "../../catalogue.ts";
import type { Console } from "../../output/console.ts";
import { defineContinue } from "./continue.ts";
import { defineDeciding } from "./deciding.ts";
import { defineInit } from "./init.ts";
import { defineBudget, defineLooking, defineRead } from "./looking.ts";
import { defineSessions } from "./sessions.ts";
import { defineStories } from "./stories.ts";

export function define(program: Command, console: Console): void {
  const project = program.command("project").description(summaryOf("project"));
  defineInit(project, console);
  defineStories(project, console);
  defineContinue(project, console);
  defineLooking(project, console);
  defineDeciding(project, console);
  defineSessions(project, console);
  defineBudget(project, console);
  defineRead(project, console);
}
