// `pawl runs`. Owns: the list of runs as a table.

import type { Command } from "commander";
import { serviceHere } from "../../../application/driving/hand-over.ts";
import { runs } from "../../../application/looking/runs.ts";
import { firstLine } from "../../../application/references.ts";
import type { RunDocument } from "../../../contracts/run-documents.ts";
import { summaryOf } from "../../catalogue.ts";
import { readLimitOption } from "../../input/run-options.ts";
import { withApplication } from "../../opened.ts";
import type { Console } from "../../output/console.ts";
import { example } from "../../output/example.ts";
import { noRunYet, statusText } from "../../output/run-words.ts";
import { durationText, table } from "../../output/table.ts";

export function define(parent: Command, console: Console): void {
  parent
    .command("runs")
    .description(summaryOf("runs"))
    .option("--limit <n>", "how many", "50")
    .addHelpText("after", example("pawl runs --limit 10"))
    .action(async (options: { limit: string; store?: string }) => {
      const limit = readLimitOption(options.limit);
      const { document, service } = await withApplication(options, async (app) => ({
        document: await runs(app, limit),
        service: serviceHere(app),
      }));
      if (console.json) return console.document(document);
      if (document.runs.length === 0) return console.say(noRunYet);
      const now = Date.now();
      const head = ["#", "id", "workflow", "status", "time", "task"];
      console.print(table([head, ...document.runs.map((run) => row(run, now))]));
      for (const { id, number, status, driver } of document.runs) {
        const trouble = status === "running" && driver === null ? service?.troubles[id] : undefined;
        if (trouble !== undefined)
          console.note(`the service cannot drive run #${number}: ${trouble.why}; ${trouble.hint}`);
      }
    });
}

function row(run: RunDocument, now: number): readonly string[] {
  const end = run.endedAt === null ? now : Date.parse(run.endedAt);
  const took = durationText(end - Date.parse(run.startedAt));
  return [String(run.number), run.id, run.workflow, statusText(run), took, firstLine(run.task)];
}
