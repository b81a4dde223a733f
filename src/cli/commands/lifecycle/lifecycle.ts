// `pawl lifecycle`. Owns: the commands for projects that keep their state in `.workflow/`, each in a file of its own.

import type { Command } from "commander";
import { summaryOf } from "../../catalogue.ts";
import type { Console } from "../../output/console.ts";
import { example } from "../../output/example.ts";
import { defineLifecycleLooking } from "./looking.ts";
import { defineLifecycleSessions } from "./sessions.ts";

export function define(program: Command, console: Console): void {
  const lifecycle = program
    .command("lifecycle")
    .description(summaryOf("lifecycle"))
    .addHelpText(
      "after",
      example(
        'pawl lifecycle "Build a shop for tea" --executor claude',
        "pawl lifecycle execute",
        "pawl lifecycle position",
      ),
    );
  defineLifecycleSessions(lifecycle, console);
  defineLifecycleLooking(lifecycle, console);
}
