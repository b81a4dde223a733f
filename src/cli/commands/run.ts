// `pawl run`. Owns: starting a run and driving it, with live progress, until it is done, failed or held.

import { resolve } from "node:path";
import type { Command } from "commander";
import { knownProtocols } from "../../app.ts";
import { tighten } from "../../runtime/config/config.ts";
import { beginRun } from "../../runtime/runs/start.ts";
import { openWorkflow } from "../../runtime/runs/workflow-library.ts";
import { findHome } from "../../system/home.ts";
import type { Console } from "../console.ts";
import { driveToEnd } from "../driving.ts";
import { example } from "../example.ts";
import { readInput } from "../input.ts";
import { author, withSession } from "../session.ts";
import { announce, assertExecutors, chosenExecutor, collect, readContext, readCount } from "../starting.ts";

export interface RunOptions {
  readonly repo: string;
  readonly context: readonly string[];
  readonly executor?: string;
  readonly script?: string;
  readonly base?: string;
  readonly concurrency?: string;
  readonly detach?: boolean;
  readonly inPlace?: boolean;
  readonly events?: boolean;
  readonly store?: string;
}

export function define(program: Command, console: Console): void {
  defineRun(program, console);
}

/** Also `pawl workflow run`, antfarm's spelling. */
export function defineRun(parent: Command, console: Console): void {
  parent
    .command("run")
    .description("start a run and drive it until it is done, failed or held")
    .argument("<workflow>", "a bundled id, an installed id, or a path")
    .argument("<task...>", "what should be done; `-` reads it from stdin")
    .option("--repo <dir>", "the git repository to work on", ".")
    .option("--context <key=value>", "a value for templates; may be given several times", collect, [])
    .option("--executor <name>", "use this executor for every agent; or 'command: PROGRAM ARGUMENT…'")
    .option("--script <file>", "play this script instead of an agent")
    .option("--base <branch>", "what the work starts from")
    .option("--concurrency <n>", "attempts at once")
    .option("--in-place", "work in the checkout itself; only if it is clean")
    .option("--detach", "only record the run; `resume` or agents that pull then move it")
    .option("--events", "one JSON event per line on stdout, as it happens")
    .addHelpText(
      "after",
      example(
        `pawl run feature-dev "Add a dark mode" --executor 'command: claude -p'`,
        'pawl run ./workflow.yml "Fix the login" --script script.yml',
      ),
    )
    .action(async (workflow: string, words: string[], options: RunOptions) => {
      await startAndDrive(console, workflow, words, options);
    });
}

async function startAndDrive(
  console: Console,
  name: string,
  words: readonly string[],
  options: RunOptions,
): Promise<void> {
  const workflow = openWorkflow(findHome(process.env), name, knownProtocols);
  const executor = chosenExecutor(options);
  const concurrency = readCount(options.concurrency);
  const context = readContext(options.context);
  await withSession({ store: options.store, repo: resolve(options.repo) }, async (session) => {
    const { parts, config } = session;
    for (const warning of [
      ...config.warnings,
      ...workflow.warnings.map((problem) => `${name}:${problem.line}: ${problem.message}`),
    ])
      console.note(warning);
    if (!options.detach) await assertExecutors(parts, workflow, executor);
    const started = await beginRun(parts, {
      workflow,
      task: await readInput(words),
      repo: options.repo,
      base: options.base ?? null,
      inPlace: options.inPlace ?? false,
      context,
      executor,
      author: author(),
      tighten: (definition) => tighten(config, definition),
      project: config.project,
    });
    for (const note of started.notes) console.note(note);
    if (options.detach) return announce(console, workflow, started);
    if (!options.events) console.say(`Run #${started.number} (${started.run})`);
    await driveToEnd(console, session, { ...started, events: options.events ?? false, concurrency });
  });
}
