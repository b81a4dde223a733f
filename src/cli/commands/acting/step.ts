// `pawl step`. Owns: the pull driver as agents call it: peek, claim, complete, fail, stories.

import { type Command, Option } from "commander";
import { claim, complete, fail, type PullReport, peek } from "../../../application/driving/pull.ts";
import { readText } from "../../../application/files.ts";
import { dropOneStep } from "../../../application/steering/drop.ts";
import type { ReportDocument } from "../../../contracts/workflow-documents.ts";
import { exitCodes } from "../../../domain/error.ts";
import { type OwnDesk, ownDesk } from "../../../mcp/own-desk.ts";
import { summaryOf } from "../../catalogue.ts";
import { runArgument } from "../../input/arguments.ts";
import { readStdin } from "../../input/input.ts";
import { type StoreOption, withApplication } from "../../opened.ts";
import type { Console } from "../../output/console.ts";
import { type DropOptions, printDropped } from "../../output/dropped.ts";
import { example } from "../../output/example.ts";
import { define as defineStories } from "../looking/stories.ts";

const agentArgument = ["<agent>", "<workflow>/<agent> or <workflow>_<agent>"] as const;
const stepArgument = ["<step>", "the stepId that `claim` printed"] as const;
const tokenOption = [
  "--token <token>",
  "the token that `claim` printed; by default that of the attempt in whose environment this runs",
] as const;

interface ReportOptions {
  readonly token?: string;
  readonly file?: string;
  readonly store?: string;
}

export function define(program: Command, console: Console): void {
  const step = program.command("step").description(summaryOf("step"));

  step
    .command("drop")
    .description("end the step that a run is at as failed, or go on without it")
    .argument("<run>", runArgument)
    .argument("<step>", "its id or its name")
    .option("--story <id>", "a step of this story")
    .addOption(new Option("--as <end>", "how it counts").choices(["failed", "done"]).default("failed"))
    .option("--reason <text>", "why")
    .addHelpText("after", "\nIts agent is stopped first. `pawl edit` skips steps that are still to come.")
    .addHelpText("after", example("pawl step drop 3 review --as done", "pawl step drop 3 code --story US-002"))
    .action(async (reference: string, name: string, options: DropOptions & { story?: string }) => {
      const { as, reason, story } = options;
      await withApplication(options, async (app) => {
        await printDropped(console, app, await dropOneStep(app, reference, { step: name, story }, { as, reason }));
      });
    });

  step
    .command("peek")
    .description("say whether a claim would get something: HAS_WORK or NO_WORK")
    .argument(...agentArgument)
    .addHelpText("after", example("pawl step peek feature-dev/developer"))
    .action(async (agent: string, options: StoreOption) => {
      const hasWork = await withApplication(options, async (app) => await peek(app, agent));
      if (console.json) console.document({ hasWork });
      else console.print(hasWork ? "HAS_WORK" : "NO_WORK");
    });

  step
    .command("claim")
    .description("claim the next step of an agent; prints JSON")
    .argument(...agentArgument)
    .option("--run <run>", "only from this run")
    .addHelpText("after", example("pawl step claim feature-dev/developer"))
    .action(async (agent: string, options: { run?: string; store?: string }) => {
      const { run } = options;
      console.print(JSON.stringify(await withApplication(options, async (app) => await claim(app, agent, run))));
    });

  step
    .command("complete")
    .description("report what an agent answered; reads stdin unless a file or words are given")
    .argument(...stepArgument)
    .argument("[words...]", "the answer")
    .option(...tokenOption)
    .option("--file <file>", "read the answer from this file")
    .addHelpText("after", example("echo 'STATUS: done' | pawl step complete STEP --token TOKEN"))
    .action(async (handle: string, words: string[], options: ReportOptions) => {
      const { file, token } = options;
      const text = file !== undefined ? readText(file) : words.length > 0 ? words.join(" ") : await readStdin();
      const report = { token, text };
      print(
        console,
        (await atOwnDesk(handle, "ran", report)) ??
          (await withApplication(options, async (app) => await complete(app, handle, report))),
      );
    });

  step
    .command("fail")
    .description("report that an agent could not do its work")
    .argument(...stepArgument)
    .argument("<reason...>", "what went wrong")
    .option(...tokenOption)
    .addHelpText("after", example('pawl step fail STEP --token TOKEN "the build machine is down"'))
    .action(async (handle: string, reason: string[], options: ReportOptions) => {
      const report = { token: options.token, text: reason.join(" ") };
      print(
        console,
        (await atOwnDesk(handle, "failed", report)) ??
          (await withApplication(options, async (app) => await fail(app, handle, report))),
      );
    });

  defineStories(step, console);
}

/** Null: the agent of this attempt pulled it, and its report goes into the store. */
async function atOwnDesk(
  handle: string,
  outcome: Parameters<OwnDesk["handIn"]>[0],
  { token, text }: PullReport,
): Promise<ReportDocument | null> {
  const handedIn = await ownDesk(process.env, handle)?.handIn(outcome, text, token);
  if (handedIn === undefined) return null;
  const { accepted, why } = handedIn;
  if (!accepted) return { accepted, why };
  return { accepted, advanced: false, runDone: false, runFailed: false, outcome: null, why };
}

function print(console: Console, document: ReportDocument): void {
  console.print(JSON.stringify(document));
  if (!document.accepted) console.exitCode = exitCodes.refused;
}
