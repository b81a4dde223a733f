// `pawl executor`. Owns: printing which executors can be used, a tiny real call, and what Pawl reads in an agent's recorded output.

import type { Command } from "commander";
import {
  executors,
  readableAgents,
  readRecordedOutput,
  type StreamReading,
  testExecutor,
} from "../../../application/setup/executors.ts";
import type { ExecutorReading } from "../../../contracts/machine-documents.ts";
import { exitCodes } from "../../../domain/error.ts";
import { cleanText } from "../../../prompts/plaintext.ts";
import { summaryOf } from "../../catalogue.ts";
import { applicationHere, type StoreOption, withApplication } from "../../opened.ts";
import type { Console } from "../../output/console.ts";
import { example } from "../../output/example.ts";
import { table } from "../../output/table.ts";

export function define(program: Command, console: Console): void {
  const executor = program.command("executor").description(summaryOf("executor"));

  executor
    .command("list")
    .description("list configured executors and installed agents, with their versions")
    .addHelpText("after", example("pawl executor list"))
    .action(async (options: StoreOption) => {
      const rows = await withApplication(options, executors);
      if (console.json) return console.document({ executors: rows });
      if (rows.length === 0)
        return console.say(
          "No agent was found and no executor is configured. Any program works: --executor 'command: bash ./agent.sh'",
        );
      console.print(
        table(
          rows.map((row) => [
            row.name,
            row.kind,
            row.version ?? "",
            row.sandbox === "none" ? "" : row.sandbox,
            row.installed ? "ready" : row.problem,
            row.isDefault ? "default" : "",
          ]),
        ),
      );
    });

  executor
    .command("test")
    .description("make a tiny real call: the prompt asks for the answer `STATUS: done`")
    .argument("<name>", "a configured executor, an agent, or 'command: PROGRAM ARGUMENT…'")
    .addHelpText("after", example("pawl executor test claude", "pawl executor test 'command: bash ./agent.sh'"))
    .action(async (name: string, options: StoreOption) => {
      const result = await withApplication(options, async (app) => await testExecutor(app, name));
      const { ok, why, text, model, version } = result;
      console.exitCode = ok ? exitCodes.done : exitCodes.failed;
      if (console.json) return console.document(result);
      const reported = [version, model].filter((word) => word !== null).join(", ");
      console.print(
        printable(
          ok ? `${name} works${reported === "" ? "" : ` (${reported})`}` : `${name} does not work: ${why}\n${text}`,
        ),
      );
    });

  executor
    .command("read")
    .description("show what Pawl reads in the recorded output of an agent: a file with what it printed on stdout")
    .argument("<name>", `whose format it is: ${readableAgents.join(", ")}`)
    .argument("<file>", "the recorded output")
    .option("--exit <code|signal>", "how the agent's process ended", "0")
    .addHelpText(
      "after",
      example("pawl executor read claude ./stdout.jsonl --exit 1", "pawl executor read acp ./acp.jsonl --json"),
    )
    .action(async (name: string, file: string, options: { exit: string }) => {
      const read = await readRecordedOutput(applicationHere(), name, file, options.exit);
      if (console.json) console.document(readingDocument(read));
      else console.print(readingLines(read));
    });
}

/** An agent's output is text here; the terminal must not obey its control characters. */
function printable(text: string): string {
  return cleanText(text).text;
}

function readingDocument({ ok, kind, text, denials, usage, resetsAt }: StreamReading): ExecutorReading {
  return { ok, kind, text, denials, usage, resetsAt: resetsAt === null ? null : isoTime(resetsAt) };
}

function readingLines(read: StreamReading): string {
  const { usage } = read;
  const rows = [
    [read.ok ? "ok" : "not ok", read.kind ?? ""],
    ["why", read.message.replaceAll(/\s+/g, " ")],
    ["resets", read.resetsAt === null ? "" : isoTime(read.resetsAt)],
    ["denied", read.denials === 0 ? "" : String(read.denials)],
    ["tokens", `${usage.inputTokens} in, ${usage.cacheReadTokens} from the cache, ${usage.outputTokens} out`],
    ["cost", usage.costUsd === null ? "not reported" : `$${usage.costUsd.toFixed(5)}`],
    ["model", read.model ?? ""],
    ["version", read.version ?? ""],
    ["session", read.session ?? ""],
  ].filter(([, value], index) => index === 0 || value !== "");
  const answer = read.text === read.message ? "" : read.text;
  return printable([table(rows), ...(answer === "" ? [] : ["", answer])].join("\n"));
}

function isoTime(ms: number): string {
  return new Date(ms).toISOString();
}
