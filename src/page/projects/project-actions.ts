// What can be said to a project now, from the commands that its status names, and the words for it.

import type { ProjectStatus } from "../../contracts/project-documents.ts";
import type { Role } from "../../domain/api-token.ts";

export type ProjectAction = "status" | "continue" | "approve" | "reject" | "retry" | "skip" | "abort";

export interface ProjectActions {
  /** In the order of the commands; a look is always possible, and last. */
  readonly actions: readonly ProjectAction[];
  /** With which it can be rejected, and where each leads. */
  readonly reasons: readonly { readonly reason: string; readonly effect: string }[];
  /** What each does, as the report says it. */
  readonly effects: ReadonlyMap<string, string>;
  /** An approval is the answer to a question, so it needs words. */
  readonly isAnswer: boolean;
}

/** As the service asks it of these words. */
export function roleFor(action: ProjectAction): Role {
  if (action === "status") return "read";
  return action === "approve" || action === "reject" ? "answer" : "operate";
}

const known: readonly ProjectAction[] = ["continue", "approve", "reject", "retry", "skip", "abort"];

export function actionsOf({ commands, report }: Pick<ProjectStatus, "commands" | "report">): ProjectActions {
  const words = commands.map((command) => {
    const [, word = "", reason = ""] = /^pawl project (\w+)(?: --reason (\w+))?/.exec(command) ?? [];
    return { word, reason, effect: effectIn(report, command) };
  });
  const named = words.flatMap(({ word }) => known.filter((action) => action === word));
  return {
    actions: [...new Set(named), "status"],
    reasons: words.filter(({ word, reason }) => word === "reject" && reason !== ""),
    effects: new Map(words.map(({ word, effect }) => [word, effect])),
    isAnswer: commands.some((command) => command.startsWith("pawl project approve --note")),
  };
}

/** Empty: the report does not say. */
function effectIn(report: string, command: string): string {
  const line = report.split("\n").find((each) => each.trimStart().startsWith(`${command} `));
  return line?.trimStart().slice(command.length).trim() ?? "";
}

/** After a colon, a note is a note whatever it says. */
export function approvalWords(note: string): string {
  return note.trim() === "" ? "approve" : `approve: ${note.trim()}`;
}

export function rejectionWords(reason: string, note: string): string {
  return note.trim() === "" ? `reject ${reason}` : `reject ${reason}: ${note.trim()}`;
}
