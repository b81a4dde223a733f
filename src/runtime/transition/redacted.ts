// Commands without secrets. Owns: which parts of a command are words of people or agents: what is secret in them stays out of events and
// rows. Ids, tokens, trees and paths of ours are no words: they must arrive as they are.

import type { Command } from "../../domain/command.ts";
import type { Definition } from "../../domain/definition.ts";
import { AppError } from "../../domain/error.ts";
import type { FileChange } from "../../domain/file-change.ts";
import type { CompletedReport, UnfinishedReport } from "../../domain/report.ts";
import type { StorySpec } from "../../domain/story.ts";
import type { Secrets } from "../../system/secrets/secrets.ts";
import type { RunRequest } from "../run-request.ts";

export function redactedCommand(secrets: Secrets, command: Command): Command {
  switch (command.type) {
    case "finish_attempt":
      return { ...command, report: { ...redactedReport(secrets, command.report), tree: command.report.tree } };
    case "answer_gate":
      return {
        ...command,
        option: secrets.redact(command.option),
        ...(command.reason === undefined ? {} : { reason: secrets.redact(command.reason) }),
        note: secrets.redact(command.note),
      };
    case "add_note":
    case "tell_attempt":
      return { ...command, text: secrets.redact(command.text) };
    case "take_file_changes":
      return { ...command, changes: command.changes.map((change) => redactedChange(secrets, change)) };
    case "note_closing":
      return { ...command, notes: secrets.redactAll(command.notes) };
    case "cancel_run":
    case "stop_attempt":
    case "drop_step":
    case "drop_story":
      return { ...command, reason: secrets.redact(command.reason) };
    case "edit_chain":
      return { ...command, operations: secrets.redactAll(command.operations) };
    case "add_stories":
      return { ...command, stories: command.stories.map((story) => redactedStory(secrets, story)) };
    case "receive_signal":
      return { ...command, outputs: secrets.redactAll(command.outputs) };
    case "settle_note":
      return { ...command, refused: command.refused === null ? null : secrets.redact(command.refused) };
    case "start_attempt":
    case "begin_attempt":
    case "expire_gate":
    case "revert_story":
    case "raise_caps":
    case "change_waits":
    case "pause_run":
    case "resume_run":
    case "retry_run":
      return command;
  }
}

/** What an adopted story is comes from the store, where nothing is secret. */
function redactedChange<C extends FileChange>(secrets: Secrets, change: C): C {
  const { story, adopts } = change;
  const adopted = adopts?.kind === "note" ? { ...adopts, text: secrets.redact(adopts.text) } : adopts;
  return { ...secrets.redactAll(change), story, adopts: adopted };
}

/** All of it is what an agent said: its session, too. */
export function redactedReport<R extends CompletedReport | UnfinishedReport>(secrets: Secrets, report: R): R {
  const redacted = secrets.redactAll(report);
  if (report.outcome !== "completed" || report.stories === null) return redacted;
  return { ...redacted, stories: report.stories.map((story) => redactedStory(secrets, story)) };
}

/** Its id becomes part of paths and branches, whatever it was. */
function redactedStory(secrets: Secrets, story: StorySpec): StorySpec {
  return {
    ...secrets.redactAll(story),
    id: secrets.redactId(story.id),
    dependsOn: story.dependsOn.map((id) => secrets.redactId(id)),
  };
}

/** Before anything is made of it: the name of a branch is made of the task. */
export function redactedRequest(secrets: Secrets, request: RunRequest): RunRequest {
  const { given } = request;
  const named = request.executor === null ? null : secrets.nameIn(request.executor);
  if (named !== null)
    throw new AppError("USAGE", `the executor's command has the value of ${named} in it, and would be recorded`, {
      hint: `give the executor a name in the configuration, with \`env: [${named}]\`, and let its program read the variable`,
    });
  return {
    ...request,
    task: secrets.redact(request.task),
    context: secrets.redactAll(request.context),
    ...(given === undefined
      ? {}
      : {
          given: {
            ...given,
            stories: given.stories.map((story) => redactedStory(secrets, story)),
            adopted: given.adopted.map((story) => ({
              ...secrets.redactAll(story),
              id: secrets.redactId(story.id),
            })),
          },
        }),
  };
}

/** A command of a workflow cannot be redacted and still do what it says; so it is not begun. */
export function assertNoSecret(secrets: Secrets, definition: Definition): void {
  const named = secrets.nameIn(JSON.stringify(definition));
  if (named === null) return;
  throw new AppError("WORKFLOW_INVALID", `the workflow, or a check of the project, has the value of ${named} in it`, {
    hint: `take it out: a run's workflow is recorded, and shown to whoever looks; a program can read ${named} itself where its executor has \`env: [${named}]\``,
  });
}
