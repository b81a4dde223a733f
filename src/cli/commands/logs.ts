// `pawl logs`. Owns: what agents printed, attempt by attempt, and how to open their sessions.

import { closeSync, existsSync, openSync, readSync } from "node:fs";
import type { Command } from "commander";
import type { Attempt } from "../../domain/attempt.ts";
import { AppError } from "../../domain/error.ts";
import type { RunId } from "../../domain/ids.ts";
import type { Run } from "../../domain/run.ts";
import { logFile } from "../../runtime/attempt/logs.ts";
import type { Parts } from "../../runtime/parts.ts";
import { isoTime } from "../../runtime/views/status.ts";
import type { Console } from "../console.ts";
import { example } from "../example.ts";
import { followRun } from "../follow.ts";
import { type Opener, openerFor } from "../opening.ts";
import { findRunOrNewest } from "../reference.ts";
import { withSession } from "../session.ts";

export function define(parent: Command, console: Console): void {
  parent
    .command("logs")
    .description("what agents printed; STEP may be a step, or a story and a step: US-001/verify")
    .argument("[run]", "its id, a prefix of it, or its number; the newest without it")
    .argument("[step]", "only this step")
    .option("--follow", "go on until the run is over")
    .addHelpText("after", example("pawl logs 3 verify", "pawl logs 3 US-002/implement --follow"))
    .action(
      async (
        reference: string | undefined,
        step: string | undefined,
        options: { follow?: boolean; store?: string },
      ) => {
        await withSession({ store: options.store }, async ({ parts }) => {
          const { id } = await findRunOrNewest(parts.store, reference);
          const printer = new Printer(console, parts, id, step);
          await (options.follow ? followRun(parts, id, () => printer.print()) : printer.print());
          if (printer.isEmpty) console.say(step ? `Nothing was printed by "${step}" yet.` : "Nothing was printed yet.");
        });
      },
    );
}

class Printer {
  readonly #console: Console;
  readonly #parts: Parts;
  readonly #run: RunId;
  readonly #step: string | undefined;
  readonly #offsets = new Map<string, number>();
  readonly #opened = new Set<string>();
  #opener: Opener | null = null;

  constructor(console: Console, parts: Parts, run: RunId, step: string | undefined) {
    this.#console = console;
    this.#parts = parts;
    this.#run = run;
    this.#step = step;
  }

  get isEmpty(): boolean {
    return this.#offsets.size === 0;
  }

  async print(): Promise<void> {
    const run = await this.#parts.store.wholeRun(this.#run);
    if (!run) return;
    const attempts = attemptsOf(run, this.#step);
    const opener = (this.#opener ??= await openerFor(this.#parts.home, run.header));
    if (this.#console.json) {
      this.#offsets.set("document", 0);
      return this.#console.document({ attempts: attempts.map((attempt) => this.#describe(run, attempt, opener)) });
    }
    for (const attempt of attempts) {
      this.#printOne(run, attempt);
      this.#sayHowToOpen(attempt, opener);
    }
  }

  #describe({ header }: Run, attempt: Attempt, opener: Opener): object {
    return {
      story: attempt.story,
      step: attempt.step,
      attempt: attempt.number,
      executor: attempt.executor,
      startedAt: isoTime(attempt.startedAt),
      phase: attempt.state.phase,
      outcome: attempt.state.phase === "ended" ? attempt.state.outcome : null,
      why: attempt.state.phase === "ended" ? attempt.state.why : "",
      file: logFile(this.#parts, header, attempt),
      ...opener(attempt),
    };
  }

  #printOne({ header }: Run, attempt: Attempt): void {
    const file = logFile(this.#parts, header, attempt);
    if (!existsSync(file)) return;
    const from = this.#offsets.get(file);
    if (from === undefined) {
      const outcome = attempt.state.phase === "ended" ? attempt.state.outcome : attempt.state.phase;
      const title = `${attempt.story ? `${attempt.story} ` : ""}${attempt.step}, attempt ${attempt.number} (${attempt.executor}, ${outcome})`;
      this.#console.say(this.#console.paint("bold", `── ${title} ──`));
    }
    this.#offsets.set(file, copyFrom(file, from ?? 0));
  }

  /** Known when it has ended; said once, behind all that it printed. */
  #sayHowToOpen(attempt: Attempt, opener: Opener): void {
    if (attempt.session === null || this.#opened.has(attempt.id)) return;
    this.#opened.add(attempt.id);
    const { session, open } = opener(attempt);
    if (open !== null) this.#console.say(`this session can be opened: ${open}`);
    else if (session !== null) this.#console.say(`its session: ${session}`);
  }
}

function attemptsOf(run: Run, step: string | undefined): readonly Attempt[] {
  const all = [run.header, ...Object.values(run.stories)].flatMap((scope) => scope.attempts);
  const chosen = all.filter(
    (attempt) =>
      step === undefined ||
      [attempt.step, attempt.name, attempt.story, `${attempt.story}/${attempt.step}`].includes(step),
  );
  if (
    step !== undefined &&
    chosen.length === 0 &&
    !all.some((attempt) => attempt.name === step) &&
    !run.header.chain.some(({ name }) => name === step)
  ) {
    const known = [...new Set(all.map((attempt) => attempt.name))].join(", ");
    throw new AppError("NOT_FOUND", `this run has no step "${step}"`, {
      hint: `there are: ${known || "none that has run yet"}`,
    });
  }
  return chosen.toSorted((a, b) => a.startedAt - b.startedAt);
}

/** In pieces: a log may be larger than memory. */
function copyFrom(file: string, offset: number): number {
  const handle = openSync(file, "r");
  const buffer = Buffer.alloc(64 * 1024);
  let at = offset;
  try {
    for (;;) {
      const read = readSync(handle, buffer, 0, buffer.length, at);
      if (read === 0) return at;
      process.stdout.write(Buffer.from(buffer.subarray(0, read)));
      at += read;
    }
  } finally {
    closeSync(handle);
  }
}
