// The commands: every request that can change a run. Time, ids and randomness reach the engine only through them.

import type { CapName, Definition } from "./definition.ts";
import type { EditOperation } from "./edit.ts";
import type { FileChange } from "./file-change.ts";
import type { AttemptId, GateId, NoteId, PartName, RunId, StepId, StepName, StoryId, Token } from "./ids.ts";
import type { Report } from "./report.ts";
import type { RunPlace, WaitsLevel } from "./run.ts";
import type { AdoptedStory, StorySpec } from "./story.ts";

interface CommandBase {
  readonly at: number;
  /** Who sends it: `driver`, `agent:<name>`, `user:<name>`, `engine`. */
  readonly author: string;
}

export interface StartRun extends CommandBase {
  readonly type: "start_run";
  readonly run: RunId;
  readonly definition: Definition;
  readonly task: string;
  readonly place: RunPlace;
  readonly executor: string | null;
  /** Before which steps it asks. Absent: `marked`. */
  readonly waits?: WaitsLevel;
  /** Keys that the caller gave; no step overwrites them. */
  readonly context: Readonly<Record<string, string>>;
  /** Stories that are known from the start; absent: a step plans them. */
  readonly stories?: readonly StorySpec[];
  /** Those of them that were partly done in an earlier run. */
  readonly adopted?: readonly AdoptedStory[];
}

/** A worker claims a ready step. */
export interface StartAttempt extends CommandBase {
  readonly type: "start_attempt";
  readonly story: StoryId | null;
  readonly step: StepId;
  /** The part of the step; absent: the whole step. */
  readonly part?: PartName;
  readonly attempt: AttemptId;
  readonly token: Token;
  readonly driver: "push" | "pull";
  readonly executor: string;
  readonly host: string;
}

/** The workspace of an attempt is prepared; from now on the attempt may change things. */
export interface BeginAttempt extends CommandBase {
  readonly type: "begin_attempt";
  readonly story: StoryId | null;
  readonly attempt: AttemptId;
  readonly workspace: string | null;
  readonly base: string | null;
}

/** The result of an attempt. It counts once, and only with the token of the running attempt. */
export interface FinishAttempt extends CommandBase {
  readonly type: "finish_attempt";
  readonly story: StoryId | null;
  readonly attempt: AttemptId;
  /** null: the supervisor reports the end of a process that it watched or found dead. */
  readonly token: Token | null;
  readonly report: Report;
}

/** A person stops one attempt. The run continues, and the step waits for a person. */
export interface StopOneAttempt extends CommandBase {
  readonly type: "stop_attempt";
  readonly story: StoryId | null;
  readonly attempt: AttemptId;
  readonly reason: string;
}

/** A person changes before which steps the run asks. */
export interface ChangeWaits extends CommandBase {
  readonly type: "change_waits";
  readonly waits: WaitsLevel;
}

export interface AnswerGate extends CommandBase {
  readonly type: "answer_gate";
  readonly story: StoryId | null;
  readonly gate: GateId;
  readonly option: string;
  /** A one-word reason, if the gate has routes for reasons. */
  readonly reason?: string;
  readonly note: string;
  /** The current tree, if the gate showed one. */
  readonly tree: string | null;
}

/** The deadline of a gate has passed without an answer. */
export interface ExpireGate extends CommandBase {
  readonly type: "expire_gate";
  readonly story: StoryId | null;
  readonly gate: GateId;
}

interface PauseRun extends CommandBase {
  readonly type: "pause_run";
}

export interface ResumeRun extends CommandBase {
  readonly type: "resume_run";
  /** Performs the steps of all agents from here on. Absent: as before. */
  readonly executor?: string;
}

export interface CancelRun extends CommandBase {
  readonly type: "cancel_run";
  readonly reason: string;
}

/** Makes failed steps ready again, with renewed limits. */
export interface RetryRun extends CommandBase {
  readonly type: "retry_run";
  readonly story: StoryId | null;
  readonly step: StepName | null;
}

/** A person changes steps that are still to come. */
export interface EditChain extends CommandBase {
  readonly type: "edit_chain";
  readonly story: StoryId | null;
  readonly operations: readonly EditOperation[];
}

/** Changes what a run still has to work on: stories that are new, that have other words, that are gone or done elsewhere. */
export interface AddStories extends CommandBase {
  readonly type: "add_stories";
  readonly stories: readonly StorySpec[];
  /** Stories that have not begun and leave the plan. One that is also in `stories` is replaced. */
  readonly dropped?: readonly StoryId[];
  /** Stories that have not begun and count as done. */
  readonly done?: readonly StoryId[];
}

/** A person's words for the next attempt. */
export interface AddNote extends CommandBase {
  readonly type: "add_note";
  readonly note: NoteId;
  /** null: for the next attempt anywhere in the run. */
  readonly of: StoryId | null;
  readonly text: string;
}

/** What others changed in files that Pawl writes. */
export interface TakeFileChanges extends CommandBase {
  readonly type: "take_file_changes";
  /** `note`: the id of the note that a change may become. */
  readonly changes: readonly (FileChange & { readonly note: NoteId })[];
}

/** What people should know of the closing of a run that is over. */
export interface NoteClosing extends CommandBase {
  readonly type: "note_closing";
  readonly notes: readonly string[];
}

/** A person's words for the agent of an attempt that runs. */
export interface TellAttempt extends CommandBase {
  readonly type: "tell_attempt";
  readonly story: StoryId | null;
  readonly attempt: AttemptId;
  readonly note: NoteId;
  /** null: a note on the run. */
  readonly of: StoryId | null;
  readonly text: string;
}

/** What became of it: the agent has the words, or why it does not. */
export interface SettleNote extends CommandBase {
  readonly type: "settle_note";
  readonly story: StoryId | null;
  readonly attempt: AttemptId;
  readonly note: NoteId;
  /** null: the agent has them. */
  readonly refused: string | null;
}

/** A person gives up one step, or goes on without it. */
export interface DropStep extends CommandBase {
  readonly type: "drop_step";
  readonly story: StoryId | null;
  /** Its id or its name. */
  readonly step: string;
  readonly as: "done" | "failed";
  readonly reason: string;
}

/** A person gives up one story, or goes on without it. */
export interface DropStory extends CommandBase {
  readonly type: "drop_story";
  readonly of: StoryId;
  /** Refuses a story that has begun. */
  readonly onlyUnbegun?: true;
  readonly as: "done" | "failed";
  readonly reason: string;
}

/** The commit of an integrated story was taken back by another commit. */
export interface RevertStory extends CommandBase {
  readonly type: "revert_story";
  readonly of: StoryId;
  readonly commit: string;
  /** The commit that takes it back. */
  readonly by: string;
  /** The branch that has it. */
  readonly on: string;
}

/** A program says that something has happened, for a step that waits for it. */
export interface ReceiveSignal extends CommandBase {
  readonly type: "receive_signal";
  readonly signal: string;
  /** The story it is for; null: the run's own chain. */
  readonly of: StoryId | null;
  readonly outputs: Readonly<Record<string, string>>;
}

/** A person raises caps of the run. */
export interface RaiseCaps extends CommandBase {
  readonly type: "raise_caps";
  readonly caps: Readonly<Partial<Record<CapName, number>>>;
}

export type Command =
  | RaiseCaps
  | ReceiveSignal
  | DropStep
  | DropStory
  | RevertStory
  | AddNote
  | TakeFileChanges
  | NoteClosing
  | TellAttempt
  | SettleNote
  | EditChain
  | AddStories
  | StartAttempt
  | BeginAttempt
  | FinishAttempt
  | StopOneAttempt
  | ChangeWaits
  | AnswerGate
  | ExpireGate
  | PauseRun
  | ResumeRun
  | CancelRun
  | RetryRun;
