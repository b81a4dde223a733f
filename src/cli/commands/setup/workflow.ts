// `pawl workflow`. Owns: workflow files: list, show, check, schema, simulate, install; and antfarm's spelling of running.

import type { Command } from "commander";
import { eventDocument } from "../../../application/looking/events.ts";
import {
  checkWorkflow,
  install,
  workflow as openWorkflow,
  simulateWorkflow,
  uninstall,
  workflows,
} from "../../../application/workflows/workflows.ts";
import { counted } from "../../../domain/counted.ts";
import { exitCodes } from "../../../domain/error.ts";
import { lineOf, rememberNames } from "../../../transcript/event-line.ts";
import { formatProblem } from "../../../workflows/document/problem.ts";
import { workflowJsonSchema } from "../../../workflows/format/schema.ts";
import { drawWorkflow } from "../../../workflows/picture.ts";
import { summaryOf } from "../../catalogue.ts";
import { applicationHere } from "../../opened.ts";
import type { Console } from "../../output/console.ts";
import { example } from "../../output/example.ts";
import { exitCodeOf } from "../../output/run-end.ts";
import { table } from "../../output/table.ts";
import { define as defineRuns } from "../looking/runs.ts";
import { defineQuery } from "../looking/status.ts";
import { defineCancel } from "../running/cancel.ts";
import { define as defineResume } from "../running/resume.ts";
import { define as defineRun } from "../running/run.ts";

const workflowArgument = ["<workflow>", "an id or a path"] as const;

export function define(program: Command, console: Console): void {
  const workflow = program.command("workflow").description(`${summaryOf("workflow")}, and run them as antfarm does`);
  defineLooking(workflow, console);
  defineCheck(workflow, console);
  defineSimulate(workflow, console);
  defineInstalling(workflow, console);
  defineRun(workflow, console);
  defineQuery(workflow, console);
  defineRuns(workflow, console);
  defineResume(workflow, console);
  defineCancel(workflow, console, "stop");
}

function defineLooking(workflow: Command, console: Console): void {
  workflow
    .command("list")
    .description("list bundled and installed workflows")
    .addHelpText("after", example("pawl workflow list"))
    .action(() => {
      const document = workflows(applicationHere());
      if (console.json) return console.document(document);
      console.print(
        table(document.workflows.map((entry) => [entry.id, entry.origin, entry.title, entry.steps.join(" → ")])),
      );
    });

  workflow
    .command("show")
    .description("draw the chain in text")
    .argument(...workflowArgument)
    .addHelpText("after", example("pawl workflow show feature-dev"))
    .action((name: string) => {
      const document = openWorkflow(applicationHere(), name);
      if (console.json) return console.document(document);
      console.print(drawWorkflow(document.definition));
    });

  workflow
    .command("schema")
    .description("print the JSON Schema of workflow files, for editors")
    .addHelpText("after", example("pawl workflow schema > workflow.schema.json"))
    .action(() => console.jsonSchema(workflowJsonSchema(applicationHere().protocols.facts.map(({ name }) => name))));
}

function defineCheck(workflow: Command, console: Console): void {
  workflow
    .command("check")
    .alias("validate")
    .description("print every problem with its line, what was expected and a hint")
    .argument(...workflowArgument)
    .addHelpText("after", example("pawl workflow check ./workflow.yml"))
    .action((name: string) => {
      const { document, shown, missing } = checkWorkflow(applicationHere(), name);
      const { ok, problems, notes } = document;
      console.exitCode = ok ? exitCodes.done : exitCodes.usage;
      if (console.json) return console.document(document);
      for (const problem of problems) console.print(formatProblem(problem, shown));
      for (const note of notes) console.note(note);
      for (const source of missing) console.note(`the role file ${source} is missing`);
      const errors = problems.filter((problem) => problem.severity === "error").length;
      const warnings = problems.length === 0 ? "" : `, with ${counted(problems.length, "warning")}`;
      console.say(ok ? `${shown} is fine${warnings}.` : `${counted(errors, "problem")}.`);
    });
}

interface SimulateOptions {
  readonly script?: string;
  readonly answer?: readonly string[];
  readonly task: string;
}

function defineSimulate(workflow: Command, console: Console): void {
  workflow
    .command("simulate")
    .description("play a run without git and without processes, and print the path it took")
    .argument(...workflowArgument)
    .option("--script <file>", "what the agents would answer (default: every step passes)")
    .option("--answer <step=option...>", "what a person answers; without a script, the first option")
    .option("--task <text>", "the task", "a simulated task")
    .addHelpText("after", example("pawl workflow simulate ./workflow.yml --answer review=approve"))
    .action((name: string, { script, answer = [], task }: SimulateOptions) => {
      const request = { script: script ?? null, answers: answer, task };
      const { status, unanswered, notes, events } = simulateWorkflow(applicationHere(), name, request);
      console.exitCode = unanswered === null ? exitCodeOf(status) : exitCodes.usage;
      if (console.json) {
        const path = events.map((event, index) => eventDocument({ seq: index + 1, event }));
        return console.document({ status, unanswered, notes, path });
      }
      const names = new Map<string, string>();
      for (const event of events) {
        rememberNames(event, names);
        const line = lineOf(event, names);
        if (line) console.print(`${line.mark} ${line.text}`);
      }
      for (const note of notes) console.note(note);
      if (unanswered !== null) console.say(`The script has no act for "${unanswered}"; add one under \`steps:\`.`);
    });
}

function defineInstalling(workflow: Command, console: Console): void {
  workflow
    .command("install")
    .description("keep a copy in Pawl's home, with its role files")
    .argument(...workflowArgument)
    .addHelpText("after", example("pawl workflow install ./my-workflow"))
    .action((name: string) => {
      const installed = install(applicationHere(), name);
      if (console.json) return console.document(installed);
      for (const source of installed.missing)
        console.note(`the role file ${source} is missing; its agent works without it`);
      console.say(`Installed. \`pawl run ${installed.id} "…"\` uses it.`);
    });

  workflow
    .command("uninstall")
    .description("remove an installed copy; runs keep their own")
    .argument("<id>")
    .addHelpText("after", example("pawl workflow uninstall my-workflow"))
    .action((id: string) => {
      uninstall(applicationHere(), id);
      if (console.json) console.document({ id, uninstalled: true });
      else console.say(`Uninstalled ${id}.`);
    });
}
