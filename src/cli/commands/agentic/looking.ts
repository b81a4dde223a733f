// `pawl project budget` and `read`. Owns: printing them; neither changes anything.

import type { Command } from "commander";
import { projectBudget } from "../../../application/agentic/budget.ts";
import { readSessionReport } from "../../../application/agentic/read-report.ts";
import { applicationHere, withApplication } from "../../opened.ts";
import type { Console } from "../../output/console.ts";
import { example } from "../../output/example.ts";
import { table } from "../../output/table.ts";
import { dirOption, type ProjectOptions } from "./options.ts";

export function defineBudget(project: Command, console: Console): void {
  project
    .command("budget")
    .description("show the tokens that each step is planned to need, and what attempts reported")
    .option(...dirOption)
    .addHelpText("after", example("pawl project budget"))
    .action(async (options: ProjectOptions) => {
      const budget = await withApplication(options, async (app) => await projectBudget(app, options.dir));
      if (console.json) return console.document(budget);
      const rows = budget.steps.map(({ step, read, output, used, verdict }) => [
        step,
        span(read),
        span(output),
        used === null ? "" : `${used.read.toLocaleString("en")} / ${used.output.toLocaleString("en")}`,
        verdict ?? "",
      ]);
      console.print(table([["step", "read", "output", "used", ""], ...rows]));
      console.print(`\none story        ${span(budget.story)} tokens, 1×`);
      console.print(`three executors  ${span(budget.team)} tokens, about 2 to 3× faster`);
      console.print("orchestrator     0: Pawl decides without a model");
      for (const { story, tokens, verdict } of budget.stories)
        console.print(`${story}  ${tokens.toLocaleString("en")} tokens, ${verdict}`);
    });
}

export function defineRead(project: Command, console: Console): void {
  project
    .command("read")
    .description("say what Pawl makes of a hand-off or an executor-result")
    .argument("<file>", "HANDOFF.md or executor-result")
    .addHelpText("after", example("pawl project read .ai/HANDOFF.md --json"))
    .action((file: string) => {
      const reading = readSessionReport(applicationHere(), file);
      if (console.json) return console.document(reading);
      const { story, step, attempt, status, reason, tests } = reading;
      console.print(
        table([
          ["status", status ?? "cannot be read"],
          ["reason", reason ?? ""],
          ["about", [story, step, attempt === null ? null : `attempt ${attempt}`].filter((each) => each).join(" ")],
          ["tests", tests === null ? "" : `${tests.pass} pass, ${tests.fail} fail, ${tests.skip} skip`],
        ]),
      );
      for (const note of reading.notes) console.note(note);
    });
}

function span({ from, to }: { readonly from: number; readonly to: number }): string {
  return from === to ? String(from) : `${from.toLocaleString("en")}–${to.toLocaleString("en")}`;
}
