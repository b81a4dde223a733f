// Who starts git: this process, or after some calls a small one. Linux copies the page table of a process for each child that it starts,
// which takes a driver 3 to 6 ms in which it does nothing else, and a small process 1 ms.

import { type ChildProcess, spawn } from "node:child_process";
import { packageProgram } from "../../system/package-root.ts";
import type { Marker } from "../../system/process/strays.ts";
import { callGit, type GitCall, type GitEnd } from "./git-call.ts";

export interface StarterCall {
  readonly id: number;
  readonly call: GitCall;
}

export type StarterAnswer = "ready" | { readonly id: number; readonly end: GitEnd };

/** A command that asks git a few times is over before a starter would pay. */
const callsBefore = 32;

let calls = 0;
let starter: GitStarter | null = null;

/** `marker`: by which the next process finds what this one has left running. */
export async function startGit(call: GitCall, marker: Marker): Promise<GitEnd> {
  calls += 1;
  if (calls === callsBefore && process.platform === "linux") starter = new GitStarter(marker);
  return await (starter?.isReady ? starter.call(call) : callGit(call));
}

class GitStarter {
  readonly #child: ChildProcess;
  readonly #waiting = new Map<number, (end: GitEnd) => void>();
  #calls = 0;
  #hasStarted = false;

  constructor({ name, value }: Marker) {
    const program = packageProgram({ source: "src/workspaces/git/git-starter.ts", bundled: "dist/git-starter.js" });
    // It has the marker of a git: as long as it is there, one may start.
    this.#child = spawn(process.execPath, [program, String(process.pid)], {
      cwd: "/",
      env: { [name]: value },
      stdio: ["ignore", "ignore", "ignore", "ipc"],
      serialization: "advanced",
      detached: true,
    });
    this.#child.on("message", (answer) => this.#hear(answer as StarterAnswer));
    this.#child.on("error", () => this.#end());
    this.#child.on("disconnect", () => this.#end());
    // This process ends although its starter is there; the starter ends with it.
    this.#child.unref();
    this.#child.channel?.unref();
  }

  /** false as well once it has ended: then this process starts git again. */
  get isReady(): boolean {
    return this.#hasStarted && this.#child.connected;
  }

  call(call: GitCall): Promise<GitEnd> {
    this.#calls += 1;
    const id = this.#calls;
    return new Promise((resolve) => {
      this.#waiting.set(id, resolve);
      this.#child.channel?.ref();
      // What could not be sent is answered by the end of the starter.
      this.#child.send({ id, call } satisfies StarterCall, () => undefined);
    });
  }

  #hear(answer: StarterAnswer): void {
    if (answer === "ready") {
      this.#hasStarted = true;
      return;
    }
    this.#waiting.get(answer.id)?.(answer.end);
    this.#waiting.delete(answer.id);
    if (this.#waiting.size === 0) this.#child.channel?.unref();
  }

  /** Nobody knows how the gits ended that it had started. */
  #end(): void {
    for (const resolve of this.#waiting.values()) resolve({ kind: "killed", signal: "the end of its parent" });
    this.#waiting.clear();
  }
}
