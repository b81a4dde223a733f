// `pawl resume`. Owns: going on with a run, whatever stopped it: a pause, a crash, Ctrl-C, an answered gate.

import type { Command } from "commander";
import { AppError } from "../../domain/error.ts";
import { transition } from "../../runtime/runs/transition.ts";
import type { Console } from "../console.ts";
import { driveToEnd } from "../driving.ts";
import { example } from "../example.ts";
import { findRun } from "../reference.ts";
import { author, withSession } from "../session.ts";

export function define(parent: Command, console: Console): void {
  parent
    .command("resume")
    .description("drive a run until it is done, failed or held")
    .argument("<run>", "its id, a prefix of it, or its number")
    .option("--events", "one JSON event per line on stdout, as it happens")
    .option("--concurrency <n>", "attempts at once")
    .addHelpText("after", example("pawl resume 3"))
    .action(async (reference: string, options: { events?: boolean; store?: string; concurrency?: string }) => {
      // The run says which repository's configuration counts, so the store is opened twice.
      const repo = await withSession(
        { store: options.store },
        async ({ parts }) => (await findRun(parts.store, reference)).repo,
      );
      await withSession({ store: options.store, repo }, async (session) => {
        const { parts } = session;
        const run = await findRun(parts.store, reference);
        const since = parts.clock.now();
        const decision = await transition(parts, run.id, {
          type: "resume_run",
          at: parts.clock.now(),
          author: author(),
        });
        if (!decision.accepted && run.status !== "done") {
          throw new AppError("REFUSED", `run #${run.number}: ${decision.why}`, {
            hint: `\`pawl status ${run.number}\` shows where it stands`,
          });
        }
        const concurrency = options.concurrency === undefined ? null : Number(options.concurrency);
        await driveToEnd(console, session, {
          run: run.id,
          number: run.number,
          events: options.events ?? false,
          concurrency,
          since,
        });
      });
    });
}
