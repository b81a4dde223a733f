// Opening Pawl in a program. Owns: one application, the runs that this process drives, and the order in which all of it is closed.

import { resolve } from "node:path";
import { Application } from "../application/application.ts";
import { gatesDocument, openGates } from "../application/gates/gates.ts";
import { runs } from "../application/looking/runs.ts";
import { findRun } from "../application/references.ts";
import { checkWorkflow } from "../application/workflows/workflows.ts";
import { AppError } from "../domain/error.ts";
import { checkWorkflowObject } from "../runtime/runs/workflow-object.ts";
import type { Pawl, PawlOptions, PawlRun, RunStart, WorkflowObject } from "./api.ts";
import { DrivenRun, type RunContext } from "./driven-run.ts";
import { withOwnExecutors } from "./function-executor.ts";

/** Several programs, and several calls in one program, may open the same home. */
export async function openPawl(options: PawlOptions = {}): Promise<Pawl> {
  const pawl = new OpenPawl(options);
  await pawl.open();
  return pawl;
}

class OpenPawl implements Pawl {
  readonly #app: Application;
  readonly #closing = new AbortController();
  readonly #driven = new Set<DrivenRun>();
  /** Calls that have not returned: the store is closed after them. */
  readonly #calls = new Set<Promise<unknown>>();
  readonly #surroundings: RunContext;
  #closed: Promise<void> | null = null;

  constructor({ home, cwd = ".", store, author, executors = {}, onNote, trust }: PawlOptions) {
    const from = resolve(cwd);
    const note = harmless(onNote);
    this.#app = new Application({
      trust,
      cwd: from,
      env: home === undefined ? process.env : { ...process.env, PAWL_HOME: resolve(from, home) },
      store,
      author,
      executors: withOwnExecutors(executors),
      warn: note,
    });
    this.#surroundings = { closing: this.#closing.signal, note, call: (work) => this.#call(work) };
  }

  get home(): string {
    return this.#app.home.dir;
  }

  /** A store that cannot be used is reported now and not at the first call. */
  async open(): Promise<void> {
    try {
      await this.#app.read();
    } catch (error) {
      await this.#app.close();
      throw error;
    }
  }

  async start(request: RunStart): Promise<PawlRun> {
    return await this.#call(async () => this.#keep(await DrivenRun.start(this.#app, request, this.#surroundings)));
  }

  async run(reference: string | number): Promise<PawlRun> {
    return await this.#call(async () => {
      const { store } = (await this.#app.read()).parts;
      const { id, number } = await findRun(store, String(reference));
      return this.#keep(new DrivenRun(this.#app, { run: id, number }, this.#surroundings));
    });
  }

  async runs({ limit = 50 }: { readonly limit?: number } = {}) {
    return await this.#call(async () => (await runs(this.#app, limit)).runs);
  }

  async gates() {
    return await this.#call(async () => gatesDocument(await openGates(this.#app)).gates);
  }

  async check(workflow: string | WorkflowObject) {
    return await this.#call(async () =>
      typeof workflow === "string"
        ? checkWorkflow(this.#app, workflow).document.problems
        : checkWorkflowObject(workflow, this.#app),
    );
  }

  async close(): Promise<void> {
    this.#closed ??= this.#close();
    await this.#closed;
  }

  async #close(): Promise<void> {
    this.#closing.abort();
    await Promise.allSettled([...this.#driven].map((run) => run.stopDriving()));
    await Promise.allSettled(this.#calls);
    // A run that was started or resumed at the last moment.
    await Promise.allSettled([...this.#driven].map((run) => run.stopDriving()));
    await this.#app.close();
  }

  #keep(run: DrivenRun): DrivenRun {
    this.#driven.add(run);
    return run;
  }

  async #call<T>(work: () => Promise<T>): Promise<T> {
    if (this.#closing.signal.aborted) {
      throw new AppError("REFUSED", "this Pawl is closed", { hint: "open another one with openPawl()" });
    }
    const call = work();
    this.#calls.add(call);
    try {
      return await call;
    } finally {
      this.#calls.delete(call);
    }
  }
}

/** A callback of the program that throws becomes a warning: the run must not pay for it. */
function harmless(callback: ((text: string) => void) | undefined): (text: string) => void {
  return (text) => {
    try {
      callback?.(text);
    } catch (error) {
      process.emitWarning(error instanceof Error ? error : String(error));
    }
  };
}
