// `pawl schedule`. Owns: which workflows the service starts by itself: list, add, pause, resume, run, remove.

import type { Command } from "commander";
import type { Application } from "../../../application/application.ts";
import {
  addSchedule,
  pauseSchedule,
  removeSchedule,
  resumeSchedule,
  runSchedule,
  schedules,
} from "../../../application/schedules/schedules.ts";
import { readService } from "../../../system/service-file.ts";
import { summaryOf } from "../../catalogue.ts";
import { trustOption } from "../../input/arguments.ts";
import { askForTrust } from "../../input/trust-question.ts";
import { type StoreOption, withApplication } from "../../opened.ts";
import type { Console } from "../../output/console.ts";
import { example } from "../../output/example.ts";
import { nextText, schedulesTable } from "../../output/schedules.ts";
import { printStarted } from "../../output/started.ts";

const idArgument = ["<id>", "as `pawl schedule list` shows it"] as const;

const noService = "no service runs, so nothing starts by itself; `pawl up --background` starts one";

function hasService({ home }: Application): boolean {
  return readService(home.serviceFile) !== null;
}

export function define(program: Command, console: Console): void {
  const schedule = program.command("schedule").description(summaryOf("schedule"));
  defineList(schedule, console);
  defineAdd(schedule, console);
  definePausing(schedule, console);
  defineRun(schedule, console);
  defineRemove(schedule, console);
}

function defineList(schedule: Command, console: Console): void {
  schedule
    .command("list")
    .description("list the schedules: when each is due next, and what became of it last")
    .addHelpText("after", example("pawl schedule list"))
    .action(async (options: StoreOption) => {
      const [document, isServed] = await withApplication(
        options,
        async (app) => [await schedules(app), hasService(app)] as const,
      );
      if (console.json) return console.document(document);
      if (document.schedules.length === 0)
        return console.say("There is no schedule yet. Add one: pawl schedule add WORKFLOW --repo DIR");
      console.print(schedulesTable(document.schedules, Date.now()));
      if (!isServed) console.note(noService);
    });
}

interface AddOptions extends StoreOption {
  readonly repo: string;
  readonly executor?: string;
}

function defineAdd(schedule: Command, console: Console): void {
  schedule
    .command("add")
    .description("let the service start a workflow at the times of its `schedule`")
    .argument("<workflow>", "the id of an installed or bundled workflow whose file has a `schedule`")
    .option("--repo <dir>", "the git repository to work on", ".")
    .option("--executor <name>", "use this executor for every agent; or 'command: PROGRAM ARGUMENT…'")
    .option(...trustOption)
    .addHelpText("after", example("pawl schedule add nightly-audit --repo ./shop --executor claude"))
    .action(async (workflow: string, options: AddOptions) => {
      const { repo, executor } = options;
      const [added, isServed] = await withApplication(options, async (app) => {
        await askForTrust(console, app, repo);
        return [await addSchedule(app, { workflow, repo, executor }), hasService(app)] as const;
      });
      if (console.json) return console.document(added);
      console.print(added.id);
      console.say(`The service starts it next at ${nextText(added, Date.now())}.`);
      if (!isServed) console.note(noService);
    });
}

function definePausing(schedule: Command, console: Console): void {
  schedule
    .command("pause")
    .description("start nothing at its times until it is resumed; a run that is under way continues")
    .argument(...idArgument)
    .addHelpText("after", example("pawl schedule pause nightly-audit"))
    .action(async (id: string, options: StoreOption) => {
      const paused = await withApplication(options, async (app) => await pauseSchedule(app, id));
      if (console.json) console.document(paused);
      else console.say(`${paused.id} is paused. \`pawl schedule resume ${paused.id}\` lets it continue.`);
    });

  schedule
    .command("resume")
    .description("start runs again from its next time on; what was due meanwhile is not made up for")
    .argument(...idArgument)
    .addHelpText("after", example("pawl schedule resume nightly-audit"))
    .action(async (id: string, options: StoreOption) => {
      const resumed = await withApplication(options, async (app) => await resumeSchedule(app, id));
      if (console.json) console.document(resumed);
      else console.say(`The service starts ${resumed.id} next at ${nextText(resumed, Date.now())}.`);
    });
}

function defineRun(schedule: Command, console: Console): void {
  schedule
    .command("run")
    .description("record a run now; refused while its last run is not over")
    .argument(...idArgument)
    .option(...trustOption)
    .addHelpText("after", example("pawl schedule run nightly-audit"))
    .action(async (id: string, options: StoreOption) => {
      await withApplication(options, async (app) => {
        await printStarted(console, app, await runSchedule(app, id));
      });
    });
}

function defineRemove(schedule: Command, console: Console): void {
  schedule
    .command("remove")
    .description("start it no more; its runs stay")
    .argument(...idArgument)
    .addHelpText("after", example("pawl schedule remove nightly-audit"))
    .action(async (id: string, options: StoreOption) => {
      const removed = await withApplication(options, async (app) => await removeSchedule(app, id));
      if (console.json) console.document({ ...removed, removed: true });
      else console.say(`Removed ${removed.id}.`);
    });
}
