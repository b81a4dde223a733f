// Options of Dynamic Ralph's commands. Owns: what `prd run`, `prd import` and `agent run` share, and printing how they ended.

import type { Command } from "commander";
import type { Application } from "../../../application/application.ts";
import type { AcceptedRun, DriveRequest } from "../../../application/driving/drive.ts";
import type { StoriesRequest, StoriesResult } from "../../../application/starting/stories-given.ts";
import { eventsOption, foregroundOption, trustOption } from "../../input/arguments.ts";
import { collect, readContext } from "../../input/run-options.ts";
import type { Console } from "../../output/console.ts";
import { watchDrive } from "../../output/driving.ts";
import { printStarted } from "../../output/started.ts";

/** As its workflows name it. */
const protocol = "ralph";

export interface StoriesOptions {
  readonly trust?: boolean;
  readonly repo: string;
  readonly context?: readonly string[];
  readonly workflow: string;
  readonly executor?: string;
  readonly script?: string;
  readonly base?: string;
  readonly lint?: string;
  readonly test?: string;
  readonly detach?: boolean;
  readonly foreground?: boolean;
  readonly events?: boolean;
  readonly store?: string;
}

export function addOptions(command: Command): Command {
  return command
    .option("--repo <dir>", "the git repository to work on", ".")
    .option("--base <branch>", "the local branch that gets the commits (default: the one that is checked out)")
    .option("--executor <name>", "use this executor for every agent; or 'command: PROGRAM ARGUMENT…'")
    .option("--script <file>", "play this script instead of an agent")
    .option("--lint <command>", "how the project is linted (default: project.lint of the configuration)")
    .option("--test <command>", "how the project is tested (default: project.test of the configuration)")
    .option("--context <key=value>", "a value for templates; can be given several times", collect)
    .option("--workflow <name>", "a workflow of the same kind", "dynamic-ralph")
    .option("--detach", "only record the run; a service or `resume` then drives it")
    .option(...foregroundOption)
    .option(...trustOption)
    .option(...eventsOption);
}

/** `work` gets the request of the options. */
export async function runGivenStories(
  console: Console,
  app: Application,
  options: StoriesOptions,
  work: (request: StoriesRequest) => Promise<StoriesResult>,
): Promise<void> {
  const { repo, workflow, executor, script, base, lint, test, detach = false, events = false } = options;
  const context = readContext(options.context);
  const mayHandOver = options.foreground !== true;
  const request = { protocol, repo, workflow, executor, script, base, lint, test, context, mayHandOver };
  const announce = ({ run, number, since }: AcceptedRun) => {
    if (since !== undefined) console.say(`Run #${number} (${run}) continues.`);
    else if (!events) console.say(`Run #${number} (${run})`);
  };
  if (detach) {
    const onNote = (note: string) => console.note(note);
    return await print(console, app, await work({ ...request, onNote, onStart: announce }));
  }
  const drive = async (watched: DriveRequest) => {
    const result = await work({ ...request, ...watched });
    if (result.kind === "driven") return result;
    await print(console, app, result);
    return null;
  };
  await watchDrive(console, app, { events, announce }, drive);
}

async function print(console: Console, app: Application, result: StoriesResult): Promise<void> {
  if (result.kind === "recorded") await printStarted(console, app, result);
  if (result.kind !== "nothing") return;
  if (console.json) console.document({ run: null, stories: result.stories, open: 0 });
  console.say("Every story of the PRD passes already: there is nothing to do.");
}
