// Dynamic Ralph from the command line. Owns: what `prd run`, `prd import` and `agent run` share.

import type { Command } from "commander";
import { AppError } from "../domain/error.ts";
import { ralph } from "../protocols/ralph/ralph.ts";
import { tighten } from "../runtime/config/config.ts";
import type { GivenStories } from "../runtime/runs/run-request.ts";
import { beginRun } from "../runtime/runs/start.ts";
import { openWorkflow } from "../runtime/runs/workflow-library.ts";
import { findHome } from "../system/home.ts";
import type { Console } from "./console.ts";
import { driveToEnd } from "./driving.ts";
import { author, type Session } from "./session.ts";
import { announce, assertExecutors, chosenExecutor, collect, type Performer, readContext } from "./starting.ts";

export interface RalphOptions extends Performer {
  readonly repo: string;
  readonly context: readonly string[];
  readonly workflow: string;
  readonly base?: string;
  readonly lint?: string;
  readonly test?: string;
  readonly detach?: boolean;
  readonly events?: boolean;
  readonly store?: string;
}

export function addRalphOptions(command: Command): Command {
  return command
    .option("--repo <dir>", "the git repository to work on", ".")
    .option("--base <branch>", "the local branch that gets the commits (default: the one that is checked out)")
    .option("--executor <name>", "use this executor for every agent; or 'command: PROGRAM ARGUMENT…'")
    .option("--script <file>", "play this script instead of an agent")
    .option("--lint <command>", "how the project is linted (default: project.lint of the configuration)")
    .option("--test <command>", "how the project is tested (default: project.test of the configuration)")
    .option("--context <key=value>", "a value for templates; may be given several times", collect, [])
    .option("--workflow <name>", "a workflow of the same kind", "dynamic-ralph")
    .option("--detach", "only record the run; `resume` then drives it")
    .option("--events", "one JSON event per line on stdout, as it happens");
}

export interface RalphStart {
  readonly task: string;
  /** null: the task is the one story. */
  readonly given: GivenStories | null;
  readonly agents: number | null;
  readonly options: RalphOptions;
}

export async function startRalph(console: Console, session: Session, start: RalphStart): Promise<void> {
  const { parts, config } = session;
  const { options, given } = start;
  const workflow = openWorkflow(findHome(process.env), options.workflow, parts.protocols);
  if (workflow.definition.protocol !== ralph.name) {
    throw new AppError(
      "USAGE",
      `the workflow ${workflow.definition.id} does not work on stories that are given to it`,
      {
        hint: `use one with \`protocol: ralph\`, as dynamic-ralph is; others plan their stories: pawl run ${workflow.definition.id} "…"`,
      },
    );
  }
  const executor = chosenExecutor(options);
  const context = readContext(options.context);
  for (const warning of config.warnings) console.note(warning);
  if (!options.detach) await assertExecutors(parts, workflow, executor);
  const { project } = config;
  const started = await beginRun(parts, {
    workflow,
    task: start.task,
    repo: options.repo,
    base: options.base ?? null,
    inPlace: false,
    context,
    executor,
    author: author(),
    tighten: (definition) => tighten(config, definition),
    project: { ...project, lint: options.lint ?? project.lint, test: options.test ?? project.test },
    agents: start.agents,
    ...(given === null ? {} : { given }),
  });
  for (const note of started.notes) console.note(note);
  if (start.agents !== null && config.agents !== null && config.agents < start.agents)
    console.note(`the configuration allows ${config.agents} agents at once (concurrency.agents)`);
  if (options.detach) return announce(console, workflow, started);
  if (!options.events) console.say(`Run #${started.number} (${started.run})`);
  await driveToEnd(console, session, { ...started, events: options.events ?? false, concurrency: null });
}
