// `pawl why`. Owns: one sentence about a run.

import type { Command } from "commander";
import { whyOf } from "../../../application/looking/status.ts";
import type { GateDocument, WhyDocument } from "../../../contracts/run-documents.ts";
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
        const questions = document.gates.flatMap((gate) => questionLines(gate, document));
        const notes = closingTexts(document.number, document).map((text) => `! ${text}`);
        console.print([document.why, ...questions, ...notes].join("\n"));
      }
    });
}

/** The sentence names the only question of a run that is held, and how to answer it; it is not about any other. */
function questionLines(gate: GateDocument, { gates, status }: WhyDocument): readonly string[] {
  const about = aboutQuestion(gate, Date.now());
  if (status === "held" && gates.length === 1) return about;
  return [`? ${gate.question}`, ...about, `  pawl answer ${gate.id} ${gate.options.join("|")}`];
}
