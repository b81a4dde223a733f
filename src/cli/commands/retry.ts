// `pawl retry`. Owns: putting what failed back to `ready`, with its limits counted anew.

import type { Command } from "commander";
import { stepName, storyId } from "../../domain/ids.ts";
import type { Console } from "../console.ts";
import { example } from "../example.ts";
import { steer } from "../steering.ts";

export function define(parent: Command, console: Console): void {
  parent
    .command("retry")
    .description("put a failed story or step back to ready, with its limits counted anew from here")
    .argument("<run>", "its id, a prefix of it, or its number")
    .option("--story <id>", "only this story")
    .option("--step <name>", "only this step")
    .addHelpText("after", example("pawl retry 3 --story US-002", "pawl resume 3"))
    .action(async (reference: string, options: { store?: string; story?: string; step?: string }) => {
      const story = options.story === undefined ? null : storyId(options.story);
      const step = options.step === undefined ? null : stepName(options.step);
      await steer(
        console,
        { reference, store: options.store },
        (asked) => ({ type: "retry_run", story, step, ...asked }),
        (run) => `What failed is ready again. \`pawl resume ${run.number}\` goes on.`,
      );
    });
}
