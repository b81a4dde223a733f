// Driving from the command line. Owns: what `run`, `resume` and `demo` share: progress, Ctrl-C, the end and its exit code.

import { exitCodes } from "../domain/error.ts";
import type { RunId } from "../domain/ids.ts";
import type { RunStatus } from "../domain/run.ts";
import { agentsFor, type Config } from "../runtime/config/config.ts";
import { driveRun } from "../runtime/loop/drive.ts";
import { inWords } from "../runtime/loop/recover.ts";
import type { Parts } from "../runtime/parts.ts";
import { findWorkBranch } from "../runtime/trees/work-branch.ts";
import { statusDocument } from "../runtime/views/status.ts";
import type { Console } from "./console.ts";
import { Progress } from "./progress.ts";
import type { Session } from "./session.ts";

export interface Drive {
  readonly run: RunId;
  readonly number: number;
  readonly events: boolean;
  readonly concurrency: number | null;
  /** Show only what happens from here on. */
  readonly since?: number;
}

export async function driveToEnd(console: Console, { parts, config }: Session, drive: Drive): Promise<RunStatus> {
  const style = drive.events ? "events" : console.json && !console.isTerminal ? "none" : "lines";
  const progress = new Progress(parts, drive.run, console, style, drive.since ?? 0);
  const interrupt = new Interrupt(console);
  console.isDriving = true;
  try {
    const status = await driveRun(parts, {
      run: drive.run,
      concurrency: drive.concurrency ?? (await agentsOf(parts, config, drive.run)),
      signal: interrupt.signal,
      onRecovered: (recovered) => console.note(inWords(recovered)),
    });
    await progress.close();
    await conclude(console, { parts, config }, drive, interrupt.signal.aborted ? "interrupted" : status);
    return status;
  } finally {
    await progress.close();
    interrupt.close();
  }
}

async function agentsOf(parts: Parts, config: Config, run: RunId): Promise<number> {
  const loaded = await parts.store.transaction((tx) => tx.load(run, () => []));
  return loaded ? agentsFor(config, loaded.run.header.definition) : 1;
}

async function conclude(
  console: Console,
  { parts }: Session,
  drive: Drive,
  end: RunStatus | "interrupted",
): Promise<void> {
  const [run, summary] = [await parts.store.wholeRun(drive.run), await parts.store.runById(drive.run)];
  if (!run || !summary) return;
  const document = statusDocument(run, summary, parts.clock.now());
  console.exitCode = exitCodeOf(end);
  if (console.json && !drive.events) console.document(document);
  const number = `#${drive.number}`;
  if (end === "interrupted") console.say(`Interrupted. \`pawl resume ${drive.number}\` goes on where it stopped.`);
  else if (end === "done") {
    const branch = await findWorkBranch(run.header);
    console.say(`Run ${number} is done.${branch ? ` The work is on branch ${branch}.` : ""}`);
    console.say(`Look closer: pawl status ${drive.number} · pawl logs ${drive.number} · pawl events ${drive.number}`);
  } else {
    console.say(document.why);
    if (end === "failed")
      console.say(
        `Look closer: pawl logs ${drive.number}. Try again: pawl retry ${drive.number}, then pawl resume ${drive.number}`,
      );
    const { shared } = run.header.place;
    if (end === "failed" && shared !== undefined) console.say(`Its files are in ${shared}`);
    if (end === "paused") console.say(`\`pawl resume ${drive.number}\` lets it go on.`);
  }
}

export function exitCodeOf(end: RunStatus | "interrupted"): number {
  switch (end) {
    case "done":
      return exitCodes.done;
    case "interrupted":
      return exitCodes.interrupted;
    // Not over, and it goes on only if somebody wants it to: a script must not take it for done.
    case "held":
    case "paused":
    case "running":
      return exitCodes.held;
    case "failed":
    case "cancelled":
      return exitCodes.failed;
  }
}

/** The first Ctrl-C ends agents in order; the second leaves at once, and recovery does the rest at the next start. */
class Interrupt {
  readonly #controller = new AbortController();
  readonly #handler: () => void;

  constructor(console: Console) {
    this.#handler = () => {
      if (this.#controller.signal.aborted) process.exit(exitCodes.interrupted);
      console.say("\nStopping the running attempts; press Ctrl-C again to leave at once.");
      this.#controller.abort();
    };
    process.on("SIGINT", this.#handler);
    process.on("SIGTERM", this.#handler);
  }

  get signal(): AbortSignal {
    return this.#controller.signal;
  }

  close(): void {
    process.off("SIGINT", this.#handler);
    process.off("SIGTERM", this.#handler);
  }
}
