// Detects from outside when a phase of a run with stories begins: from git's trace, from the audit log of agents and checks, from
// refs and from the store.

import { existsSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { setTimeout as sleep } from "node:timers/promises";
import type { StoryScene } from "./scene.ts";
import { Tail } from "./tail.ts";
import { Trace, type TracedGit } from "./trace.ts";

/** The phases of an integration, in order. */
export const integrationPhases = ["squash", "rebase", "check", "move", "forward", "leave"] as const;
export const phases = [
  "start",
  "any",
  "enter",
  "work",
  "edits",
  "snapshot",
  ...integrationPhases,
  "recorded",
  "tidy",
] as const;
export type Phase = (typeof phases)[number];
/** All phases except those that depend only on time. */
export type SeenPhase = Exclude<Phase, "start" | "any">;

export interface RunRow {
  readonly id: string;
  readonly number: number;
  readonly status: string;
  /** The number of stories that are done. */
  readonly done: number;
}

interface Seen {
  readonly gits: readonly TracedGit[];
  readonly notes: readonly string[];
  /** The state at the previous look. */
  readonly run: RunRow | null;
}

type Sign = (seen: Seen) => boolean;

/** The arguments of the git command in each phase. */
export const gitOf: Partial<Record<Phase, RegExp>> = {
  enter: /^checkout .* -b /,
  snapshot: /^update-ref refs.pawl.snapshots|^add --all --sparse/,
  squash: /^commit-tree --no-gpg-sign|^checkout .*--detach/,
  rebase: /^merge-tree --write-tree|^rebase --merge/,
  move: /^update-ref --stdin/,
  forward: /^read-tree -m -u [0-9a-f]+ [0-9a-f]+$/,
  leave: /^update-ref --stdin|^read-tree --reset/,
  tidy: /^(update-ref|symbolic-ref|rev-list) /,
};

const lookEveryMs = 1;
/** A query costs more than reading two files. */
const queryEvery = 10;

export class Moments {
  readonly #scene: StoryScene;
  readonly #trace: Trace;
  readonly #audit: Tail;
  #database: DatabaseSync | null = null;
  #looks = 0;
  #row: RunRow | null = null;

  constructor(scene: StoryScene) {
    this.#scene = scene;
    this.#trace = new Trace(scene.trace);
    this.#audit = new Tail(scene.audit);
  }

  run(): RunRow | null {
    try {
      this.#database ??= new DatabaseSync(this.#scene.storeFile, { readOnly: true });
      const done = "(select count(*) from stories where run_id = runs.id and stories.status = 'done') as done";
      const row = this.#database.prepare(`select id, number, status, ${done} from runs`).get();
      return row === undefined ? null : (row as unknown as RunRow);
    } catch {
      // It does not exist yet, or is locked for a moment.
      return null;
    }
  }

  gitsAtWork(): readonly TracedGit[] {
    return this.#trace.atWork();
  }

  /** The first of these phases that begins, after skipping some; null when no more will begin. */
  async reach(wanted: readonly SeenPhase[], pass: number, isOver: () => boolean): Promise<SeenPhase | null> {
    this.#look();
    const signs = [...new Set(wanted)].map((phase) => ({ phase, isReached: this.#sign(phase) }));
    let left = pass;
    while (!isOver()) {
      const seen = this.#look();
      const reached = signs.find(({ isReached }) => isReached(seen));
      if (reached !== undefined && left === 0) return reached.phase;
      if (reached !== undefined) left -= 1;
      await sleep(lookEveryMs);
    }
    return null;
  }

  close(): void {
    this.#trace.close();
    this.#audit.close();
    this.#database?.close();
  }

  #sign(phase: SeenPhase): Sign {
    const noted = (words: string) => (seen: Seen) => seen.notes.some((line) => isNote(line, words));
    const called = (seen: Seen) => seen.gits.some(({ command }) => gitOf[phase]?.test(command));
    /** True each time the number has grown. */
    const grows = (count: (seen: Seen) => number, start: number): Sign => {
      let last = start;
      return (seen) => {
        const now = count(seen);
        const isMore = now > last;
        last = now;
        return isMore;
      };
    };
    switch (phase) {
      case "work":
      case "edits":
        return noted(phase);
      case "check":
        return noted("check detached");
      case "move": {
        const isGreen = noted("green detached");
        let wasGreen = false;
        return (seen) => {
          wasGreen ||= isGreen(seen);
          const isMoving = wasGreen && called(seen);
          if (isMoving) wasGreen = false;
          return isMoving;
        };
      }
      case "leave":
        return grows(() => this.#integrated(), this.#integrated());
      case "recorded":
        return grows(({ run }) => run?.done ?? 0, this.run()?.done ?? 0);
      case "tidy":
        return (seen) => seen.run?.status === "done" && called(seen);
      case "enter":
      case "snapshot":
      case "squash":
      case "rebase":
      case "forward":
        return called;
    }
  }

  #look(): Seen {
    this.#looks += 1;
    if (this.#looks % queryEvery === 0) this.#row = this.run();
    return { notes: this.#audit.lines(), gits: this.#trace.look(), run: this.#row };
  }

  #integrated(): number {
    const refs = join(this.#scene.repo, ".git/refs/pawl/integrated");
    return existsSync(refs) ? readdirSync(refs, { recursive: true }).length : 0;
  }
}

/** `work ATTEMPT TREE STORY STEP`, or `green ATTEMPT TREE detached check`. */
function isNote(line: string, words: string): boolean {
  const [what, , , where] = line.split(" ");
  return words === what || words === `${what} ${where}`;
}
