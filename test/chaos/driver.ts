// Starts `pawl run` and `pawl resume` as processes, and kills them or their agents at a moment that a seed chooses.

import { type ChildProcess, spawn } from "node:child_process";
import { DatabaseSync, type StatementSync } from "node:sqlite";
import { setTimeout as sleep } from "node:timers/promises";
import { findMarked } from "../../src/system/process/strays.ts";
import { readRow } from "../../src/system/process/table.ts";
import { pawl, type Scene } from "./scene.ts";
import { Tail } from "./stories/tail.ts";

export type Moment =
  /** That long after the start. */
  | { readonly kind: "time"; readonly afterMs: number }
  /** A little after the run has that many more events. */
  | { readonly kind: "commit"; readonly events: number; readonly afterMs: number }
  /** A little after an agent has changed files that many times, before it has committed them. */
  | { readonly kind: "work"; readonly changes: number; readonly afterMs: number }
  /** A little after the run is recorded as done, during the clean-up. */
  | { readonly kind: "done"; readonly afterMs: number }
  | { readonly kind: "never" };

export interface End {
  readonly killed: boolean;
  readonly code: number | null;
  readonly complaints: string;
  /** It did not end by itself in time. */
  readonly hung: boolean;
}

export interface RunRow {
  readonly id: string;
  readonly number: number;
  readonly status: string;
  readonly events: number;
  /** How often agents have changed files, from their audit log. */
  readonly changes: number;
}

export type Look = () => RunRow | null;

/** A driver that has not ended after this time hangs. */
const hangTimeoutMs = 180_000;
const lookEveryMs = 4;

/** Reads the store directly, without Pawl's own code. It looks some hundred times a second, so it reads nothing twice. */
export class Spectator {
  readonly #file: string;
  readonly #audit: Tail;
  /** By run, since this spectator is there. */
  readonly #changes = new Map<string, number>();
  #database: DatabaseSync | null = null;
  #query: StatementSync | null = null;

  constructor(scene: Scene) {
    this.#file = scene.storeFile;
    this.#audit = new Tail(scene.audit);
  }

  run(task: string): RunRow | null {
    try {
      this.#database ??= new DatabaseSync(this.#file, { readOnly: true });
      this.#query ??= this.#database.prepare(
        "select id, number, status, events from runs join totals on run_id = id where task = ?",
      );
      const row = this.#query.get(task);
      if (row === undefined) return null;
      const found = row as unknown as Omit<RunRow, "changes">;
      return { ...found, changes: this.#changesOf(found.id) };
    } catch {
      // It does not exist yet, or is locked for a moment.
      return null;
    }
  }

  /** Processes of a run's attempts, including attempts that have ended. */
  async processes(run: string): Promise<readonly number[]> {
    const rows = this.#database?.prepare("select id from attempts where run_id = ?").all(run) ?? [];
    const ids = new Set(rows.map(({ id }) => id));
    return (await findMarked("PAWL_ATTEMPT_ID")).filter(({ value }) => ids.has(value)).map(({ pid }) => pid);
  }

  close(): void {
    this.#audit.close();
    this.#database?.close();
  }

  #changesOf(run: string): number {
    for (const line of this.#audit.lines()) {
      const [what, , of = ""] = line.split(" ");
      if (what === "commit" || what === "amend") this.#changes.set(of, (this.#changes.get(of) ?? 0) + 1);
    }
    return this.#changes.get(run) ?? 0;
  }
}

/** Also true when the run is done: nothing more will happen. */
function reacher(moment: Exclude<Moment, { kind: "time" | "never" }>, start: RunRow | null) {
  const never = Number.POSITIVE_INFINITY;
  const events = moment.kind === "commit" ? (start?.events ?? 0) + moment.events : never;
  const changes = moment.kind === "work" ? (start?.changes ?? 0) + moment.changes : never;
  return (now: RunRow | null) =>
    now !== null && (now.events >= events || now.changes >= changes || now.status === "done");
}

/** If this process is interrupted, the drivers must not continue without it. */
const living = new Set<ChildProcess>();
process.once("exit", () => {
  for (const child of living) child.kill("SIGKILL");
});

export class Driver {
  readonly #child: ChildProcess;
  readonly #exit: Promise<number | null>;
  #complaints = "";
  #over = false;

  constructor(scene: Pick<Scene, "dir" | "home">, args: readonly string[], env: NodeJS.ProcessEnv = {}) {
    this.#child = spawn(process.execPath, [pawl, ...args], {
      cwd: scene.dir,
      env: { ...process.env, PAWL_HOME: scene.home, PAWL_LOG: "json", ...env },
      stdio: ["ignore", "ignore", "pipe"],
      detached: true,
    });
    this.#child.stderr?.on("data", (chunk: Buffer) => {
      this.#complaints = (this.#complaints + chunk.toString()).slice(-20_000);
    });
    living.add(this.#child);
    this.#exit = new Promise((resolve) => {
      this.#child.once("exit", (code) => {
        living.delete(this.#child);
        this.#over = true;
        resolve(code);
      });
    });
  }

  get pid(): number {
    return this.#child.pid ?? 0;
  }

  get isOver(): boolean {
    return this.#over;
  }

  async killAt(moment: Moment, look: Look): Promise<End> {
    await this.reach(moment, look);
    return this.#over ? await this.#end(false) : await this.kill();
  }

  /** Waits until it ends by itself. */
  async end(): Promise<End> {
    return await this.#end(false);
  }

  /** Its terminal closes: it stops its agents in order and ends. */
  async hangUp(): Promise<End> {
    if (!this.#over) this.#child.kill("SIGHUP");
    return await this.#end(false);
  }

  /** It stands still for a while, in which something happens, and then continues. */
  async freeze(ms: number, meanwhile: () => void = () => undefined): Promise<void> {
    if (this.#over) return;
    this.#child.kill("SIGSTOP");
    meanwhile();
    await sleep(ms);
    this.#child.kill("SIGCONT");
  }

  async kill(): Promise<End> {
    const killed = !this.#over && this.#child.kill("SIGKILL");
    return await this.#end(killed);
  }

  /** Resolves at the moment, or when the driver has ended by itself. */
  async reach(moment: Moment, look: Look): Promise<void> {
    if (moment.kind === "never") return void (await this.endsWithin(hangTimeoutMs));
    if (moment.kind !== "time") {
      const deadline = Date.now() + hangTimeoutMs;
      const isReached = reacher(moment, look());
      while (!this.#over && Date.now() < deadline && !isReached(look())) await sleep(lookEveryMs);
    }
    await this.endsWithin(moment.afterMs);
  }

  /** The agent that it is running; null between two agents. */
  async agentPid(): Promise<number | null> {
    return (await this.agentPids())[0] ?? null;
  }

  /** Everything that it is running, including checks. */
  async agentPids(): Promise<readonly number[]> {
    const marked = await findMarked("PAWL_ATTEMPT_ID");
    return marked.filter(({ pid }) => readRow(pid)?.parent === this.pid).map(({ pid }) => pid);
  }

  /** True if it has ended by itself by then. */
  async endsWithin(ms: number): Promise<boolean> {
    const timer = new AbortController();
    const ended = await Promise.race([
      this.#exit.then(() => true),
      sleep(ms, false, { signal: timer.signal }).catch(() => false),
    ]);
    timer.abort();
    return ended;
  }

  async #end(killed: boolean): Promise<End> {
    const hung = !killed && !(await this.endsWithin(hangTimeoutMs));
    if (hung) this.#child.kill("SIGKILL");
    const code = await this.#exit;
    return { killed, code, complaints: this.#complaints, hung };
  }
}
