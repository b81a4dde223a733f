// A question on a terminal that is answered with yes or no. Nothing is asked without a terminal: the caller looks first.

import { createInterface } from "node:readline";
import type { Console } from "../output/console.ts";

export type YesOrNo = "yes" | "no" | "interrupted";

export function canAsk(console: Console): boolean {
  return !console.json && process.stdin.isTTY && process.stderr.isTTY;
}

/** The end of the input (Ctrl-D) is a no. Ctrl-C interrupts: the terminal does not send a signal while a line is read. */
export async function askYesOrNo(question: string, yes = /^y(?:es)?$/i): Promise<YesOrNo> {
  const lines = createInterface({ input: process.stdin, output: process.stderr });
  const answer = await new Promise<YesOrNo | "closed">((resolve) => {
    lines.once("SIGINT", () => resolve("interrupted"));
    lines.once("close", () => resolve("closed"));
    lines.question(question, (line) => resolve(yes.test(line.trim()) ? "yes" : "no"));
  });
  lines.close();
  // Nobody has ended the line of the question.
  if (answer === "interrupted" || answer === "closed") process.stderr.write("\n");
  return answer === "closed" ? "no" : answer;
}
