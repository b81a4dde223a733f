// `pawl runs`. Owns: the list of runs, newest first.

import type { Command } from "commander";
import { AppError } from "../../domain/error.ts";
import { runDocument } from "../../runtime/views/status.ts";
import type { RunSummary } from "../../store/store.ts";
import type { Console } from "../console.ts";
import { example } from "../example.ts";
import { firstLine } from "../reference.ts";
import { withSession } from "../session.ts";
import { duration, table } from "../table.ts";

export function define(parent: Command, console: Console): void {
  parent
    .command("runs")
    .description("list runs, newest first")
    .option("--limit <n>", "how many", "50")
    .addHelpText("after", example("pawl runs --limit 10"))
    .action(async (options: { limit: string; store?: string }) => {
      const limit = Number(options.limit);
      if (!Number.isInteger(limit) || limit < 1)
        throw new AppError("USAGE", `--limit ${options.limit} is not a number`, { hint: "for example --limit 20" });
      await withSession({ store: options.store }, async ({ parts }) => {
        const runs = await parts.store.listRuns({ statuses: null, limit });
        if (console.json) return console.document({ runs: runs.map(runDocument) });
        if (runs.length === 0)
          return console.say('There is no run yet. Start one: pawl demo, or pawl run feature-dev "…"');
        console.print(
          table([["#", "id", "workflow", "status", "time", "task"], ...runs.map((run) => row(run, parts.clock.now()))]),
        );
      });
    });
}

function row(run: RunSummary, now: number): readonly string[] {
  const took = duration((run.endedAt ?? now) - run.startedAt);
  return [String(run.number), run.id, run.workflow, run.status, took, firstLine(run.task)];
}
