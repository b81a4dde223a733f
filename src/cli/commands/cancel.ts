// `pawl cancel`, antfarm's `workflow stop`. Owns: ending a run for good, its processes included.

import type { Command } from "commander";
import type { Console } from "../console.ts";
import { example } from "../example.ts";
import { steer } from "../steering.ts";

export function define(parent: Command, console: Console): void {
  defineCancel(parent, console, "cancel");
}

export function defineCancel(parent: Command, console: Console, name: "cancel" | "stop"): void {
  parent
    .command(name)
    .description("stop a run for good; what it has committed stays on its branch")
    .argument("<run>", "its id, a prefix of it, or its number")
    .option("--reason <text>", "why", "cancelled by the user")
    .addHelpText("after", example(name === "cancel" ? "pawl cancel 3" : "pawl workflow stop 3"))
    .action(async (reference: string, options: { store?: string; reason: string }) => {
      await steer(
        console,
        { reference, store: options.store },
        (asked) => ({ type: "cancel_run", reason: options.reason, ...asked }),
        (run) => `Run #${run.number} is cancelled. What it has committed is on its branch.`,
      );
    });
}
