// The public interface of the library. It names no type of another package and none of Node's, so that its declarations compile in
// any project.

import type { CostDocument } from "../contracts/cost-documents.ts";
import type { EventDocument } from "../contracts/events.ts";
import type {
  AnswerDocument,
  DroppedDocument,
  GateDocument,
  NoteDocument,
  OpenGate,
  RunDocument,
  SentSignal,
  StatusDocument,
  StoppedAttempt,
} from "../contracts/run-documents.ts";
import type { WorkflowProblem } from "../contracts/workflow-documents.ts";

declare global {
  // Empty where neither `lib.dom` nor `@types/node` has it, merged with theirs where one does.
  interface AbortSignal {}
}

export interface PawlOptions {
  /** Pawl's home. Default: `PAWL_HOME`, else the XDG state directory, as for the command line. */
  readonly home?: string;
  /** `sqlite:PATH` or `postgres://…`. Default: `PAWL_STORE`, else the store in the home. */
  readonly store?: string;
  /** Where relative paths start. Default: the working directory of the process. */
  readonly cwd?: string;
  /** Who is recorded with what this program does. Default: the user of the process. */
  readonly author?: string;
  /**
   * Runs the commands of a repository's own `.pawl/config.yml` although its user has not agreed to them with `pawl trust`.
   * Default: false; a run then fails to start with `UNTRUSTED`.
   */
  readonly trust?: boolean;
  /** Executors written in TypeScript, by the name that workflows, the configuration and `start` use. */
  readonly executors?: Readonly<Record<string, ExecutorFunction | ExecutorObject>>;
  /** Receives what a person should know now. An error that it throws becomes a warning of the process and harms no run. */
  readonly onNote?: (note: string) => void;
}

export interface Pawl {
  /** The directory in which everything is kept. */
  readonly home: string;
  /** Records a run and drives it in this process until it is over, waits for a person, or is paused. */
  start(request: RunStart): Promise<PawlRun>;
  /** A run by its id, a unique prefix of it, or its number. */
  run(reference: string | number): Promise<PawlRun>;
  /** The newest first. */
  runs(request?: { readonly limit?: number }): Promise<readonly RunDocument[]>;
  /** Open questions of all runs, the oldest first. */
  gates(): Promise<readonly OpenGate[]>;
  /** Every problem of a workflow: a file, an id or an object. Empty if there is none. */
  check(workflow: string | WorkflowObject): Promise<readonly WorkflowProblem[]>;
  /** Stops what this process drives, ends all iterations and closes the store. The runs can be resumed. Twice is harmless. */
  close(): Promise<void>;
}

/** A workflow as its file has it: `pawl workflow schema` prints the JSON Schema. */
export type WorkflowObject = Readonly<Record<string, unknown>>;

export interface RunStart {
  /** A bundled or installed id, the path of a file, or the workflow itself. */
  readonly workflow: string | WorkflowObject;
  readonly task: string;
  /** The git repository to work on. Default: the working directory. */
  readonly repo?: string;
  /** The branch or commit that the work starts from. */
  readonly base?: string;
  /** Work in the checkout itself; only if it is clean. */
  readonly inPlace?: boolean;
  /** Values for templates. */
  readonly context?: Readonly<Record<string, string>>;
  /** Use this executor for every agent: a name, or `command: PROGRAM ARGUMENT…`. */
  readonly executor?: string;
  /** Attempts at once. Default: as configured. */
  readonly concurrency?: number;
  /** `false`: only record the run; `resume`, another process or agents that pull then move it. */
  readonly drive?: boolean;
}

export interface PawlRun {
  readonly id: string;
  readonly number: number;
  /** What happened, and what happens from now on. */
  events(request?: FollowEvents): AsyncIterableIterator<EventDocument>;
  status(): Promise<StatusDocument>;
  /** One sentence: what the run is doing, or what it waits for. */
  why(): Promise<string>;
  cost(): Promise<CostDocument>;
  /** Its open questions. */
  gates(): Promise<readonly GateDocument[]>;
  /** Answers a question, once. If this process drives the run, it continues. */
  answer(gate: string, option: string, more?: AnswerMore): Promise<AnswerDocument>;
  /** The first option of its only open question. */
  approve(more?: AnswerMore): Promise<AnswerDocument>;
  /** The last option of its only open question. */
  reject(more?: AnswerMore): Promise<AnswerDocument>;
  /** Leaves words for the next attempt, of the run or of one story. They stay until an attempt that had them completes. */
  note(text: string, only?: { readonly story?: string }): Promise<NoteDocument>;
  /** Running attempts end, nothing new starts. */
  pause(): Promise<RunDocument>;
  /** Drives the run in this process, whatever stopped it. Returns when it moves. */
  resume(request?: { readonly concurrency?: number }): Promise<void>;
  /** Ends the run for good, with its agents. What it has committed stays on its branch. */
  cancel(reason?: string): Promise<RunDocument>;
  /** Changes before which steps it asks. If this process drives the run, it continues. */
  setWaits(level: "all" | "marked" | "none"): Promise<RunDocument>;
  /** Stops one running attempt; its step then waits for a person, and the rest of the run continues. */
  stopAttempt(only?: {
    readonly story?: string;
    readonly step?: string;
    readonly reason?: string;
  }): Promise<StoppedAttempt>;
  /**
   * Says that something has happened: the oldest step that waits for this name takes it, with the keys of `payload` that it declares.
   * A signal that comes early is kept. If this process drives the run, it continues.
   */
  signal(
    name: string,
    payload?: Readonly<Record<string, unknown>>,
    only?: { readonly story?: string },
  ): Promise<SentSignal>;
  /** Ends one story, as failed by default; the rest of the run continues. Its work stays on its branch and is not integrated. */
  dropStory(story: string, more?: DropMore): Promise<DroppedDocument>;
  /** Ends one step, as failed by default; the rest of the run continues. */
  dropStep(step: string, more?: DropMore & { readonly story?: string }): Promise<DroppedDocument>;
  /** Puts what failed back to `ready` and counts its limits anew. If this process drives the run, it continues. */
  retry(only?: { readonly story?: string; readonly step?: string }): Promise<RunDocument>;
  /** Waits until the run is over, waits for a person, or is paused. Rejects if this process cannot drive it any more. */
  wait(request?: { readonly signal?: AbortSignal }): Promise<StatusDocument>;
  /** Stops driving it in this process; its running attempts are stopped. It can be resumed. */
  stop(): Promise<void>;
}

export interface FollowEvents {
  /** Only events with a larger `seq`. Default: 0, from the first event. */
  readonly after?: number;
  /**
   * When the iteration ends. `held` (the default): when the run is over, waits for a person or is paused, and all events are read; a
   * gate that is answered within the loop does not end it. `over`: when the run is over. `now`: when all events so far are read.
   */
  readonly until?: "now" | "held" | "over";
  /** Ends the iteration. */
  readonly signal?: AbortSignal;
}

export interface AnswerMore {
  /** Goes into the next prompt. */
  readonly note?: string;
  /** Why, in one word, where the gate has routes for reasons. */
  readonly reason?: string;
}

export interface DropMore {
  /** Default: `failed`. */
  readonly as?: "done" | "failed";
  readonly reason?: string;
}

/** Performs one attempt and returns what the agent answers: lines such as `STATUS: done`. */
export type ExecutorFunction = (call: AgentCall) => Promise<string | AgentAnswer> | string | AgentAnswer;

export interface ExecutorObject {
  readonly perform: ExecutorFunction;
  /** How long an attempt may take where the workflow does not say. Default: one hour. */
  readonly timeoutMs?: number;
  /** What is missing before it can be used, in words; null if nothing is. Asked before a run starts. */
  readonly missing?: () => Promise<string | null> | string | null;
}

export interface AgentCall {
  /** What the agent is told, its role first. */
  readonly prompt: string;
  /** Where it works: the tree of the run or of the story. */
  readonly cwd: string;
  /** `PAWL_*` variables. Processes that get them are killed at the end of the attempt. */
  readonly env: Readonly<Record<string, string>>;
  readonly step: string;
  readonly story: string | null;
  /** The 1-based attempt number. */
  readonly attempt: number;
  /** `read`: what it changes in the tree is refused. */
  readonly access: "write" | "read";
  readonly model: string | null;
  /** Aborts when the attempt must stop: its time is over, the run is cancelled, or this program closes. */
  readonly signal: AbortSignal;
  /** Adds to the log of the attempt, which `pawl logs` shows. */
  print(text: string): void;
}

export interface AgentAnswer {
  readonly text: string;
  readonly usage?: {
    readonly costUsd?: number;
    readonly inputTokens?: number;
    readonly outputTokens?: number;
    readonly cacheReadTokens?: number;
  };
  readonly model?: string;
  readonly version?: string;
}
