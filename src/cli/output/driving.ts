// Watching a drive. Owns: what the commands that drive a run share: live progress, Ctrl-C, the end and its exit code.

import type { Application } from "../../application/application.ts";
import type { AcceptedRun, Driven, DriveRequest } from "../../application/driving/drive.ts";
import { serviceHere } from "../../application/driving/hand-over.ts";
import { exitCodes } from "../../domain/error.ts";
import { replaceOlder } from "../../service/upgrade.ts";
import type { Console } from "./console.ts";
import { Progress } from "./progress.ts";
import { printEnd } from "./run-end.ts";

export interface Watching {
  /** One JSON event a line instead of progress. */
  readonly events: boolean;
  /** Said when the run is accepted, before anything of it moves. */
  readonly announce?: (run: AcceptedRun) => void;
}

/** `drive` calls a use case that drives a run, with the request that it gets; null: there was nothing to drive. */
export async function watchDrive<D extends Driven | null>(
  console: Console,
  app: Application,
  { events, announce }: Watching,
  drive: (request: DriveRequest) => Promise<D>,
): Promise<D> {
  const style = events ? "events" : console.json && !console.isTerminal ? "none" : "lines";
  let progress: Progress | null = null;
  const interrupt = new Interrupt(console);
  const older = replaceOlder(app);
  if (older !== null) console.note(older);
  try {
    const driven = await drive({
      signal: interrupt.signal,
      onNote: (note) => console.note(note),
      onFollowing: (isFollowing) => {
        interrupt.isFollowing = isFollowing;
      },
      onStart(run) {
        announce?.(run);
        interrupt.open();
        console.isDriving = true;
        progress = new Progress(app, run.run, console, style, run.since ?? 0);
      },
    });
    await closed(progress);
    if (driven !== null) printEnd(console, driven, { events, isServed: serviceHere(app) !== null });
    return driven;
  } finally {
    await closed(progress);
    interrupt.close();
  }
}

/** TypeScript does not see that a callback has set it. */
async function closed(progress: Progress | null): Promise<void> {
  await progress?.close();
}

/**
 * The first Ctrl-C stops the agents in order; the second leaves at once: the watchdog ends the agents, and the next start recovers. A
 * terminal that closes stops them in order, however often it says so.
 */
class Interrupt {
  readonly #controller = new AbortController();
  readonly #handler: () => void;
  readonly #hungUp = () => this.#controller.abort();
  /** Another process drives the run: there is nothing to stop here. */
  isFollowing = false;

  constructor(console: Console) {
    this.#handler = () => {
      if (this.#controller.signal.aborted) process.exit(exitCodes.interrupted);
      if (!this.isFollowing) console.say("\nStopping the running attempts; press Ctrl-C again to leave at once.");
      this.#controller.abort();
    };
  }

  /** Before this, Ctrl-C ends the process as usual. */
  open(): void {
    process.on("SIGINT", this.#handler);
    process.on("SIGTERM", this.#handler);
    process.on("SIGHUP", this.#hungUp);
  }

  get signal(): AbortSignal {
    return this.#controller.signal;
  }

  close(): void {
    process.off("SIGINT", this.#handler);
    process.off("SIGTERM", this.#handler);
    process.off("SIGHUP", this.#hungUp);
  }
}
