// `pawl executor`. Owns: what is configured and whether it is there; what Pawl makes of an agent's recorded output.

import { constants } from "node:os";
import type { Command } from "commander";
import { agents } from "../../app.ts";
import { AppError, exitCodes } from "../../domain/error.ts";
import { readerFor, recordedFormats } from "../../executors/recorded-formats.ts";
import { readRecording } from "../../executors/stream/recording.ts";
import type { ProcessExit, StreamReading } from "../../executors/stream/stream-reading.ts";
import { cleanText } from "../../prompts/plaintext.ts";
import { isoTime } from "../../runtime/views/status.ts";
import type { Console } from "../console.ts";
import { example } from "../example.ts";
import { describeExecutors } from "../executor-rows.ts";
import { withSession } from "../session.ts";
import { table } from "../table.ts";

export function define(program: Command, console: Console): void {
  const executor = program.command("executor").description("what can perform attempts");

  executor
    .command("list")
    .description("configured executors and agents that were found, with their versions")
    .addHelpText("after", example("pawl executor list"))
    .action(async (options: { store?: string }) => {
      await withSession({ store: options.store, repo: process.cwd() }, async (session) => {
        const rows = await describeExecutors(session);
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
    });

  executor
    .command("test")
    .description("a tiny real call: the prompt says to answer `STATUS: done`")
    .argument("<name>", "a configured executor, an agent, or 'command: PROGRAM ARGUMENT…'")
    .addHelpText("after", example("pawl executor test claude", "pawl executor test 'command: bash ./agent.sh'"))
    .action(async (name: string, options: { store?: string }) => {
      await withSession({ store: options.store, repo: process.cwd() }, async ({ parts }) => {
        const found = await parts.executors.get(name);
        const missing = await found.missing();
        if (missing) throw new AppError("EXECUTOR_MISSING", missing.what, { hint: missing.hint });
        // The answer is described, not spelt out: a program that echoes its prompt has not answered.
        const prompt =
          "This is a test call. Change nothing. Reply with one line: the word STATUS, a colon, a space, the word done.\n";
        const call = {
          prompt,
          cwd: process.cwd(),
          env: { PAWL_STEP: "test", PAWL_ATTEMPT: "1" },
          attempt: `test-${process.pid}`,
        };
        const end = await found.start({ ...call, wallMs: 120_000, quietMs: null, onOutput: () => undefined }).ended;
        const account = parts.executors.accountOf(name);
        if (end.outcome === "ran" && account !== null) await parts.store.transaction((tx) => tx.release(account));
        const ok = end.outcome === "ran" && /STATUS:\W*done/i.test(end.text);
        const why = end.outcome === "ran" ? (ok ? "" : "it ran, but did not answer `STATUS: done`") : end.why;
        console.exitCode = ok ? exitCodes.done : exitCodes.failed;
        const { usage, model = null, version = null } = end;
        if (console.json) return console.document({ name, ok, why, text: end.text, model, version, usage });
        const told = [version, model].filter((word) => word !== null).join(", ");
        const words = ok
          ? `${name} works${told === "" ? "" : ` (${told})`}`
          : `${name} does not work: ${why}\n${end.text}`;
        // Whatever an agent printed is text here, and no command to the terminal.
        console.print(cleanText(words).text);
      });
    });

  executor
    .command("read")
    .description("what Pawl makes of the recorded output of an agent: a file with what it printed on stdout")
    .argument("<name>", `whose format it is: ${recordedFormats(agents).join(", ")}`)
    .argument("<file>", "the recorded output")
    .option("--exit <code|signal>", "how the agent's process ended", "0")
    .addHelpText(
      "after",
      example("pawl executor read claude ./stdout.jsonl --exit 1", "pawl executor read acp ./acp.jsonl --json"),
    )
    .action(async (name: string, file: string, options: { exit: string }) => {
      const newReader = await readerFor(name, agents);
      if (newReader === null)
        throw new AppError("NOT_FOUND", `Pawl does not know what "${name}" prints`, {
          hint: `it knows: ${recordedFormats(agents).join(", ")}`,
        });
      const exit = exitOf(options.exit);
      const reading = await readRecording(file, newReader, exit);
      if (console.json) console.document(readingDocument(reading));
      else console.print(readingLines(reading));
    });
}

/** As a shell shows it (143), or as the system calls it (SIGTERM, TERM). */
function exitOf(told: string): ProcessExit {
  if (/^\d{1,3}$/.test(told) && Number(told) <= 255) return { code: Number(told) };
  const signal = `SIG${told.toUpperCase().replace(/^SIG/, "")}`;
  if (Object.hasOwn(constants.signals, signal)) return { signal };
  throw new AppError("USAGE", `"${told}" is neither an exit code nor a signal`, {
    hint: "give a number from 0 to 255, or a name such as SIGTERM",
  });
}

function readingDocument({ ok, kind, text, denials, usage, resetsAt }: StreamReading): object {
  return { ok, kind, text, denials, usage, resetsAt: resetsAt === null ? null : isoTime(resetsAt) };
}

function readingLines(reading: StreamReading): string {
  const { usage } = reading;
  const told = [
    [reading.ok ? "ok" : "not ok", reading.kind ?? ""],
    ["why", reading.message.replaceAll(/\s+/g, " ")],
    ["resets", reading.resetsAt === null ? "" : isoTime(reading.resetsAt)],
    ["denied", reading.denials === 0 ? "" : String(reading.denials)],
    ["tokens", `${usage.inputTokens} in, ${usage.cacheReadTokens} from the cache, ${usage.outputTokens} out`],
    ["cost", usage.costUsd === null ? "not told" : `$${usage.costUsd.toFixed(5)}`],
    ["model", reading.model ?? ""],
    ["version", reading.version ?? ""],
    ["session", reading.session ?? ""],
  ].filter(([, value], index) => index === 0 || value !== "");
  const said = reading.text === reading.message ? "" : reading.text;
  // Whatever an agent printed is text here, and no command to the terminal.
  return cleanText([table(told), ...(said === "" ? [] : ["", said])].join("\n")).text;
}
