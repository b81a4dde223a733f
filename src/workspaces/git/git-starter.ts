// The git starter, a program: calls git for its parent, which says how in messages, and ends with it. See `started.ts` for why.

import { callGit } from "./git-call.ts";
import type { StarterAnswer, StarterCall } from "./started.ts";

const parent = Number(process.argv[2]);

process.on("disconnect", () => process.exit());
process.on("message", (message) => void answer(message as StarterCall));
send("ready");

async function answer({ id, call }: StarterCall): Promise<void> {
  // The next process may be at work on the repository already.
  if (process.ppid !== parent) process.exit();
  send({ id, end: await callGit(call) });
}

function send(answered: StarterAnswer): void {
  // A parent that is gone needs no answer.
  process.send?.(answered, undefined, undefined, () => undefined);
}
