// `pawl init`. Owns: printing what was found in a repository and on this machine, and what to do next.

import { relative } from "node:path";
import type { Command } from "commander";
import { type Initialized, initialize } from "../../../application/setup/init.ts";
import type { InitDocument } from "../../../contracts/machine-documents.ts";
import { summaryOf } from "../../catalogue.ts";
import { applicationHere } from "../../opened.ts";
import type { Console } from "../../output/console.ts";
import { example } from "../../output/example.ts";
import { table } from "../../output/table.ts";

interface Options {
  readonly repo?: string;
  readonly force?: boolean;
  readonly print?: boolean;
}

export function define(program: Command, console: Console): void {
  program
    .command("init")
    .description(summaryOf("init"))
    .option("--repo <dir>", "the repository (default: the current one)")
    .option("--force", "replace the file; the old one is kept as config.yml.bak")
    .option("--print", "print what would be written, and write nothing")
    .addHelpText("after", example("pawl init", "pawl init --print"))
    .action(async ({ repo, force, print = false }: Options) => {
      const done = await initialize(applicationHere(), { repo, force, preview: print });
      if (console.json) return console.document(documentOf(done));
      if (print) console.write(done.text);
      sayFindings(console, done);
      if (print) return console.say(`\nNothing was written. Next: ${done.next.join(" ; ")}`);
      const { kept } = done.config;
      console.say(`\n${done.path} is written${kept === null ? "" : `; the old one is ${relative(done.root, kept)}`}.`);
      if (done.isIgnored) console.note(`git ignores ${done.path} here: others will not have it`);
      else console.say("Review and commit it, so that others have it too; secrets do not belong there. Then:");
      for (const command of done.next) console.print(command);
    });
}

function documentOf({ root, project, agents, defaultAgent, text, config, next }: Initialized): InitDocument {
  return {
    repo: root,
    baseBranch: project.baseBranch,
    languages: project.languages,
    tools: project.managers,
    commands: project.commands,
    localFiles: project.localFiles,
    agents: agents.map((agent) => ({ ...agent, isDefault: agent.name === defaultAgent })),
    notes: project.notes,
    config: { ...config, ...(config.written ? {} : { text }) },
    next,
  };
}

function sayFindings(console: Console, done: Initialized): void {
  const { project, agents, defaultAgent } = done;
  console.say(table(rowsOf(done)));
  for (const note of project.notes) console.note(note);
  // How to install an agent is only said where none can be used; what is wrong with an installed one is always said.
  for (const { name, installed, isAbsent, problem, hint } of agents) {
    if (!installed && !isAbsent) console.say(`hint: ${problem}: ${hint}`);
    else if (isAbsent && defaultAgent === null) console.say(`hint: ${name}: ${hint.split(", or ")[0]}`);
  }
  if (defaultAgent === null)
    console.say(
      "hint: `pawl demo` shows a run without an agent; any program can be one: --executor 'command: PROGRAM'",
    );
}

function rowsOf({ root, project, agents, defaultAgent }: Initialized): readonly (readonly string[])[] {
  const { commands } = project;
  const none = "none was found";
  const absent = agents.filter(({ isAbsent }) => isAbsent).map(({ name }) => name);
  const found = agents
    .filter(({ installed }) => installed)
    .map(
      ({ name, version }) => `${[name, version ?? ""].join(" ").trim()}${name === defaultAgent ? " (default)" : ""}`,
    );
  return [
    ["repository", root],
    ["base branch", project.baseBranch ?? none],
    ["languages", project.languages.join(", ") || none],
    ["tools", project.managers.join(", ") || none],
    ["test", commands.test ?? none],
    ["lint", commands.lint ?? none],
    ["types", commands.types ?? none],
    ["setup", commands.setup.join(", ") || none],
    ["agents", found.join(", ") || none],
    ...(absent.length === 0 ? [] : [["not installed", absent.join(", ")]]),
  ];
}
