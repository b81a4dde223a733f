// `pawl run`. Owns: starting a run and driving it, with live progress, until it is done, failed or held.

import { resolve } from "node:path";
import type { Command } from "commander";
import { absoluteExecutor } from "../../app.ts";
import { engineKeys } from "../../domain/context.ts";
import { AppError } from "../../domain/error.ts";
import { readScript } from "../../executors/script.ts";
import { tighten } from "../../runtime/config.ts";
import { type LoadedWorkflow, openWorkflow } from "../../runtime/library.ts";
import type { Parts } from "../../runtime/parts.ts";
import { beginRun } from "../../runtime/start.ts";
import { findHome } from "../../system/home.ts";
import type { Console } from "../console.ts";
import { driveToEnd } from "../driving.ts";
import { example } from "../example.ts";
import { readInput, readText } from "../input.ts";
import { author, withSession } from "../session.ts";

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
  const workflow = openWorkflow(findHome(process.env), name);
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
    });
    for (const note of started.notes) console.note(note);
    if (options.detach) return announce(console, workflow, started);
    if (!options.events) console.say(`Run #${started.number} (${started.run})`);
    await driveToEnd(console, session, { ...started, events: options.events ?? false, concurrency });
  });
}

function announce(console: Console, workflow: LoadedWorkflow, started: { run: string; number: number }): void {
  if (console.json)
    return console.document({ run: { id: started.run, number: started.number, workflow: workflow.definition.id } });
  console.print(started.run);
  console.say(
    `Run #${started.number} is recorded. \`pawl resume ${started.number}\` drives it; agents may pull its steps.`,
  );
}

function chosenExecutor(options: RunOptions): string | null {
  if (options.script !== undefined) {
    const file = resolve(options.script);
    readScriptFile(file);
    return `scripted:${file}`;
  }
  return options.executor === undefined ? null : absoluteExecutor(options.executor, process.cwd());
}

function readScriptFile(file: string): void {
  readScript(readText(file), file);
}

/** Before anything is recorded: a run that nobody can perform helps nobody. */
async function assertExecutors(parts: Parts, { definition }: LoadedWorkflow, executor: string | null): Promise<void> {
  const names = new Set<string>();
  for (const agent of Object.keys(definition.agents)) {
    const name = parts.executors.nameFor({ executor, definition }, `${definition.id}/${agent}`);
    if (name === null) {
      throw new AppError("EXECUTOR_MISSING", `nobody is configured to be the agent "${agent}"`, {
        hint: "give one with --executor NAME or --executor 'command: PROGRAM', set default_executor in the configuration, or use --detach and let agents pull",
      });
    }
    if (name !== "pull") names.add(name);
  }
  for (const name of names) {
    const missing = await (await parts.executors.get(name)).missing();
    if (missing) throw new AppError("EXECUTOR_MISSING", missing.what, { hint: missing.hint });
  }
}

function collect(value: string, before: readonly string[]): readonly string[] {
  return [...before, value];
}

/** `a=1,b=2` is two values; a comma that no KEY= follows belongs to the value. */
function readContext(given: readonly string[]): Readonly<Record<string, string>> {
  const pairs = given.flatMap((text) => text.split(/,(?=[A-Za-z_][A-Za-z0-9_]*=)/)).map(readPair);
  for (const [key] of pairs) {
    if (key === "branch" || !engineKeys.has(key)) continue;
    const hint =
      key === "repo" ? "--repo DIR names the repository; agents work in a tree of their own" : "choose another name";
    throw new AppError("USAGE", `--context cannot set ${key}: Pawl itself sets it`, { hint });
  }
  return Object.fromEntries(pairs);
}

function readPair(text: string): readonly [string, string] {
  const match = /^([A-Za-z_][A-Za-z0-9_]*)=([^]*)$/.exec(text);
  if (match?.[1] === undefined)
    throw new AppError("USAGE", `"${text}" is not KEY=VALUE`, { hint: "for example --context ticket=ABC-12" });
  return [match[1].toLowerCase(), match[2] ?? ""];
}

function readCount(text: string | undefined): number | null {
  if (text === undefined) return null;
  const count = Number(text);
  if (Number.isInteger(count) && count >= 1 && count <= 64) return count;
  throw new AppError("USAGE", `--concurrency ${text} is not a number from 1 to 64`, {
    hint: "leave it out for the configured number",
  });
}
