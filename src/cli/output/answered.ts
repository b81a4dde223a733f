// An answered gate. Owns: what is printed of it.

import type { AnsweredGate } from "../../application/gates.ts";
import type { Console } from "./console.ts";

export function printAnswered(console: Console, { document, number, isOver }: AnsweredGate): void {
  if (console.json) return console.document(document);
  console.say(`Answered "${document.option}".${isOver ? "" : ` \`pawl resume ${number}\` continues the run.`}`);
}
