// `pawl worker list`. Owns: who works on the runs of a store, what waits for a worker, and which accounts cannot be used.

import type { Command } from "commander";
import { workOverview } from "../../../application/health/workers.ts";
import { type StoreOption, withApplication } from "../../opened.ts";
import type { Console } from "../../output/console.ts";
import { example } from "../../output/example.ts";
import { accountLines, machineLine, queueLine, workersTable } from "../../output/workers.ts";

export function defineList(worker: Command, console: Console): void {
  worker
    .command("list")
    .description(
      "list the processes that drive runs and perform attempts, what waits for them, and accounts that refuse",
    )
    .addHelpText("after", example("pawl worker list"))
    .action(async (options: StoreOption) => {
      const document = await withApplication(options, workOverview, { joins: true });
      if (console.json) return console.document(document);
      const { machines, workers, queues, accounts } = document;
      const now = Date.now();
      if (workers.length === 0) console.say("No process drives a run or performs an attempt now.");
      else console.print(workersTable(workers, now));
      for (const machine of machines) console.print(machineLine(machine, now));
      for (const queue of queues) console.print(queueLine(queue, now));
      for (const line of accountLines(accounts, now)) console.print(line);
      if (queues.some(({ attended }) => !attended))
        console.note("steps wait, and no process takes them; `pawl worker --slots 2` starts one that does");
    });
}
