// `pawl pause`. Owns: letting running attempts end and starting nothing new.

import type { Command } from "commander";
import type { Console } from "../console.ts";
import { example } from "../example.ts";
import { steer } from "../steering.ts";

export function define(parent: Command, console: Console): void {
  parent
    .command("pause")
    .description("let running attempts end and start nothing new")
    .argument("<run>", "its id, a prefix of it, or its number")
    .addHelpText("after", example("pawl pause 3", "pawl resume 3"))
    .action(async (reference: string, options: { store?: string }) => {
      await steer(
        console,
        { reference, store: options.store },
        (asked) => ({ type: "pause_run", ...asked }),
        (run) => `Run #${run.number} is paused. \`pawl resume ${run.number}\` lets it go on.`,
      );
    });
}
