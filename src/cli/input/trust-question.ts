// The question whether the commands of a repository may run, on a terminal. Without a terminal nothing is asked: the run is refused.

import type { Application } from "../../application/application.ts";
import { trust } from "../../application/setup/trust.ts";
import { exitCodes } from "../../domain/error.ts";
import type { Console } from "../output/console.ts";
import { askYesOrNo, canAsk } from "./question.ts";

/** A "yes" is recorded as `pawl trust` records it; any other answer changes nothing. */
export async function askForTrust(console: Console, app: Application, repo: string): Promise<void> {
  if (app.trusts || !canAsk(console)) return;
  const { commands, trusted } = await trust(app, { repo, act: "look" });
  if (trusted) return;
  for (const { key, command } of commands) console.say(`${key}: ${command}`);
  const answer = await askYesOrNo(`run these commands of ${app.path(repo)}? [y/N] `);
  if (answer === "yes") await trust(app, { repo, act: "agree" });
  // As a signal at any other moment of a command.
  if (answer === "interrupted") process.exit(exitCodes.interrupted);
}
