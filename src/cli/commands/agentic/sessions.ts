// `pawl project hook` and `watch`. Owns: printing what came of a session; the exit code of a hook is 0 for every expected state. The
// hooks of an Agent Team have 2 where they block, and their words are on stderr: so its host expects it.

import type { Command } from "commander";
import { hookSession } from "../../../application/agentic/hook.ts";
import { hookTeam, type TeamHook } from "../../../application/agentic/team-hooks.ts";
import { watchProject } from "../../../application/agentic/watch.ts";
import { AppError } from "../../../domain/error.ts";
import { ownDesk } from "../../../mcp/own-desk.ts";
import { readStdin } from "../../input/input.ts";
import { withApplication } from "../../opened.ts";
import type { Console } from "../../output/console.ts";
import { example } from "../../output/example.ts";
import { dirOption, type ProjectOptions } from "./options.ts";

/** What the host of an Agent Team takes as "no". */
const blockedExit = 2;

const teamHooks: Readonly<Record<TeamHook, string>> = {
  "task-completed": "for an Agent Team: run the post_check of the step; exit 2 keeps the task open",
  "teammate-idle": "for an Agent Team: look for open [P] tasks and a missing hand-off; exit 2 lets the teammate go on",
};

export function defineSessions(project: Command, console: Console): void {
  const hook = project
    .command("hook")
    .description("what the host of an executor calls when a session has ended: reads its report and runs the checks")
    .argument("[dir]", "the folder of the project")
    .option(...dirOption)
    .addHelpText("after", example('pawl project hook "$PROJECT_DIR"'))
    .action(async (dir: string | undefined, options: ProjectOptions) => {
      const hooked = await withApplication(options, async (app) => await hookSession(app, dir ?? options.dir));
      if (console.json) return console.document(hooked);
      console.say(hooked.report);
    });

  for (const [name, description] of Object.entries(teamHooks)) {
    hook
      .command(name)
      .description(description)
      .argument("[dir]", "the folder that the team works in (default: `cwd` of the input)")
      .option(...dirOption)
      .addHelpText("after", example(`pawl project hook ${name} < input.json`))
      .action(async (dir: string | undefined, options: ProjectOptions) => {
        const input = process.stdin.isTTY ? "" : await readStdin();
        const { blocks, feedback } = await withApplication(
          options,
          async (app) => await hookTeam(app, name as TeamHook, input, dir ?? options.dir, ownDesk(process.env)),
        );
        if (blocks) console.exitCode = blockedExit;
        if (console.json) return console.document({ blocks, feedback });
        if (feedback !== "") console.say(feedback);
      });
  }

  project
    .command("watch")
    .description("say what changes, and end sessions whose time is over; until Ctrl-C")
    .option(...dirOption)
    .option("--every <time>", "how often it looks: 30s, 1m", "30s")
    .addHelpText("after", example("pawl project watch --every 30s"))
    .action(async (options: ProjectOptions & { readonly every: string }) => {
      const stop = new AbortController();
      const end = () => stop.abort();
      process.once("SIGINT", end).once("SIGTERM", end);
      const onReport = (report: string) => console.print(report);
      const everyMs = timeOf(options.every);
      await withApplication(options, async (app) => {
        await watchProject(app, { dir: options.dir, everyMs, signal: stop.signal, onReport });
      });
    });
}

function timeOf(text: string): number {
  const [, number, unit = "s"] = /^(\d+(?:\.\d+)?)(ms|s|m)?$/.exec(text) ?? [];
  const ms = Number(number) * { ms: 1, s: 1_000, m: 60_000 }[unit as "ms" | "s" | "m"];
  if (ms > 0) return ms;
  throw new AppError("USAGE", `"${text}" is not a time`, { hint: "write 30s or 1m" });
}
