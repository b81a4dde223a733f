// `pawl lifecycle INTENT…`, `execute`, `continue` and `status`. Owns: the plan and its question, where a session stopped, and the exit
// code: 0 when all is complete, 3 at a stop.

import type { Command } from "commander";
import type { Application } from "../../../application/application.ts";
import type { DriveRequest } from "../../../application/driving/drive.ts";
import { executeLifecycle, lifecycleStatus } from "../../../application/lifecycle/execute.ts";
import { messagesFor, statusWords, stopWords } from "../../../application/lifecycle/session-text.ts";
import {
  type LifecycleEnd,
  type LifecycleRequest,
  startLifecycle,
  type UnstartedSession,
} from "../../../application/lifecycle/start.ts";
import { sessionSummary } from "../../../application/lifecycle/view.ts";
import { AppError, exitCodes } from "../../../domain/error.ts";
import { nearest } from "../../../workflows/document/problem.ts";
import { trustOption } from "../../input/arguments.ts";
import { askYesOrNo, canAsk } from "../../input/question.ts";
import { withApplication } from "../../opened.ts";
import type { Console } from "../../output/console.ts";
import { watchDrive } from "../../output/driving.ts";
import { example } from "../../output/example.ts";
import { exitCodeOf, workText } from "../../output/run-end.ts";
import { givenTo, type LifecycleOptions, projectOption, workflowOption } from "./options.ts";

interface StartOptions extends LifecycleOptions {
  readonly allPhases?: boolean;
  readonly auto?: boolean;
  readonly yes?: boolean;
}

export function defineLifecycleSessions(lifecycle: Command, console: Console): void {
  driving(lifecycle)
    .argument("[intent...]", "what you want; a session starts where the project stands")
    .option(
      "--phase <phase>",
      "this phase of the milestone (default: the one that the intent names, else the first open one)",
    )
    .option("--all-phases", "every phase of the milestone, before it is audited")
    .option(...autoOption)
    .option("--yes", "start without the question")
    .action(async (words: string[], options: StartOptions) => {
      if (words.length === 0) return await status(console, options, "anything");
      refuseTypo(lifecycle, words);
      await driven(console, options, async (app, watched) => {
        const confirm = confirmation(console, options);
        return await startLifecycle(app, { ...options, ...watched, intent: words.join(" "), confirm });
      });
    });

  const execute = async (_: unknown, command: Command) => {
    const options: StartOptions = givenTo(command);
    await driven(
      console,
      options,
      async (app, watched) =>
        await executeLifecycle(app, { ...options, ...watched, confirm: confirmation(console, options) }),
    );
  };
  driving(
    lifecycle
      .command("execute")
      .description("evaluate the decision that the session stands before, and go on to the next"),
  )
    .option(...autoOption)
    .option(...agreedOption)
    .addHelpText("after", example("pawl lifecycle execute"))
    .action(execute);
  driving(lifecycle.command("continue").description("the same as execute"))
    .option(...autoOption)
    .option(...agreedOption)
    .addHelpText("after", example("pawl lifecycle continue"))
    .action(execute);

  lifecycle
    .command("status")
    .description("show the newest session; changes nothing")
    .option(...projectOption)
    .option("--locale <locale>", "the language of what it says: en or zh")
    .addHelpText("after", example("pawl lifecycle status", "pawl lifecycle status --json"))
    .action(async (_: unknown, command: Command) => await status(console, givenTo(command)));
}

/** An intent spends skills. One word that is almost a subcommand was meant as one. */
function refuseTypo({ commands }: Command, [word = "", ...more]: readonly string[]): void {
  if (more.length > 0 || /\s/.test(word)) return;
  const meant = nearest(word, [...commands.map((command) => command.name()), "help"]);
  if (meant === null) return;
  throw new AppError("USAGE", `"${word}" is no subcommand, and too close to one to be an intent`, {
    hint: `did you mean \`pawl lifecycle ${meant}\`? An intent of one word needs a few more`,
  });
}

const autoOption = ["--auto", "do not stop at decisions"] as const;

const agreedOption = ["--yes", "take over the session of another program without the question"] as const;

function driving(command: Command): Command {
  return command
    .option(...projectOption)
    .option(...workflowOption)
    .option("--executor <name>", "use this executor for every skill; or 'command: PROGRAM ARGUMENT…'")
    .option("--script <file>", "play this script instead of an agent")
    .option("--locale <locale>", "the language of what it says: en or zh (default: that of the environment)")
    .option("--in-place", "work in the project's folder itself")
    .option(...trustOption);
}

/** Shows the plan, and asks. Without a terminal nobody can agree. */
function confirmation(console: Console, { yes = false, auto = false }: StartOptions): LifecycleRequest["confirm"] {
  return async (plan) => {
    if (!console.json) console.say(plan);
    if (yes || auto) return true;
    if (!canAsk(console))
      throw new AppError("USAGE", "nobody is there to agree to the plan", {
        hint: "add --yes to start without the question",
      });
    const answer = await askYesOrNo("Proceed? [y/N] ", /^(?:y|yes|p|proceed)$/i);
    if (answer === "interrupted") console.exitCode = exitCodes.interrupted;
    return answer === "yes";
  };
}

async function driven(
  console: Console,
  options: LifecycleOptions,
  work: (app: Application, watched: DriveRequest) => Promise<LifecycleEnd>,
): Promise<void> {
  await withApplication(options, async (app) => {
    const ends: LifecycleEnd[] = [];
    await watchDrive(console, app, { events: false }, async (watched) => {
      ends.push(await work(app, watched));
      return null;
    });
    const [end] = ends;
    if (end !== undefined) print(console, app, end, options);
  });
}

function print(console: Console, app: Application, end: LifecycleEnd, { locale }: LifecycleOptions): void {
  if (end.kind === "moved") {
    console.exitCode = exitCodeOf(end.driven?.end ?? "held");
    if (console.json) return console.document(sessionSummary(end.view, end.project));
    for (const line of end.news) console.say(line);
    if (end.driven?.end === "done") {
      console.say(statusWords(end.view, messagesFor(app, locale)));
      if (end.driven.folder !== null) console.say(workText(end.driven));
    }
    for (const line of stopWords(end.view, end.project)) console.say(line);
    return;
  }
  if (console.json) return console.document(unstarted(end));
  if (end.kind === "declined") return console.say("Cancelled; nothing was started.");
  console.say("◆ All milestones are complete: there is nothing to start.");
  const skill = `pawl lifecycle perform${end.project.flag} 'maestro-roadmap "WHAT YOU WANT"'`;
  console.say(`To go on, add a milestone to .workflow/state.json and roadmap.md, or let the skill do it: ${skill}`);
}

function unstarted({ plan, kind, intent }: UnstartedSession) {
  return {
    session: null,
    folder: null,
    workspace: null,
    run: null,
    runId: null,
    intent,
    status: kind === "complete" ? ("completed" as const) : ("planned" as const),
    runStatus: null,
    position: plan.lifecycle_position,
    target: plan.target,
    phase: plan.phase,
    milestone: plan.milestone,
    auto: false,
    currentStep: 0,
    steps: [],
    stop: null,
    codes: [],
    next: null,
  };
}

async function status(console: Console, options: LifecycleOptions, wanted?: "anything"): Promise<void> {
  await withApplication(options, async (app) => {
    const { project, view } = await lifecycleStatus(app, options.dir, wanted);
    if (console.json) return console.document(sessionSummary(view, project));
    console.print(statusWords(view, messagesFor(app, options.locale)).trimEnd());
    for (const line of stopWords(view, project)) console.say(line);
  });
}
