// `pawl project status`, `rules`, `prompt`, `budget` and `read`. Owns: printing them; none changes anything.

import type { Command } from "commander";
import { projectBudget } from "../../../application/agentic/budget.ts";
import { sayFound } from "../../../application/agentic/found.ts";
import { projectStatus } from "../../../application/agentic/known-projects.ts";
import { projectAt } from "../../../application/agentic/place.ts";
import { effectiveTable, type PromptRequest, projectPrompt } from "../../../application/agentic/prompts.ts";
import { readSessionReport } from "../../../application/agentic/read-report.ts";
import { viewProject } from "../../../application/agentic/view.ts";
import { applicationHere, withApplication } from "../../opened.ts";
import type { Console } from "../../output/console.ts";
import { example } from "../../output/example.ts";
import { table } from "../../output/table.ts";
import { dirOption, type ProjectOptions } from "./options.ts";

export function defineLooking(project: Command, console: Console): void {
  project
    .command("status")
    .description("say where the project stands, in plain words")
    .option(...dirOption)
    .addHelpText("after", example("pawl project status"))
    .action(async (options: ProjectOptions) => {
      const { view, notes } = await withApplication(options, async (app) => {
        const place = await projectAt(app, options.dir);
        return { notes: await sayFound(app, place), view: await viewProject(app, place) };
      });
      if (console.json) return console.document(projectStatus(view, notes));
      console.print(view.report);
    });

  project
    .command("rules")
    .description("show the effective table of step rules")
    .option(...dirOption)
    .addHelpText("after", example("pawl project rules", "pawl project rules --json"))
    .action(async (options: ProjectOptions) => {
      const rules = await withApplication(options, async (app) => await effectiveTable(app, options.dir));
      if (console.json) return console.document(rules);
      for (const note of rules.notes) console.note(note);
      const cell = (value: unknown) =>
        typeof value === "object" && value !== null
          ? Object.entries(value)
              .map(([reason, step]) => `${reason}→${String(step)}`)
              .join(" ")
          : String((value as string | number | undefined) ?? "");
      const rows = Object.entries(rules.steps).map(([name, step]) => [
        name,
        cell(step["next_on_pass"]),
        cell(step["on_fail"] ?? step["next_on_fail"] ?? name),
        cell(step["max_attempts"]),
        cell(step["timeout_min"]),
      ]);
      console.print(table([["step", "on pass", "on fail", "attempts", "minutes"], ...rows]));
    });

  project
    .command("prompt")
    .description("print the next prompt, or that of a step, to forward it to an executor; needs no STATE.json")
    .option(...dirOption)
    .option("--step <step>", "this step; or bootstrap, glossary, nfr, integration-tests")
    .option("--story <story>", "this story (default: the one at work)")
    .option("--role <role>", "of this role of the step's team, or of its lead")
    .addHelpText("after", example("pawl project prompt --step bdd --story US-007", "pawl project prompt > prompt.txt"))
    .action(async (options: ProjectOptions & Pick<PromptRequest, "step" | "story" | "role">) => {
      const prompt = await withApplication(options, async (app) => await projectPrompt(app, options));
      if (console.json) return console.document(prompt);
      console.print(prompt.prompt);
    });
}

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
