// `pawl events`. Owns: what happened in a run, as lines for people or one JSON event per line.

import type { Command } from "commander";
import { eventDocument, events } from "../../../application/looking/events.ts";
import type { Event } from "../../../domain/event.ts";
import { lineOf, rememberNames } from "../../../transcript/event-line.ts";
import { summaryOf } from "../../catalogue.ts";
import { runOrNewest } from "../../input/arguments.ts";
import { withApplication } from "../../opened.ts";
import type { Console } from "../../output/console.ts";
import { example } from "../../output/example.ts";

export function define(parent: Command, console: Console): void {
  parent
    .command("events")
    .description(`${summaryOf("events")}; with --json one JSON event per line`)
    .argument("[run]", runOrNewest)
    .option("--follow", "continue until the run is over")
    .addHelpText("after", example("pawl events 3 --follow", "pawl events 3 --json | jq .type"))
    .action(async (reference: string | undefined, options: { follow?: boolean; store?: string }) => {
      const names = new Map<string, string>();
      await withApplication(options, async (app) => {
        for await (const stored of events(app, reference, { until: options.follow ? "over" : "now" })) {
          if (console.json) console.print(JSON.stringify(eventDocument(stored)));
          else console.print(lineWithTime(stored.event, names));
        }
      });
    });
}

function lineWithTime(event: Event, names: Map<string, string>): string {
  rememberNames(event, names);
  const line = lineOf(event, names);
  const text = line ? `${line.mark} ${line.text}` : `  ${minorLine(event, names)}`;
  return `${new Date(event.at).toISOString()}  ${text}`;
}

/** An event that tells a person nothing new: its type, and the step that it is about. */
function minorLine(event: Event, names: ReadonlyMap<string, string>): string {
  const attempted = "attempt" in event ? (names.get(event.attempt) ?? "") : "";
  const step = "step" in event ? event.step : attempted;
  return [event.story ?? "", event.type, step].filter((word) => word !== "").join(" ");
}
