// `pawl lifecycle`. Owns: the commands for projects that keep their state in `.workflow/`.

import type { Command } from "commander";
import { lifecyclePosition, type PositionRequest, readResultFile } from "../../../application/lifecycle/position.ts";
import { summaryOf } from "../../catalogue.ts";
import { applicationHere } from "../../opened.ts";
import type { Console } from "../../output/console.ts";
import { example } from "../../output/example.ts";
import { table } from "../../output/table.ts";

export function define(program: Command, console: Console): void {
  const lifecycle = program
    .command("lifecycle")
    .description(summaryOf("lifecycle"))
    .addHelpText("after", example("pawl lifecycle position", "pawl lifecycle read review review.json --json"));

  lifecycle
    .command("position")
    .description("say where the project stands, and by which evidence; changes nothing")
    .option("--dir <dir>", "the project (default: the current directory)")
    .option("--phase <phase>", "this phase of the milestone (default: the first that is not finished)")
    .addHelpText("after", example("pawl lifecycle position", "pawl lifecycle position --phase 2 --json"))
    .action((options: PositionRequest) => {
      const found = lifecyclePosition(applicationHere(), options);
      if (console.json) return console.document(found);
      console.print(
        table([
          ["position", found.position],
          ["milestone", found.milestone ?? ""],
          ["phase", found.phase ?? ""],
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
}

function rows(evidence: readonly { readonly file: string; readonly place: string }[]): readonly (readonly string[])[] {
  return evidence.map(({ file, place }, index) => [
    index === 0 ? "evidence" : "",
    place === "" ? file : `${file} ${place}`,
  ]);
}
