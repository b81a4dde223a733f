// Events: what happened to a run. They include the results (which steps were reset, which keys cleared), so that replay is a
// plain fold. The log is append-only; a change of meaning needs a new schema version.

import type { Outcome, Taken, Usage, Verdict } from "./attempt.ts";
import type { Caps, Definition } from "./definition.ts";
import type { ChainLine, EditOperation } from "./edit.ts";
import type { Gate } from "./gate.ts";
import type { AttemptId, GateId, NoteId, PartName, RunId, StepId, StepName, StoryId, Token } from "./ids.ts";
import type { Item } from "./item.ts";
import type { Note } from "./note.ts";
import type { PartEnd } from "./part.ts";
import type { Facts, Json } from "./report.ts";
import type { Route } from "./route.ts";
import type { Collected, RunPlace, WaitsLevel } from "./run.ts";
import type { Dropping, SkippedBy, StoriesRound } from "./step.ts";
import type { AdoptedStep, StorySaid, StorySpec, StoryStatus } from "./story.ts";

export const eventSchemaVersion = 1;

interface Happened {
  readonly at: number;
  readonly author: string;
  /** The scope it happened in; null is the run's own. */
  readonly story: StoryId | null;
}

interface ChangeInFile {
  readonly file: string;
  /** Null: the file as a whole. */
  readonly field: string | null;
  /** What it said; absent: it was gone, or too much to repeat. */
  readonly value?: Json;
  readonly why: string;
}

/** A step as it enters a chain. */
export interface PlacedStep {
  readonly id: StepId;
  readonly name: StepName;
  readonly description?: string;
}

export type Event = Happened &
  (
    | {
        readonly type: "run_started";
        readonly run: RunId;
        readonly definition: Definition;
        readonly task: string;
        readonly place: RunPlace;
        readonly executor: string | null;
        /** Absent: `marked`. */
        readonly waits?: WaitsLevel;
        readonly context: Readonly<Record<string, string>>;
        readonly given: readonly string[];
        readonly caps: Caps;
        readonly chain: readonly PlacedStep[];
      }
    | { readonly type: "run_paused" }
    | { readonly type: "run_resumed" }
    /** Another executor performs the steps of all agents from here on. */
    | { readonly type: "executor_changed"; readonly executor: string }
    /** Before which steps the run asks from here on. */
    | { readonly type: "waits_changed"; readonly waits: WaitsLevel }
    | { readonly type: "run_ended"; readonly status: "done" | "failed" | "cancelled"; readonly reason: string }
    /** What people should know of the closing of a run that is over. */
    | { readonly type: "closing_noted"; readonly notes: readonly string[] }
    | { readonly type: "run_reopened" }
    | { readonly type: "caps_raised"; readonly caps: Caps }
    /** The limits of one step, or of all steps of this scope, start a new count. */
    | { readonly type: "limits_renewed"; readonly of: StepName | null; readonly part?: PartName }
    // chains
    | {
        readonly type: "step_readied";
        readonly step: StepId;
        readonly notBefore: number;
        /** How long it is to wait; absent in old events. */
        readonly pauseMs?: number;
        readonly feedback: string | null;
      }
    /** `round`: a new one of a `stories` step; absent: the one that it has continues. */
    | { readonly type: "step_opened"; readonly step: StepId; readonly round?: StoriesRound }
    /** Parts of a step: all of them are ready, but those that `keeps` names have their end already. */
    | {
        readonly type: "parts_opened";
        readonly step: StepId;
        readonly parts: readonly PartName[];
        readonly keeps?: readonly PartName[];
      }
    | {
        readonly type: "part_readied";
        readonly step: StepId;
        readonly part: PartName;
        readonly notBefore: number;
        readonly pauseMs: number;
        readonly feedback: string | null;
      }
    /** `said`: what later steps read of it by name; absent: nothing. */
    | {
        readonly type: "part_ended";
        readonly step: StepId;
        readonly part: PartName;
        readonly end: PartEnd;
        readonly said?: Readonly<Record<string, string>>;
        /** Its summary; absent: it gave none. */
        readonly notes?: string;
      }
    /** Every part has its end, and what they changed is joined by one more. */
    | { readonly type: "join_opened"; readonly step: StepId }
    /** Two parts changed the same files: the later one runs again, on the work of those before it. */
    | {
        readonly type: "join_refused";
        readonly step: StepId;
        readonly part: PartName;
        readonly files: readonly string[];
        readonly feedback: string;
      }
    /** Every part has its end: the verdict of the step, and where it leads. */
    | { readonly type: "parts_ended"; readonly step: StepId; readonly verdict: Verdict; readonly taken: Taken }
    /** The outputs of a step replace those that it had set before. */
    | {
        readonly type: "outputs_set";
        readonly step: StepId;
        readonly set: Readonly<Record<string, string>>;
        readonly cleared: readonly string[];
        readonly notes?: string;
      }
    /** `feedback`: of a rejection that leads on, for the step that runs next. */
    | {
        readonly type: "step_done";
        readonly step: StepId;
        readonly feedback?: { readonly to: StepId; readonly text: string };
      }
    | { readonly type: "step_failed"; readonly step: StepId; readonly reason: string }
    | { readonly type: "step_cancelled"; readonly step: StepId }
    /** It is dropped, or with it its whole story: it ends as soon as nothing of it runs. */
    | ({ readonly type: "step_dropping"; readonly step: StepId } & Dropping)
    | {
        readonly type: "steps_reset";
        /** From the target to the step that routed, in order. */
        readonly steps: readonly StepId[];
        /** Keys that the reset steps had set. */
        readonly cleared: readonly string[];
        /** The step that routed: its own keys stay, as the feedback, until it ends again. */
        readonly keeps: StepId | null;
        readonly feedback: { readonly steps: readonly StepId[]; readonly text: string };
        /** A retry: parts that have a verdict keep it, and the round of stories continues. */
        readonly keepsParts?: true;
        readonly reason: string;
      }
    | {
        readonly type: "steps_skipped";
        readonly steps: readonly StepId[];
        readonly by: SkippedBy;
        readonly reason: string;
        /** What a step was told that does not run: the next one gets it. */
        readonly feedback?: { readonly to: StepId; readonly text: string };
      }
    /** `before` null: at the end. */
    | {
        readonly type: "steps_inserted";
        readonly before: StepId | null;
        readonly steps: readonly PlacedStep[];
        /** Feedback for the first of them. */
        readonly feedback?: string;
        /** Which limit led here, for the one of them that asks a person. */
        readonly asks?: string;
        /** The step that asks. Absent: the last of them. */
        readonly asked?: StepId;
      }
    /** A list was taken: `steps` run for its first entry, and the copies, which stand behind `after`, for the others. */
    | {
        readonly type: "items_taken";
        readonly step: StepId;
        readonly key: string;
        readonly item: Item;
        readonly steps: readonly StepId[];
        readonly after: StepId;
        readonly copies: readonly (PlacedStep & { readonly item: Item })[];
      }
    | { readonly type: "steps_removed"; readonly steps: readonly StepId[] }
    /** The whole chain in its new order. */
    | { readonly type: "steps_reordered"; readonly order: readonly StepId[] }
    | { readonly type: "step_amended"; readonly step: StepId; readonly description: string }
    /** The record of an applied edit; the events before it made the change. `by`: the step whose attempt requested it. */
    | {
        readonly type: "chain_edited";
        readonly by: StepId | null;
        readonly operation: EditOperation;
        readonly added: readonly PlacedStep[];
        readonly before: readonly ChainLine[];
        readonly after: readonly ChainLine[];
        readonly notes: readonly string[];
      }
    /** A refused edit request: nothing was applied. */
    | { readonly type: "edit_refused"; readonly by: StepId; readonly why: string; readonly notes: readonly string[] }
    // attempts
    | {
        readonly type: "attempt_dispatched";
        readonly attempt: AttemptId;
        readonly step: StepId;
        readonly name: StepName;
        readonly part?: PartName;
        readonly visit: number;
        readonly number: number;
        readonly token: Token;
        readonly driver: "push" | "pull";
        readonly executor: string;
        readonly host: string;
      }
    | {
        readonly type: "attempt_began";
        readonly attempt: AttemptId;
        readonly workspace: string | null;
        readonly base: string | null;
      }
    | { readonly type: "attempt_stopping"; readonly attempt: AttemptId; readonly reason: string }
    | {
        readonly type: "attempt_ended";
        readonly attempt: AttemptId;
        readonly outcome: Outcome;
        readonly verdict: Verdict | null;
        readonly taken: Taken | null;
        readonly why: string;
        readonly discards: boolean;
        readonly notes: readonly string[];
        readonly usage: Usage;
        readonly session: string | null;
        readonly model?: string | null;
        readonly version?: string | null;
        readonly tree: string | null;
        /** What is known of it, however it ended. The engine does not read it. */
        readonly facts?: Facts;
      }
    /** Notes of people that the prompt of this attempt has. Its end uses them up or gives them back. */
    | {
        readonly type: "notes_delivered";
        readonly attempt: AttemptId;
        readonly notes: readonly NoteId[];
        /** The part that has them now, and the other parts of its step that get them, too. */
        readonly to?: { readonly step: StepId; readonly part: PartName; readonly others: readonly PartName[] };
      }
    /** A late, repeated or foreign report: recorded and otherwise ignored. */
    | { readonly type: "report_refused"; readonly attempt: AttemptId; readonly why: string }
    // gates
    | { readonly type: "gate_opened"; readonly gate: Omit<Gate, "state"> }
    | {
        readonly type: "gate_answered";
        readonly gate: GateId;
        readonly option: string;
        readonly reason: string | null;
        readonly note: string;
        readonly took: Route["to"];
      }
    /** The work changed after the gate showed it; the gate now shows this tree. */
    | { readonly type: "gate_shown"; readonly gate: GateId; readonly tree: string | null }
    | { readonly type: "gate_voided"; readonly gate: GateId; readonly reason: string }
    /** `of`: the story it is for; null: the run's own chain. It is kept until a step takes it. */
    | {
        readonly type: "signal_received";
        readonly signal: string;
        readonly of: StoryId | null;
        readonly outputs: Readonly<Record<string, string>>;
      }
    /** The oldest kept signal of this name and scope: it answers this gate. */
    | { readonly type: "signal_taken"; readonly signal: string; readonly gate: GateId; readonly step: StepId }
    | { readonly type: "note_added"; readonly note: Omit<Note, "attempt"> }
    /** What others changed in a file that Pawl writes, with the words that people read. The engine does not read it. */
    | ({ readonly type: "file_change_adopted" } & ChangeInFile)
    | ({ readonly type: "file_change_refused" } & ChangeInFile)
    /** A running agent could not be told: nobody gets the note. */
    | { readonly type: "note_withdrawn"; readonly note: NoteId; readonly why: string }
    // stories
    | {
        readonly type: "stories_planned";
        readonly stories: readonly StorySpec[];
        /** Stories that were planned before and have not begun: this plan replaces them. */
        readonly dropped: readonly StoryId[];
      }
    | { readonly type: "story_opened"; readonly of: StepName; readonly chain: readonly PlacedStep[] }
    /** A story with a chain from an earlier run. */
    | { readonly type: "story_adopted"; readonly of: StepName; readonly chain: readonly AdoptedStep[] }
    | {
        readonly type: "story_changed";
        readonly of: StoryId;
        readonly status: StoryStatus;
        readonly reason: string;
        /** The slot of its tree from now on. */
        readonly slot?: number;
        /** A person dropped it as done. */
        readonly leftOut?: true;
      }
    /** Its commit was taken back by another one, on this branch. The story stays done: its chain is over. */
    | {
        readonly type: "story_reverted";
        readonly of: StoryId;
        readonly commit: string;
        readonly by: string;
        readonly on: string;
      }
    /** A finished story's outputs become the run's. */
    /** `set`: the context's new values, collected from all stories. Without `collected`, from an older run, the last story's. */
    | {
        readonly type: "story_merged";
        readonly of: StoryId;
        readonly set: Readonly<Record<string, string>>;
        readonly collected?: Readonly<Record<string, Collected>>;
        /** What later steps read of it by name; absent: nothing. */
        readonly said?: StorySaid;
      }
  );
