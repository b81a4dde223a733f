// `pawl why`. Owns: one sentence about a run.

import type { Command } from "commander";
import { whyOf } from "../../../application/looking/status.ts";
import { summaryOf } from "../../catalogue.ts";
import { runOrNewest } from "../../input/arguments.ts";
import { type StoreOption, withApplication } from "../../opened.ts";
import type { Console } from "../../output/console.ts";
import { example } from "../../output/example.ts";
import { aboutQuestion } from "../../output/question.ts";
import { closingTexts } from "../../output/run-end.ts";

export function define(parent: Command, console: Console): void {
  parent
    .command("why")
    .description(summaryOf("why"))
    .argument("[run]", runOrNewest)
    .addHelpText("after", example("pawl why 3"))
    .action(async (reference: string | undefined, options: StoreOption) => {
      const document = await withApplication(options, async (app) => await whyOf(app, reference));
      if (console.json) console.document(document);
      else {
        const questions = document.gates.flatMap((gate) => aboutQuestion(gate, Date.now()));
        console.print(
          [document.why, ...questions, ...closingTexts(document.number, document).map((text) => `! ${text}`)].join(
            "\n",
          ),
        );
      }
    });
}
