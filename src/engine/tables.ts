// The transition tables: which change is allowed from which state. Rows are states, cells are changes, and a missing cell is
// deliberate. `evolve` moves by them, property tests walk them, and the diagrams in docs/spec are generated from them.

import type { AttemptPhase } from "../domain/attempt.ts";
import type { GateState } from "../domain/gate.ts";
import type { PartStatus } from "../domain/part.ts";
import type { RunEnd } from "../domain/run.ts";
import type { StepStatus } from "../domain/step.ts";
import type { StoryStatus } from "../domain/story.ts";

type Table<State extends string> = { readonly [S in State]: Readonly<Record<string, State>> };

export const stepTable = {
  waiting: { ready: "ready", open: "running", hold: "held", skip: "skipped", cancel: "cancelled" },
  ready: { dispatch: "running", hold: "held", fail: "failed", skip: "skipped", reset: "waiting", cancel: "cancelled" },
  running: { done: "done", again: "ready", hold: "held", fail: "failed", reset: "waiting", cancel: "cancelled" },
  held: {
    done: "done",
    again: "ready",
    open: "running",
    hold: "held",
    fail: "failed",
    reset: "waiting",
    cancel: "cancelled",
  },
  done: { reset: "waiting" },
  failed: { again: "ready", open: "running", reset: "waiting" },
  skipped: { reset: "waiting" },
  cancelled: {},
} as const satisfies Table<StepStatus>;

export const partTable = {
  ready: { dispatch: "running", hold: "held", fail: "failed", stop: "stopped" },
  running: {
    again: "ready",
    hold: "held",
    pass: "passed",
    reject: "rejected",
    fail: "failed",
    stop: "stopped",
  },
  held: { again: "ready", hold: "held", fail: "failed", stop: "stopped" },
  // Its work could not be joined with that of an earlier part.
  passed: { again: "ready" },
  rejected: {},
  failed: {},
  stopped: {},
} as const satisfies Table<PartStatus>;

export const attemptTable = {
  dispatched: { begin: "started", stop: "stopping", end: "ended" },
  started: { stop: "stopping", end: "ended" },
  stopping: { end: "ended" },
  ended: {},
} as const satisfies Table<AttemptPhase["phase"]>;

export const storyTable = {
  waiting: { open: "running", block: "blocked", cancel: "cancelled", adopt: "done", give_up: "failed" },
  running: { hold: "held", done: "done", fail: "failed", cancel: "cancelled" },
  held: { release: "running", done: "done", fail: "failed", cancel: "cancelled" },
  done: {},
  failed: { retry: "waiting" },
  blocked: { unblock: "waiting", cancel: "cancelled" },
  skipped: {},
  cancelled: { retry: "waiting" },
} as const satisfies Table<StoryStatus>;

export const gateTable = {
  open: { show: "open", answer: "answered", void: "void" },
  answered: { void: "void" },
  void: {},
} as const satisfies Table<GateState["status"]>;

/** `open` is shown as `running` or `held`, depending on the steps. */
export const runTable = {
  open: { pause: "paused", done: "done", fail: "failed", cancel: "cancelled" },
  paused: { resume: "open", done: "done", fail: "failed", cancel: "cancelled" },
  done: {},
  failed: { reopen: "open" },
  cancelled: {},
} as const satisfies Table<"open" | "paused" | RunEnd["status"]>;

/** A change that no table allows. It is a defect of the engine, never of its input, which `decide` checks first. */
export class IllegalTransition extends Error {
  constructor(what: string, from: string, change: string) {
    super(`${what}: no transition "${change}" from "${from}"`);
    this.name = "IllegalTransition";
  }
}

/** The state that `change` leads to, by the table. */
export function move<S extends string>(table: Table<S>, what: string, from: S, change: string): S {
  const to = table[from][change];
  if (to === undefined) throw new IllegalTransition(what, from, change);
  return to;
}

export function allows<S extends string>(table: Table<S>, from: S, change: string): boolean {
  return table[from][change] !== undefined;
}
