// A run that is only recorded. Owns: what is printed of it.

import type { Application } from "../../application/application.ts";
import { continuationOf } from "../../application/driving/continuation.ts";
import type { Started } from "../../application/starting/start.ts";
import type { Console } from "./console.ts";

export async function printStarted(console: Console, app: Application, started: Started): Promise<void> {
  const { run, number, workflow } = started;
  if (console.json) return console.document({ run: { id: run, number, workflow } });
  console.print(run);
  const next = await continuationOf(app, { id: run, number, status: "running" });
  console.say(`Run #${number} is recorded. ${next} Agents may pull its steps.`);
}
