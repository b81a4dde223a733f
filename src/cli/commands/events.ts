// `pawl events`. Owns: what happened in a run, as lines for people or one JSON event per line.

import type { Command } from "commander";
import type { RunId } from "../../domain/ids.ts";
import type { Parts } from "../../runtime/parts.ts";
import { isoTime } from "../../runtime/views/status.ts";
import type { Console } from "../console.ts";
import { eventDocument } from "../documents.ts";
import { example } from "../example.ts";
import { followRun } from "../follow.ts";
import { lineOf, rememberNames } from "../lines.ts";
import { findRunOrNewest } from "../reference.ts";
import { withSession } from "../session.ts";

const batch = 500;

export function define(parent: Command, console: Console): void {
  parent
    .command("events")
    .description("what happened, in order; with --json one JSON event per line")
    .argument("[run]", "its id, a prefix of it, or its number; the newest without it")
    .option("--follow", "go on until the run is over")
    .addHelpText("after", example("pawl events 3 --follow", "pawl events 3 --json | jq .type"))
    .action(async (reference: string | undefined, options: { follow?: boolean; store?: string }) => {
      await withSession({ store: options.store }, async ({ parts }) => {
        const { id } = await findRunOrNewest(parts.store, reference);
        const names = new Map<string, string>();
        let seen = 0;
        const print = async () => {
          seen = await printFrom(console, parts, id, seen, names);
        };
        await (options.follow ? followRun(parts, id, print) : print());
      });
    });
}

async function printFrom(
  console: Console,
  parts: Parts,
  run: RunId,
  after: number,
  names: Map<string, string>,
): Promise<number> {
  let seen = after;
  for (;;) {
    const events = await parts.store.events(run, seen, batch);
    for (const { seq, event } of events) {
      seen = seq;
      rememberNames(event, names);
      const line = lineOf(event, names);
      if (console.json) console.print(JSON.stringify(eventDocument(seq, event)));
      else
        console.print(
          `${isoTime(event.at)}  ${line ? `${line.mark} ${line.text}` : `  ${event.story ? `${event.story} ` : ""}${event.type}`}`,
        );
    }
    if (events.length < batch) return seen;
  }
}
