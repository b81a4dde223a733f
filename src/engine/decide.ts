// The entry point of the engine: `decide` takes a command and the part of a run that it concerns, and returns events and
// effects, or a rejection.

import type { Command, EditChain } from "../domain/command.ts";
import type { Decision, Rejection } from "../domain/decision.ts";
import type { StoryId } from "../domain/ids.ts";
import { type Header, type Run, scopeOf } from "../domain/run.ts";
import { hasOpenStories } from "../domain/step.ts";
import type { StoryEntry } from "../domain/story.ts";
import { beginAttempt, finishAttempt, startAttempt } from "./attempts/attempts.ts";
import { stopAttempt } from "./attempts/stopping.ts";
import { raiseCaps } from "./caps.ts";
import { editChain } from "./chain/chain-edits.ts";
import { Draft } from "./draft.ts";
import { dropStep, dropStory } from "./dropping.ts";
import { takeFileChanges } from "./file-changes.ts";
import { answerGate, expireGate } from "./gates/answers.ts";
import { receiveSignal } from "./gates/signals.ts";
import { changeWaits } from "./gates/waits.ts";
import { cancelRun, noteClosing, pauseRun, resumeRun } from "./lifecycle.ts";
import { addNote, settleNote, tellAttempt } from "./notes.ts";
import { rejectCommand } from "./rejection.ts";
import { retryRun } from "./retry.ts";
import { addStories } from "./stories/adoption.ts";
import { revertStory } from "./stories/reverting.ts";
import { type StoryGroups, storyGroupsOf } from "./stories/story-groups.ts";
import { advance } from "./walk.ts";

export { startRun } from "./lifecycle.ts";

export function decide(run: Run, command: Command): Decision {
  const draft = new Draft(run, command, treeIn(command));
  const rejection = refuseUnopenedStory(run, command) ?? perform(draft, command);
  if (rejection) return rejection;
  advance(draft);
  return draft.accept();
}

/** The stories that a command concerns. A transition loads these and the header, never the whole run. */
export function storiesFor(header: Header, command: Command): readonly StoryId[] {
  const groups = storyGroupsOf(header.stories);
  return [...new Set([...concerned(groups, command), ...idsOf(groups.toResume), ...idsOf(stoppable(header, groups))])];
}

/** The end of one story may stop all others that are at work. */
function stoppable({ chain, definition }: Header, { atWork }: StoryGroups): readonly StoryEntry[] {
  if (atWork.length === 0) return [];
  const open = chain.find(hasOpenStories);
  const step = open && definition.steps.find(({ name }) => name === open.name);
  return step?.kind === "stories" && step.others === "stop" ? atWork : [];
}

function concerned({ atWork, broken }: StoryGroups, command: Command): readonly StoryId[] {
  switch (command.type) {
    case "start_attempt":
    case "begin_attempt":
    case "finish_attempt":
    case "stop_attempt":
    case "tell_attempt":
    case "settle_note":
    case "answer_gate":
    case "expire_gate":
    case "edit_chain":
    case "drop_step":
      return command.story === null ? [] : [command.story];
    case "drop_story":
      return [command.of];
    case "revert_story":
      return [];
    case "cancel_run":
    case "change_waits":
      return idsOf(atWork);
    case "retry_run":
      return [
        ...(command.story === null ? idsOf(broken.filter(({ status }) => status === "failed")) : [command.story]),
        ...idsOf(broken.filter(({ status }) => status === "cancelled")),
      ];
    case "receive_signal":
      return command.of === null ? [] : [command.of];
    case "add_stories":
      return idsOf(broken.filter(({ status }) => status === "cancelled"));
    case "pause_run":
    case "resume_run":
    case "add_note":
    case "take_file_changes":
    case "note_closing":
    case "raise_caps":
      return [];
  }
}

const idsOf = (entries: readonly StoryEntry[]) => entries.map(({ id }) => id);

/** A story that has not been opened has no steps, attempts or gates. */
function refuseUnopenedStory(run: Run, command: Command): Rejection | null {
  if (!("story" in command) || command.type === "retry_run" || scopeOf(run, command.story)) return null;
  return rejectCommand("unknown", `there is no story ${command.story} at work`);
}

function treeIn(command: Command): string | null {
  if (command.type === "finish_attempt") return command.report.tree;
  return command.type === "answer_gate" ? command.tree : null;
}

function perform(draft: Draft, command: Command): Rejection | null {
  switch (command.type) {
    case "start_attempt":
      return startAttempt(draft, command);
    case "begin_attempt":
      return beginAttempt(draft, command);
    case "finish_attempt":
      return finishAttempt(draft, command);
    case "stop_attempt":
      return stopAttempt(draft, command);
    case "change_waits":
      return changeWaits(draft, command);
    case "answer_gate":
      return answerGate(draft, command);
    case "expire_gate":
      return expireGate(draft, command);
    case "pause_run":
      return pauseRun(draft);
    case "resume_run":
      return resumeRun(draft, command);
    case "cancel_run":
      return cancelRun(draft, command);
    case "retry_run":
      return retryRun(draft, command);
    case "edit_chain":
      return editByPerson(draft, command);
    case "add_stories":
      return addStories(draft, command);
    case "add_note":
      return addNote(draft, command);
    case "take_file_changes":
      return takeFileChanges(draft, command);
    case "note_closing":
      return noteClosing(draft, command);
    case "tell_attempt":
      return tellAttempt(draft, command);
    case "settle_note":
      return settleNote(draft, command);
    case "raise_caps":
      return raiseCaps(draft, command);
    case "receive_signal":
      return receiveSignal(draft, command);
    case "drop_step":
      return dropStep(draft, command);
    case "drop_story":
      return dropStory(draft, command);
    case "revert_story":
      return revertStory(draft, command);
  }
}

/** A person changes steps that are still to come. The rules of the chain apply to people too. */
function editByPerson(draft: Draft, { story, operations }: EditChain): Rejection | null {
  const { end } = draft.run.header;
  if (end && end.status !== "failed") return rejectCommand("over", `the run is ${end.status}`);
  const status = draft.run.header.stories.find(({ id }) => id === story)?.status;
  if (status === "done" || status === "cancelled") return rejectCommand("over", `story ${story} is ${status}`);
  const edited = editChain(draft, operations, { story, by: null, notes: [] });
  return edited.applied ? null : rejectCommand("illegal", edited.why);
}
