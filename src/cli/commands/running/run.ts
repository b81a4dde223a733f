// `pawl run`. Owns: starting a run and driving it, with live progress, until it is done, failed or held.

import type { Command } from "commander";
import type { Application } from "../../../application/application.ts";
import { type DriveRequest, run } from "../../../application/driving/drive.ts";
import { type StartRequest, start } from "../../../application/starting/start.ts";
import { summaryOf } from "../../catalogue.ts";
import { eventsOption, foregroundOption, trustOption } from "../../input/arguments.ts";
import { readInput } from "../../input/input.ts";
import { collect, readContext, readCount } from "../../input/run-options.ts";
import { askForTrust } from "../../input/trust-question.ts";
import { readWaits } from "../../input/waits-level.ts";
import { withApplication } from "../../opened.ts";
import type { Console } from "../../output/console.ts";
import { watchDrive } from "../../output/driving.ts";
import { example } from "../../output/example.ts";
import { printStarted } from "../../output/started.ts";

interface RunOptions {
  readonly trust?: boolean;
  readonly repo: string;
  readonly context?: readonly string[];
  readonly executor?: string;
  readonly script?: string;
  readonly base?: string;
  readonly waits?: string;
  readonly concurrency?: string;
  readonly detach?: boolean;
  readonly foreground?: boolean;
  readonly inPlace?: boolean;
  readonly events?: boolean;
  readonly store?: string;
}

/** Also `pawl workflow run`, antfarm's spelling. */
export function define(parent: Command, console: Console): void {
  parent
    .command("run")
    .description(summaryOf("run"))
    .argument("<workflow>", "a bundled id, an installed id, or a path")
    .argument("<task...>", "what should be done; `-` reads it from stdin")
    .option("--repo <dir>", "the git repository to work on", ".")
    .option("--context <key=value>", "a value for templates; can be given several times", collect)
    .option("--executor <name>", "use this executor for every agent; or 'command: PROGRAM ARGUMENT…'")
    .option("--script <file>", "play this script instead of an agent")
    .option("--base <branch>", "what the work starts from")
    .option("--concurrency <n>", "attempts at once")
    .option("--waits <level>", "ask before all steps, the marked ones (default), or none")
    .option("--in-place", "work in the checkout itself; only if it is clean")
    .option("--detach", "only record the run; a service, `resume`, or agents that pull then move it")
    .option(...foregroundOption)
    .option(...trustOption)
    .option(...eventsOption)
    .addHelpText(
      "after",
      example(
        `pawl run feature-dev "Add a dark mode" --executor 'command: claude -p'`,
        'pawl run ./workflow.yml "Fix the login" --script script.yml',
      ),
    )
    .action(async (workflow: string, words: string[], options: RunOptions) => {
      const concurrency = readCount(options.concurrency);
      const { repo, executor, script, base, inPlace } = options;
      const context = readContext(options.context);
      const task = await readInput(words);
      const waits = readWaits(options.waits);
      const request = { workflow, task, repo, executor, script, base, inPlace, context, waits };
      await withApplication(options, async (app) => {
        await askForTrust(console, app, repo);
        await (options.detach
          ? record(console, app, request)
          : drive(console, app, { ...request, concurrency, mayHandOver: options.foreground !== true }, options));
      });
    });
}

async function record(console: Console, app: Application, request: StartRequest): Promise<void> {
  const onNote = (note: string) => console.note(note);
  await printStarted(console, app, await start(app, { ...request, mayWait: true, onNote }));
}

async function drive(
  console: Console,
  app: Application,
  request: StartRequest & Pick<DriveRequest, "concurrency" | "mayHandOver">,
  { events = false }: RunOptions,
): Promise<void> {
  const announce = (accepted: { readonly number: number; readonly run: string }) => {
    if (!events) console.say(`Run #${accepted.number} (${accepted.run})`);
  };
  await watchDrive(console, app, { events, announce }, async (watched) => await run(app, { ...request, ...watched }));
}
