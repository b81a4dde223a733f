// `pawl workflow`. Owns: workflow files: list, show, check, schema, simulate, install; and antfarm's spelling of running.

import { basename } from "node:path";
import type { Command } from "commander";
import { knownProtocols } from "../../app.ts";
import { exitCodes } from "../../domain/error.ts";
import { actFor, readScript } from "../../executors/script.ts";
import { type Playbook, simulate } from "../../runtime/runs/simulate.ts";
import {
  findWorkflow,
  installWorkflow,
  listWorkflows,
  missingRoleFiles,
  openWorkflow,
  readWorkflow,
  uninstallWorkflow,
} from "../../runtime/runs/workflow-library.ts";
import { findHome } from "../../system/home.ts";
import { formatProblem } from "../../workflows/document/problem.ts";
import { workflowJsonSchema } from "../../workflows/format/schema.ts";
import { loadWorkflow } from "../../workflows/load.ts";
import { drawWorkflow } from "../../workflows/picture.ts";
import type { Console } from "../console.ts";
import { eventDocument } from "../documents.ts";
import { exitCodeOf } from "../driving.ts";
import { example } from "../example.ts";
import { readText } from "../input.ts";
import { lineOf, rememberNames } from "../lines.ts";
import { table } from "../table.ts";
import { defineCancel } from "./cancel.ts";
import { define as defineResume } from "./resume.ts";
import { defineRun } from "./run.ts";
import { define as defineRuns } from "./runs.ts";
import { defineQuery } from "./status.ts";

export function define(program: Command, console: Console): void {
  const workflow = program.command("workflow").description("workflow files, and antfarm's spelling of running them");
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
    .description("bundled and installed workflows")
    .addHelpText("after", example("pawl workflow list"))
    .action(() => {
      const home = findHome(process.env);
      const found = listWorkflows(home).map((entry) => {
        const { definition } = loadWorkflow(readWorkflow(entry.file), entry.file, knownProtocols.facts);
        return {
          id: entry.id,
          origin: entry.origin,
          title: definition?.title ?? "(cannot be loaded)",
          steps: definition?.steps.map((step) => step.name) ?? [],
        };
      });
      if (console.json) return console.document({ workflows: found });
      console.print(table(found.map((entry) => [entry.id, entry.origin, entry.title, entry.steps.join(" → ")])));
    });

  workflow
    .command("show")
    .description("the chain as a picture in text")
    .argument("<workflow>", "an id or a path")
    .addHelpText("after", example("pawl workflow show feature-dev"))
    .action((name: string) => {
      const { definition, file, origin } = openWorkflow(findHome(process.env), name, knownProtocols);
      if (console.json) return console.document({ file, origin, definition });
      console.print(drawWorkflow(definition));
    });

  workflow
    .command("schema")
    .description("the JSON Schema of workflow files, for editors")
    .addHelpText("after", example("pawl workflow schema > workflow.schema.json"))
    .action(() => console.document(workflowJsonSchema()));
}

function defineCheck(workflow: Command, console: Console): void {
  workflow
    .command("check")
    .alias("validate")
    .description("every problem with its line, what was expected and a hint")
    .argument("<workflow>", "a path or an id")
    .addHelpText("after", example("pawl workflow check ./workflow.yml"))
    .action((name: string) => {
      const { file } = findWorkflow(findHome(process.env), name);
      const { definition, problems, notes } = loadWorkflow(readWorkflow(file), file, knownProtocols.facts);
      console.exitCode = definition === null ? exitCodes.usage : exitCodes.done;
      if (console.json) return console.document({ file, ok: definition !== null, problems, notes });
      for (const problem of problems) console.print(formatProblem(problem, basename(file)));
      for (const note of notes) console.note(note);
      for (const source of definition ? missingRoleFiles(definition, file) : [])
        console.note(`the role file ${source} is missing`);
      const errors = problems.filter((problem) => problem.severity === "error").length;
      console.say(
        definition
          ? `${name} is fine${problems.length > 0 ? `, with ${problems.length} warnings` : ""}.`
          : `${errors} problems.`,
      );
    });
}

function defineSimulate(workflow: Command, console: Console): void {
  workflow
    .command("simulate")
    .description("play a run without touching git or starting a process, and print the path it took")
    .argument("<workflow>", "a path or an id")
    .requiredOption("--script <file>", "what the agents would answer")
    .option("--task <text>", "the task", "a simulated task")
    .addHelpText("after", example("pawl workflow simulate ./workflow.yml --script script.yml"))
    .action((name: string, options: { script: string; task: string }) => {
      const { definition } = openWorkflow(findHome(process.env), name, knownProtocols);
      const script = readScript(readText(options.script), options.script);
      const play = (cue: Parameters<Playbook>[0]) => {
        const act = actFor(script, cue);
        return act && { text: act.say ?? "", exit: act.exit ?? 0, edits: act.edits };
      };
      const played = simulate(definition, options.task, play, knownProtocols.of(definition));
      console.exitCode = played.unanswered === null ? exitCodeOf(played.status) : exitCodes.usage;
      if (console.json) {
        return console.document({
          status: played.status,
          unanswered: played.unanswered,
          path: played.events.map((event, index) => eventDocument(index + 1, event)),
        });
      }
      const names = new Map<string, string>();
      for (const event of played.events) {
        rememberNames(event, names);
        const line = lineOf(event, names);
        if (line) console.print(`${line.mark} ${line.text}`);
      }
      if (played.unanswered !== null)
        console.say(`The script has no act for "${played.unanswered}"; add one under \`steps:\`.`);
    });
}

function defineInstalling(workflow: Command, console: Console): void {
  workflow
    .command("install")
    .description("keep a copy under Pawl's home, with its role files")
    .argument("<workflow>", "a path or an id")
    .addHelpText("after", example("pawl workflow install ./my-workflow"))
    .action((name: string) => {
      const installed = installWorkflow(findHome(process.env), name, knownProtocols);
      if (console.json) return console.document(installed);
      for (const source of installed.missing)
        console.note(`the role file ${source} is missing or outside the directory; its agent works without it`);
      console.say(`Installed. \`pawl run ${installed.id} "…"\` uses it.`);
    });

  workflow
    .command("uninstall")
    .description("remove an installed copy; runs keep their own")
    .argument("<id>")
    .addHelpText("after", example("pawl workflow uninstall my-workflow"))
    .action((id: string) => {
      uninstallWorkflow(findHome(process.env), id);
      if (console.json) console.document({ id, uninstalled: true });
      else console.say(`Uninstalled ${id}.`);
    });
}
