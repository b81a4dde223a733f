// `pawl init`. Owns: looking at a repository and at the agents of this machine, writing down what was found, and saying what to do
// next.

import { relative, resolve } from "node:path";
import type { Command } from "commander";
import { agents, configuredExecutors } from "../../app.ts";
import { AppError } from "../../domain/error.ts";
import { ignoredOf, inspectProject, type Project } from "../../project/project.ts";
import { readConfig } from "../../runtime/config/config.ts";
import { findHome } from "../../system/home.ts";
import { shellWord } from "../../system/process/words.ts";
import { inspectRepository, type RepositoryFacts } from "../../workspaces/git/repository.ts";
import { type ConfigPlace, configPath, findConfigPlace, placeConfig } from "../config-place.ts";
import { configText } from "../config-text.ts";
import type { Console } from "../console.ts";
import { example } from "../example.ts";
import { type ChosenExecutor, chooseExecutor, type FoundAgent, lookForAgents } from "../found-agents.ts";
import { table } from "../table.ts";

interface Options {
  readonly repo?: string;
  readonly force?: boolean;
  readonly print?: boolean;
}

interface Findings {
  readonly facts: RepositoryFacts;
  readonly project: Project;
  readonly agents: readonly FoundAgent[];
  readonly chosen: ChosenExecutor | null;
}

export function define(program: Command, console: Console): void {
  program
    .command("init")
    .description("look at the repository and the agents that are installed, and write .pawl/config.yml")
    .option("--repo <dir>", "the repository (default: the one that one stands in)")
    .option("--force", "write the file anew; the old one is kept as config.yml.bak")
    .option("--print", "print what would be written, and write nothing")
    .addHelpText("after", example("pawl init", "pawl init --print"))
    .action(async (options: Options) => {
      const facts = await repositoryAt(resolve(options.repo ?? "."));
      const place = findConfigPlace(facts.root);
      if (place.isTaken && !options.force && !options.print) throw alreadyThere(place);
      const findings = await lookAround(facts);
      const text = configText(findings.project, findings.chosen?.shared ?? null);
      const kept = options.print ? null : placeConfig(place, text);
      const next = nextCommands(findings);
      if (console.json) {
        const config = { file: place.file, written: !options.print, kept, ...(options.print ? { text } : {}) };
        return console.document({ ...documentOf(findings), config, next });
      }
      if (options.print) console.write(text);
      sayFindings(console, findings);
      if (options.print) return console.say(`\nNothing was written. Next: ${next.join(" ; ")}`);
      console.say(
        `\n${configPath} is written${kept === null ? "" : `; the old one is ${relative(facts.root, kept)}`}.`,
      );
      await sayWhatToDoWithIt(console, facts);
      for (const command of next) console.print(command);
    });
}

async function repositoryAt(dir: string): Promise<RepositoryFacts> {
  const facts = await inspectRepository(dir);
  if (!facts.isBare) return facts;
  throw new AppError("REPOSITORY_UNUSABLE", `${facts.root} is a bare repository: it has no files to look at`, {
    hint: "clone it, call `pawl init` in the clone, and commit the file there",
  });
}

function alreadyThere({ file }: ConfigPlace): AppError {
  return new AppError("REFUSED", `${file} is there already; nothing was changed`, {
    hint: "`pawl init --print` shows what would be written; `--force` writes it and keeps the old file as config.yml.bak",
  });
}

async function lookAround(facts: RepositoryFacts): Promise<Findings> {
  // Of the configuration only the user's own part: the repository's is what is being written.
  const config = await readConfig(findHome(process.env).configFile, null, agents);
  const executors = configuredExecutors(config);
  const [project, found] = await Promise.all([inspectProject(facts), lookForAgents(executors)]);
  return { facts, project, agents: found, chosen: chooseExecutor(executors, found) };
}

/** What to type now, in order. */
function nextCommands({ facts, project, chosen }: Findings): readonly string[] {
  if (chosen === null) return ["pawl demo"];
  const { root, head, branch } = facts;
  const isElsewhere = /^\.\.(?:\/|$)/.test(relative(root, process.cwd()));
  const isOnBase = project.baseBranch === null || project.baseBranch === branch;
  const run = [
    'pawl run feature-dev "What you want, in a sentence"',
    ...(isElsewhere ? ["--repo", shellWord(root)] : []),
    ...(head === null || isOnBase ? [] : ["--base", shellWord(project.baseBranch)]),
    ...(chosen.isUsual || chosen.shared !== null ? [] : ["--executor", shellWord(chosen.name)]),
  ].join(" ");
  const git = isElsewhere ? `git -C ${shellWord(root)}` : "git";
  return head === null ? [`${git} add -A && ${git} commit -m start`, run] : [run];
}

function sayFindings(console: Console, findings: Findings): void {
  const { project, agents, chosen } = findings;
  console.say(table(rowsOf(findings)));
  for (const note of project.notes) console.note(note);
  // How to get one, where there is none, and not seven times what else there is to choose; else what is wrong with those that are there.
  for (const { name, installed, isAbsent, problem, hint } of agents) {
    if (!installed && !isAbsent) console.say(`hint: ${problem}: ${hint}`);
    else if (isAbsent && chosen === null) console.say(`hint: ${name}: ${hint.split(", or ")[0]}`);
  }
  if (chosen === null)
    console.say("hint: `pawl demo` shows a run without any; every program can be one: --executor 'command: PROGRAM'");
}

function rowsOf({ facts, project, agents, chosen }: Findings): readonly (readonly string[])[] {
  const { commands } = project;
  const none = "none was found";
  const absent = agents.filter(({ isAbsent }) => isAbsent).map(({ name }) => name);
  const found = agents
    .filter(({ installed }) => installed)
    .map(
      ({ name, version }) => `${[name, version ?? ""].join(" ").trim()}${name === chosen?.name ? " (default)" : ""}`,
    );
  return [
    ["repository", facts.root],
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

async function sayWhatToDoWithIt(console: Console, { root }: RepositoryFacts): Promise<void> {
  const isIgnored = (await ignoredOf(root, [configPath])).length > 0;
  if (isIgnored) console.note(`git ignores ${configPath} here: nobody else will have it`);
  else console.say("Look at it and commit it, so that everybody has it; secrets do not belong there. Then:");
}

function documentOf({ facts, project, agents, chosen }: Findings): object {
  return {
    repo: facts.root,
    baseBranch: project.baseBranch,
    languages: project.languages,
    tools: project.managers,
    commands: project.commands,
    localFiles: project.localFiles,
    agents: agents.map((agent) => ({ ...agent, isDefault: agent.name === chosen?.name })),
    notes: project.notes,
  };
}
