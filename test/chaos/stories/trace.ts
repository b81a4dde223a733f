// What a driver's gits are doing, from git's own trace (GIT_TRACE2_EVENT). With it, a kill can hit a moment inside an integration.

import { readProcFile } from "../../../src/system/process/table.ts";
import { Tail } from "./tail.ts";

export interface TracedGit {
  readonly pid: number;
  /** Its arguments, without the settings that every command has. */
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
      // Parses only the relevant lines: there are some thousand a second.
      const isStart = line.startsWith('{"event":"start"');
      if (!isStart && !line.startsWith('{"event":"atexit"')) continue;
      const { sid, argv = [] } = JSON.parse(line) as { sid: string; argv?: readonly string[] };
      // A git with a parent is part of what the parent does.
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

  /** The gits that are running. A killed one has written no end event. */
  atWork(): readonly TracedGit[] {
    this.look();
    for (const [sid, { pid }] of this.#open) if (!isAtWork(pid)) this.#open.delete(sid);
    return [...this.#open.values()];
  }

  close(): void {
    this.#tail.close();
  }
}

/** True for a git that Pawl started and that still runs, so that no other process is ever killed. */
function isAtWork(pid: number): boolean {
  return readProcFile(`/proc/${pid}/environ`)?.includes("PAWL_GIT_OF=") ?? false;
}

function commandOf(argv: readonly string[]): string {
  const words = argv.slice(1);
  while (words[0]?.startsWith("-")) words.splice(0, words[0] === "-c" ? 2 : 1);
  return words.join(" ");
}
