// The question whether the commands of a repository may run, on a terminal. Without a terminal nothing is asked: the run is refused.

import { createInterface } from "node:readline/promises";
import type { Application } from "../../application/application.ts";
import { trust } from "../../application/setup/trust.ts";
import type { Console } from "../output/console.ts";

/** A "yes" is recorded as `pawl trust` records it; any other answer changes nothing. */
export async function askForTrust(console: Console, app: Application, repo: string): Promise<void> {
  if (console.json || app.trusts || !process.stdin.isTTY || !process.stderr.isTTY) return;
  const { commands, trusted } = await trust(app, { repo, act: "look" });
  if (trusted) return;
  for (const { key, command } of commands) console.say(`${key}: ${command}`);
  const lines = createInterface({ input: process.stdin, output: process.stderr });
  try {
    const answer = await lines.question(`run these commands of ${app.path(repo)}? [y/N] `);
    if (/^y(?:es)?$/i.test(answer.trim())) await trust(app, { repo, act: "agree" });
  } finally {
    lines.close();
  }
}
