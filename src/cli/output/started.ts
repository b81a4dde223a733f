// A run that is only recorded. Owns: what is printed of it.

import type { Started } from "../../application/start.ts";
import type { Console } from "./console.ts";

export function printStarted(console: Console, { run, number, workflow }: Started): void {
  if (console.json) return console.document({ run: { id: run, number, workflow } });
  console.print(run);
  console.say(`Run #${number} is recorded. \`pawl resume ${number}\` drives it; agents may pull its steps.`);
}
