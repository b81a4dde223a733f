// `pawl project continue` and `say`. Owns: printing what came of it, and the exit code: 0 for dispatched and done, 3 for the others.

import type { Command } from "commander";
import { type Continued, type ContinueRequest, continueProject } from "../../../application/agentic/continue.ts";
import { say } from "../../../application/agentic/say.ts";
import { exitCodes } from "../../../domain/error.ts";
import { trustOption } from "../../input/arguments.ts";
import { withApplication } from "../../opened.ts";
import type { Console } from "../../output/console.ts";
import { watchDrive } from "../../output/driving.ts";
import { example } from "../../output/example.ts";
import { dirOption, type ProjectOptions } from "./options.ts";

interface Options extends ProjectOptions {
  readonly executor?: string;
  readonly script?: string;
  readonly await?: boolean;
  readonly inPlace?: boolean;
  readonly takeOver?: boolean;
}

export function defineContinue(project: Command, console: Console): void {
  driving(
    project
      .command("continue")
      .description("level 1: perform one step; level 2: continue until a person is needed or nothing is left")
      .argument("[story]", "work on this story next"),
  )
    .addHelpText(
      "after",
      example(
        "pawl project continue --executor claude",
        "pawl project continue US-002 --await",
        "pawl project continue",
      ),
    )
    .action(async (story: string | undefined, options: Options) => {
      const continued = await driven(console, options, async (app, request) => {
        return await continueProject(app, { ...request, story });
      });
      print(console, continued);
    });

  driving(
    project
      .command("say")
      .description("the same by plain words: continue, status, retry, skip, abort, stop for today")
      .argument("<text...>", "what you would say"),
  )
    .addHelpText("after", example('pawl project say "continue"', 'pawl project say "stop for today"'))
    .action(async (words: string[], options: Options) => {
      const said = await driven(console, options, async (app, request) => await say(app, words.join(" "), request));
      if (said.action === "unknown") console.exitCode = exitCodes.held;
      if (said.continued !== null) return print(console, said.continued);
      if (console.json) return console.document({ action: said.action, reply: said.reply });
      console.print(said.reply);
    });
}

function driving(command: Command): Command {
  return command
    .option(...dirOption)
    .option("--executor <name>", "use this executor; or 'command: PROGRAM ARGUMENT…'")
    .option("--script <file>", "play this script instead of an agent")
    .option("--await", "another program works on the files; only wait for its reports")
    .option("--in-place", "work in the project's folder itself, one story at a time")
    .option("--take-over", "take over a project that another orchestrator left in `running`")
    .option(...trustOption);
}

/** With live progress, as of every run that is driven. */
async function driven<T>(
  console: Console,
  options: Options,
  work: (app: Parameters<typeof continueProject>[0], request: ContinueRequest) => Promise<T>,
): Promise<T> {
  const { dir, executor, script, inPlace, takeOver } = options;
  return await withApplication(options, async (app) => {
    const done: T[] = [];
    await watchDrive(console, app, { events: false }, async (watched) => {
      const request = { ...watched, dir, executor, script, inPlace, takeOver, awaits: options.await };
      done.push(await work(app, request));
      if (watched.signal.aborted) console.exitCode = exitCodes.interrupted;
      return null;
    });
    const [result] = done;
    if (result === undefined) throw new Error("nothing was done");
    return result;
  });
}

function print(console: Console, { result, report, prompt }: Continued): void {
  const isGood = result.type === "dispatched" || result.type === "done";
  if (console.exitCode !== exitCodes.interrupted) console.exitCode = isGood ? exitCodes.done : exitCodes.held;
  if (console.json)
    return console.document(prompt !== null && result.type === "dispatched" ? { ...result, prompt } : result);
  if (prompt !== null) console.print(prompt);
  const words =
    result.type === "blocked"
      ? result.reason
      : result.type === "needs_human"
        ? result.message
        : result.type === "done"
          ? result.summary
          : report;
  console.say(words);
}
