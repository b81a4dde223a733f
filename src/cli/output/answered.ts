// An answered gate. Owns: what is printed of it.

import type { Application } from "../../application/application.ts";
import { continuationOf } from "../../application/driving/continuation.ts";
import type { AnsweredGate } from "../../application/gates/gates.ts";
import type { Console } from "./console.ts";

export async function printAnswered(console: Console, app: Application, answered: AnsweredGate): Promise<void> {
  const { document, run, number } = answered;
  if (console.json) return console.document(document);
  const next = await continuationOf(app, { id: run, number, status: document.status });
  console.say(`Answered "${document.option}". ${next}`.trimEnd());
}
