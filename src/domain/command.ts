// Commands. Owns: everything that can be asked of a run. Time, ids and chance arrive in here.

import type { Definition } from "./definition.ts";
import type { EditOperation } from "./edit.ts";
import type { AttemptId, GateId, RunId, StepId, StepName, StoryId, Token } from "./ids.ts";
import type { Report } from "./report.ts";
import type { RunPlace } from "./run.ts";
import type { AdoptedStory, StorySpec } from "./story.ts";

interface Asked {
  readonly at: number;
  /** Who asks: `driver`, `agent:<name>`, `user:<name>`, `engine`. */
  readonly author: string;
}

export interface StartRun extends Asked {
  readonly type: "start_run";
  readonly run: RunId;
  readonly definition: Definition;
  readonly task: string;
  readonly place: RunPlace;
  readonly executor: string | null;
  /** What the caller gave; no step overwrites it. */
  readonly context: Readonly<Record<string, string>>;
  /** Stories that are known from the start; absent: a step will plan them. */
  readonly stories?: readonly StorySpec[];
  /** Those of them that have a life behind them. */
  readonly adopted?: readonly AdoptedStory[];
}

/** A worker claims a ready step. */
export interface StartAttempt extends Asked {
  readonly type: "start_attempt";
  readonly story: StoryId | null;
  readonly step: StepId;
  readonly attempt: AttemptId;
  readonly token: Token;
  readonly driver: "push" | "pull";
  readonly executor: string;
  readonly host: string;
}

/** Its workspace is prepared; from here on it may change things. */
export interface BeginAttempt extends Asked {
  readonly type: "begin_attempt";
  readonly story: StoryId | null;
  readonly attempt: AttemptId;
  readonly workspace: string | null;
  readonly base: string | null;
}

/** A result. It counts once, and only with the token of the attempt that is running. */
export interface FinishAttempt extends Asked {
  readonly type: "finish_attempt";
  readonly story: StoryId | null;
  readonly attempt: AttemptId;
  /** null: the supervisor itself reports the end of a process that it watched or found dead. */
  readonly token: Token | null;
  readonly report: Report;
}

export interface AnswerGate extends Asked {
  readonly type: "answer_gate";
  readonly story: StoryId | null;
  readonly gate: GateId;
  readonly option: string;
  /** Why, in one word, where the gate has routes for reasons. */
  readonly reason?: string;
  readonly note: string;
  /** The tree as it is now, where the gate showed one. */
  readonly tree: string | null;
}

/** No answer came in time. */
export interface ExpireGate extends Asked {
  readonly type: "expire_gate";
  readonly story: StoryId | null;
  readonly gate: GateId;
}

interface PauseRun extends Asked {
  readonly type: "pause_run";
}

interface ResumeRun extends Asked {
  readonly type: "resume_run";
}

export interface CancelRun extends Asked {
  readonly type: "cancel_run";
  readonly reason: string;
}

/** Put what failed back to `ready`, with its limits counted anew from here. */
export interface RetryRun extends Asked {
  readonly type: "retry_run";
  readonly story: StoryId | null;
  readonly step: StepName | null;
}

/** A person changes what is still to come. */
export interface EditChain extends Asked {
  readonly type: "edit_chain";
  readonly story: StoryId | null;
  readonly operations: readonly EditOperation[];
}

/** More stories for a run that has some. */
export interface AddStories extends Asked {
  readonly type: "add_stories";
  readonly stories: readonly StorySpec[];
}

export type Command =
  | EditChain
  | AddStories
  | StartAttempt
  | BeginAttempt
  | FinishAttempt
  | AnswerGate
  | ExpireGate
  | PauseRun
  | ResumeRun
  | CancelRun
  | RetryRun;
