// `pawl executor`. Owns: what is configured and whether it is there.

import type { Command } from "commander";
import { AppError, exitCodes } from "../../domain/error.ts";
import type { Console } from "../console.ts";
import { example } from "../example.ts";
import { describeExecutors } from "../executor-rows.ts";
import { withSession } from "../session.ts";
import { table } from "../table.ts";

export function define(program: Command, console: Console): void {
  const executor = program.command("executor").description("what can perform attempts");

  executor
    .command("list")
    .description("configured executors and whether they are installed")
    .addHelpText("after", example("pawl executor list"))
    .action(async (options: { store?: string }) => {
      await withSession({ store: options.store, repo: process.cwd() }, async (session) => {
        const rows = await describeExecutors(session);
        if (console.json) return console.document({ executors: rows });
        if (rows.length === 0)
          return console.say("No executor is configured. Any program works: --executor 'command: bash ./agent.sh'");
        console.print(
          table(
            rows.map((row) => [
              row.name,
              row.kind,
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
    .argument("<name>", "a configured executor, or 'command: PROGRAM ARGUMENT…'")
    .addHelpText("after", example("pawl executor test 'command: bash ./agent.sh'"))
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
        const ok = end.outcome === "ran" && /STATUS:\W*done/i.test(end.text);
        const why = end.outcome === "ran" ? (ok ? "" : "it ran, but did not answer `STATUS: done`") : end.why;
        console.exitCode = ok ? exitCodes.done : exitCodes.failed;
        if (console.json) console.document({ name, ok, why, text: end.text });
        else console.print(ok ? `${name} works` : `${name} does not work: ${why}\n${end.text}`);
      });
    });
}
