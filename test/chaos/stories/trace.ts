// The trace of git. Owns: what the gits of a driver are doing just now, as git itself writes it down (GIT_TRACE2_EVENT), so that
// a moment inside an integration can be found from outside.

import { readProcFile } from "../../../src/system/process/table.ts";
import { Tail } from "./tail.ts";

export interface TracedGit {
  readonly pid: number;
  /** What it was called with, without the settings that every command has. */
  readonly command: string;
}

export class Trace {
  readonly #tail: Tail;
  readonly #open = new Map<string, TracedGit>();

  constructor(path: string) {
    this.#tail = new Tail(path);
  }

  /** The gits that have started since the last look. */
  look(): readonly TracedGit[] {
    const started: TracedGit[] = [];
    for (const line of this.#tail.lines()) {
      // Read only where it matters: there are some thousand lines in a second.
      const isStart = line.startsWith('{"event":"start"');
      if (!isStart && !line.startsWith('{"event":"atexit"')) continue;
      const { sid, argv = [] } = JSON.parse(line) as { sid: string; argv?: readonly string[] };
      // One with a parent is a part of what that one does.
      if (sid.includes("/")) continue;
      if (!isStart) {
        this.#open.delete(sid);
        continue;
      }
      const git = { pid: Number.parseInt(sid.slice(sid.lastIndexOf("-P") + 2), 16), command: commandOf(argv) };
      this.#open.set(sid, git);
      started.push(git);
    }
    return started;
  }

  /** Those that are at work. One that was killed has not said goodbye. */
  atWork(): readonly TracedGit[] {
    this.look();
    for (const [sid, { pid }] of this.#open) if (!isAtWork(pid)) this.#open.delete(sid);
    return [...this.#open.values()];
  }

  close(): void {
    this.#tail.close();
  }
}

/** A git that Pawl has started and that still runs: no other process is ever killed for it. */
function isAtWork(pid: number): boolean {
  return readProcFile(`/proc/${pid}/environ`)?.includes("PAWL_GIT_OF=") ?? false;
}

function commandOf(argv: readonly string[]): string {
  const words = argv.slice(1);
  while (words[0]?.startsWith("-")) words.splice(0, words[0] === "-c" ? 2 : 1);
  return words.join(" ");
}
