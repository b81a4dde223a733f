// `pawl doctor`. Owns: printing what is installed, what is missing, and how to get it.

import type { Command } from "commander";
import { examine } from "../../../application/setup/doctor.ts";
import type { DoctorDocument } from "../../../contracts/machine-documents.ts";
import { exitCodes } from "../../../domain/error.ts";
import { summaryOf } from "../../catalogue.ts";
import { type StoreOption, withApplication } from "../../opened.ts";
import type { Console } from "../../output/console.ts";
import { example } from "../../output/example.ts";
import { table } from "../../output/table.ts";

export function define(program: Command, console: Console): void {
  program
    .command("doctor")
    .description(summaryOf("doctor"))
    .addHelpText("after", example("pawl doctor"))
    .action(async (options: StoreOption) => {
      const document = await withApplication(options, examine, { joins: true });
      const { ok, findings } = document;
      console.exitCode = ok ? exitCodes.done : exitCodes.missing;
      if (console.json) return console.document(document);
      console.print(table(findings.map((finding) => [sign(finding), finding.name, finding.detail])));
      for (const finding of findings) if (!finding.ok) console.say(`hint: ${finding.name}: ${finding.hint}`);
      if (ok) console.say(closing(findings));
    });
}

/** Without an agent Pawl can show, check and simulate, but no run can be performed. */
function closing(findings: DoctorDocument["findings"]): string {
  const hasAgent = findings.some(({ name, ok }) => ok && name.startsWith("executor "));
  return hasAgent
    ? "Everything that is needed is installed."
    : "Pawl can run here, but it has no agent: until one is installed or named with --executor, no run can do any work.";
}

function sign(finding: DoctorDocument["findings"][number]): string {
  if (finding.name.startsWith("run #")) return "LEFT";
  return finding.ok ? "ok" : finding.needed ? "MISSING" : "optional";
}
