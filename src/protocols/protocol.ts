// The port for protocols. A protocol connects a run with files that other programs, people and agents read and write beside the
// store. The store is authoritative. Everything but the name is optional; `complete-protocol.ts` has the defaults.
//
// A member may throw. That refuses the start of a run, fails an attempt, or is a warning after a commit. In each case people see
// the name of the protocol and the reason.

import type { Attempt } from "../domain/attempt.ts";
import type { PerformedWork } from "../domain/definition.ts";
import type { EditRequest } from "../domain/edit.ts";
import type { Event } from "../domain/event.ts";
import type { Evidence, SaidEvidence } from "../domain/evidence.ts";
import type { RunId, StoryId } from "../domain/ids.ts";
import type { Facts } from "../domain/report.ts";
import type { Header, Run } from "../domain/run.ts";
import type { AdoptedStory, StorySpec } from "../domain/story.ts";
import type { Told } from "../prompts/echo.ts";
import type { ProjectedFiles } from "./files/projection.ts";

export interface Protocol {
  /** As a workflow file names it: `protocol: NAME`. */
  readonly name: string;

  // What a workflow of this protocol may say.

  /** Template keys that `values` sets, beside the general ones. */
  readonly templateKeys?: readonly string[];
  /** That of them which shows the notes of people: a prompt whose template names it does not show them twice. Default: none. */
  readonly notesKey?: string;
  /** That of them which shows why the work came back: a prompt whose template names it does not show it twice. Default: none. */
  readonly feedbackKey?: string;
  /** `collect` returns edit requests, so steps may be `editable`. Default: false. */
  readonly takesEdits?: boolean;
  /** Its files are about stories, so a workflow without a `stories` step is refused. Default: false. */
  readonly needsStories?: boolean;
  /** Its files have a place for the parts of a step, so steps may have `parts`. Default: false. */
  readonly showsParts?: boolean;
  /** Neighbouring steps that do not need each other become parts of one step. Default: false. */
  readonly formsWaves?: boolean;
  /** How agents refer to their step: by its name in the workflow, or by its id in the chain. Default: name. */
  readonly stepIs?: "name" | "id";
  /** Its own words for the log of steps. Default: the general ones. */
  readonly stepWords?: Readonly<Partial<Record<StepWord, string>>>;

  /** Readers of its files, for steps with `decision: NAME`. Default: none. */
  readonly readers?: Readonly<Record<string, DecisionReader>>;

  // When a run starts.

  /** A run has a shared folder, `place.shared`. Default: false. */
  readonly hasFolder?: boolean;
  /** The stories of a run that has only a task. Default: null, a step plans them. */
  storiesFor?(task: string): readonly StorySpec[] | null;
  /** Whether a project's files start a run or continue one. Throws an AppError for files that it cannot use. */
  open?(request: OpenRequest): Opening | Promise<Opening>;
  /** Prepares its files before the run is recorded; the shared folder exists. */
  begin?(run: RunFacts): void | Promise<void>;

  // Files of its own.

  /** Patterns for git's exclude list: these files are never committed. Git applies them to all trees of the repository. */
  excludes?(run: RunFacts): readonly string[];
  /** Absolute paths in the user's checkout that it changes: they do not make the checkout dirty. */
  ownFiles?(run: RunFacts): readonly string[];

  // Around an attempt.

  /** Values of its template keys. The workspace is prepared. */
  values?(work: AttemptFacts, workspace: string): Readonly<Record<string, string>>;
  /** Environment variables of the agent; they win over the general ones. Call the folder's NAME_SHARED_DIR. */
  environment?(work: AttemptFacts): Readonly<Record<string, string>>;
  /** Directories outside of the workspace that the agent may write. */
  writable?(work: AttemptFacts): readonly string[];
  /** Runs before the attempt begins, in its prepared workspace. May run again after a crash. */
  prepare?(work: AttemptFacts, workspace: string): void | Promise<void>;
  /** Reads the files that an attempt left, however it ended, before it is reported. Changes nothing. May run again after a crash. */
  collect?(work: AttemptFacts, workspace: string, session: SessionFacts): LeftInFiles | Promise<LeftInFiles>;
  /** Whether a whole report for exactly this attempt is in its files. Without it, no other program can be awaited. Asked often. */
  arrived?(work: AttemptFacts, workspace: string, session: SessionFacts): boolean | Promise<boolean>;
  /** Where a program that is awaited reports, for people. Default: null, nowhere. */
  reportFile?(run: RunFacts, workspace: string): string | null;
  /** An agent that ended well and reported nothing at all is judged by the checks of its step, if it has some. Default: false. */
  readonly checksDecide?: boolean;
  /** Runs after the end of the attempt is committed; `events` are those of that commit. */
  settled?(work: AttemptFacts, events: readonly Event[]): void | Promise<void>;
  /** Where the output of an attempt is kept. Default: null, in Pawl's home. */
  logFile?(run: RunFacts, attempt: Attempt): string | null;
  /** Texts in its folder that agents only add to, and that agents on other machines must have, too. Default: none. */
  sharedTexts?(run: RunFacts, story: StoryId | null): readonly string[];
  /** Where work that is rolled back is kept as a diff. Default: null, in Pawl's home. */
  diffFile?(run: RunFacts, attempt: Attempt): string | null;

  // After each commit.

  /** The files that show the run. Default: null, there are none. */
  project?(run: RunFacts, warn: (text: string) => void): ProjectedFiles | null;
}

/** What is known of a run, before and after it is recorded. */
export type RunFacts = Pick<Header, "id" | "place" | "definition">;

export interface AttemptFacts {
  readonly run: Run;
  readonly attempt: Attempt;
  readonly definition: PerformedWork;
  /** How far the times of attempts are ahead of those of files here; absent: not at all. */
  readonly aheadMs?: number | undefined;
}

/** A file that was written since an attempt began is dated after this. */
export function fileTimeOf({ attempt, aheadMs = 0 }: Pick<AttemptFacts, "attempt" | "aheadMs">): number {
  return attempt.startedAt - aheadMs;
}

/** What else is known of the session whose files are read. */
export interface SessionFacts {
  /** Another program performs the attempt: one that pulled it, or one that is awaited. Pawl started none. */
  readonly isOthers: boolean;
  /** What its agent was told. What only repeats that is no report. */
  told(): Told;
}

/** Reads where the work stands from files, in process. The same files give the same answer. */
export interface DecisionReader {
  /** What it may answer, in lower case. `unknown` is always one more and need not be here. Any other answer counts as `unknown`. */
  readonly values: readonly string[];
  /** It may give stories. Default: false. */
  readonly plans?: boolean;
  /** Changes nothing, and may run again after a crash. A file that is missing or unreadable is `unknown`, not an error. */
  read(work: DecisionWork): DecisionRead | Promise<DecisionRead>;
}

export interface DecisionWork extends AttemptFacts {
  /** The tree of the attempt. Open files below it, or below the project, with `readEvidence`. */
  readonly workspace: string;
  /** The file that the step names, with its values filled in; null: it names none. */
  readonly file: string | null;
}

export interface DecisionRead {
  readonly value: string;
  /** In words, for the person who is asked, `why` and the log. */
  readonly why: string;
  /** What it looked at, the decisive place first. */
  readonly evidence: readonly (Evidence | SaidEvidence)[];
  readonly outputs?: Readonly<Record<string, string>>;
  /** For the step that gets the work back. Default: `why` and the evidence. */
  readonly feedback?: string;
  /** New stories. Only a decision in the run's own chain plans. */
  readonly stories?: readonly StorySpec[];
  readonly facts?: Facts;
  readonly notes?: readonly string[];
}

/** `step_again`: the attempt completed, and the step runs once more. */
export type StepWord = "step_started" | "step_completed" | "step_failed" | "step_cancelled" | "step_again";

/** What an attempt left in files, besides its output. */
export interface LeftInFiles {
  readonly edits?: EditRequest;
  /** What its files report. It counts less than a report by tools, and more than what the agent printed. */
  readonly told?: ToldReport;
  /** What is kept with the end of the attempt, also if its files report nothing. */
  readonly facts?: Facts;
  /** Files that are there and do not count, and why: kept with the end of the attempt, however it ended. */
  readonly notes?: readonly string[];
  /** Why its files report nothing, and what to write: the words for an agent that reported nothing at all. */
  readonly unreported?: string;
}

/** The report that files make, as the protocol reads it. Checks outrank it. */
export interface ToldReport {
  readonly verdict: ToldVerdict;
  /** For the step that gets the work back. */
  readonly feedback: string;
  readonly outputs?: Readonly<Record<string, string>>;
  /** Kept with the end of the attempt, however it ended. */
  readonly facts?: Facts;
  readonly notes: readonly string[];
  readonly summary?: string;
  /** It counts less than what the agent printed, too. */
  readonly isLast?: boolean;
}

type ToldVerdict =
  | { readonly kind: "passed" }
  | { readonly kind: "rejected"; readonly reason: string | null }
  /** Only a person can help: an ordinary gate shows the question. */
  | { readonly kind: "asked"; readonly question: string }
  /** There is a report, and it does not say what it means. Never a pass. */
  | { readonly kind: "unreadable"; readonly why: string };

export interface OpenRequest {
  /** The path of the file with the stories, as a person wrote it. */
  readonly file: string;
  /** The same path, absolute. */
  readonly path: string;
  readonly text: string;
  /** Only these stories; empty: all of them. */
  readonly only: readonly string[];
  /** The folder for the files of the protocol. */
  readonly folder: string;
  readonly runs: RunLookup;
}

/** Runs of the store, to find the one that a folder belongs to. */
export interface RunLookup {
  /** Null: this store has no such run. */
  find(id: RunId): Promise<FoundRun | null>;
  /** Runs with this shared folder, or with their stories from this file in the same repository; newest first. */
  at(place: { readonly folder: string; readonly file: string }): Promise<readonly EarlierRun[]>;
  /** The stories of a run, as they were planned. */
  specs(id: RunId): Promise<readonly StorySpec[]>;
  /** The log of a run, starting after `seq`. */
  eventsAfter(id: RunId, seq: number): Promise<readonly Event[]>;
  /** Whether the repository has the commit at which the run began. Another one may be at its place now. */
  beganHere(run: FoundRun): Promise<boolean>;
}

export interface EarlierRun {
  readonly id: RunId;
  readonly number: number;
  /** Done or cancelled. A failed run may be retried, so it keeps its place. */
  readonly isOver: boolean;
  readonly folder: string | null;
  readonly file: string | null;
}

export interface FoundRun {
  readonly number: number;
  readonly header: Header;
}

export type Opening = StartOpening | ContinueOpening;

interface StartOpening {
  readonly kind: "start";
  readonly task: string;
  readonly stories: readonly StorySpec[];
  readonly adopted: readonly AdoptedStory[];
  /** Notes for the person who starts the run. */
  readonly notes: readonly string[];
}

export interface ContinueOpening {
  readonly kind: "continue";
  readonly run: FoundRun;
  /** Stories that the run does not have yet, or has with other words and `dropped` names. */
  readonly added: readonly StorySpec[];
  /** Stories that have not begun and leave the plan. */
  readonly dropped?: readonly StoryId[];
  /** Stories that have not begun and are done according to the files. */
  readonly done?: readonly StoryId[];
  /** What of the files was taken and what was not, for the person who continues the run. */
  readonly notes?: readonly string[];
}
