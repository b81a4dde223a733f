// `pawl lifecycle position`, `read` and `perform`. Owns: printing where a project stands, what a result file says, and what became of a call.

import type { Command } from "commander";
import { performCall } from "../../../application/lifecycle/perform.ts";
import { lifecyclePosition, readResultFile } from "../../../application/lifecycle/position.ts";
import { exitCodes } from "../../../domain/error.ts";
import { trustOption } from "../../input/arguments.ts";
import { applicationHere, withApplication } from "../../opened.ts";
import type { Console } from "../../output/console.ts";
import { example } from "../../output/example.ts";
import { table } from "../../output/table.ts";
import { givenTo, projectOption, workflowOption } from "./options.ts";

export function defineLifecycleLooking(lifecycle: Command, console: Console): void {
  lifecycle
    .command("position")
    .description("say where the project stands, and by which evidence; changes nothing")
    .option(...projectOption)
    .option("--phase <phase>", "this phase of the milestone (default: the first that is not finished)")
    .addHelpText("after", example("pawl lifecycle position", "pawl lifecycle position --phase 2 --json"))
    .action((_: unknown, command: Command) => {
      const found = lifecyclePosition(applicationHere(), givenTo(command));
      if (console.json) return console.document(found);
      console.print(
        table([
          ["position", found.position],
          ["milestone", found.milestone ?? ""],
          ["phase", String(found.phase ?? "")],
          ["because", found.why],
          ...rows(found.evidence),
        ]),
      );
    });

  lifecycle
    .command("read")
    .description("say what Pawl makes of a result file: proceed, fix or unknown")
    .argument("<kind>", "verification, review, business-test, uat or test-results")
    .argument("<file>", "the file")
    .addHelpText(
      "after",
      example("pawl lifecycle read verification .workflow/scratch/20260503-verify-P1/verification.json"),
    )
    .action((kind: string, file: string) => {
      const found = readResultFile(applicationHere(), kind, file);
      if (console.json) return console.document(found);
      console.print(table([["verdict", found.verdict], ["because", found.why], ...rows(found.evidence)]));
    });

  lifecycle
    .command("perform")
    .description("perform one call of a skill with the configured executor, and print what became of it as JSON")
    .argument("<call...>", "the skill and its arguments; the call of a worker around it is taken, too")
    .option(...projectOption)
    .option(...workflowOption)
    .option("--executor <name>", "use this executor; or 'command: PROGRAM ARGUMENT…'")
    .option("--script <file>", "play this script instead of an agent")
    .option(...trustOption)
    .addHelpText("after", example('pawl lifecycle perform "maestro-verify 1"'))
    .action(async (words: string[], _: unknown, command: Command) => {
      const options = givenTo(command);
      await withApplication(options, async (app) => {
        const interrupt = new AbortController();
        const stop = () => interrupt.abort();
        process.once("SIGINT", stop).once("SIGTERM", stop);
        const result = await performCall(app, { ...options, call: words.join(" "), signal: interrupt.signal });
        console.exitCode = result.status === "completed" ? exitCodes.done : exitCodes.failed;
        console.document(result);
      });
    });
}

function rows(evidence: readonly { readonly file: string; readonly place: string }[]): readonly (readonly string[])[] {
  return evidence.map(({ file, place }, index) => [
    index === 0 ? "evidence" : "",
    place === "" ? file : `${file} ${place}`,
  ]);
}
