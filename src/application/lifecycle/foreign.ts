// Sessions that another program left in a project: which of them can be continued, and what is said about them.

import { join } from "node:path";
import {
  type ForeignSession,
  type FoundSession,
  findSessions,
} from "../../protocols/lifecycle/session/imported-session.ts";
import { milestoneOf } from "../../protocols/lifecycle/standing/position.ts";
import { projectFolder } from "../../protocols/lifecycle/standing/project-folder.ts";
import { phaseId } from "../../protocols/lifecycle/standing/project-state.ts";
import { stateOf } from "../../protocols/lifecycle/standing/state-file.ts";
import type { LifecycleProject } from "./project.ts";
import type { KnownSession } from "./sessions.ts";

export interface Continuable {
  readonly file: string;
  readonly session: ForeignSession;
  /** Only one that the milestone has. */
  readonly phase: string | null;
}

export interface ForeignSessions {
  /** The newest that is not over; null: there is none. */
  readonly next: Continuable | null;
  /** Each of them, for people. */
  readonly words: readonly string[];
}

/** `own`: the sessions that the store knows. */
export function foreignSessions({ root }: LifecycleProject, own: readonly KnownSession[]): ForeignSessions {
  const folders = new Set(own.map(({ folder }) => folder));
  const found = findSessions(projectFolder(root), (dir) => folders.has(join(root, dir)));
  const next = found.flatMap(({ file, session }): readonly Continuable[] => {
    if (session.kind === "unreadable" || session.isOver) return [];
    return [{ file, session, phase: phaseIn(root, session.phase) }];
  })[0];
  return { next: next ?? null, words: found.slice(0, mostShown).map(wordsOf) };
}

const mostShown = 5;

function wordsOf({ file, session }: FoundSession): string {
  if (session.kind === "unreadable") return `${file} is no session that can be continued: ${session.why}`;
  const how = session.isOver ? "is completed" : `was left by another program${statusOf(session)}`;
  return `${file} ${how}: ${quoted(session.intent)}`;
}

function statusOf({ status }: ForeignSession): string {
  return status === null ? "" : ` (${status})`;
}

/** What is taken over, and what is not. A file is no consent. */
export function takenWords({ file, session, phase }: Continuable): readonly string[] {
  const taken = [`its intent ${quoted(session.intent)}`, ...(phase === null ? [] : [`its phase ${phase}`])];
  const left = [
    ...(session.phase !== null && phase === null
      ? [`its phase ${session.phase}, which the milestone does not have,`]
      : []),
    "where it stands",
    ...(session.autoMode ? ["its auto_mode"] : []),
  ];
  return [
    `${file} was left by another program. Taken over: ${taken.join(" and ")}. Not taken over: ${left.join(" and ")}`,
    ...session.notes.map((note) => `${file}: ${note}`),
  ];
}

function quoted(intent: string): string {
  return JSON.stringify(intent.length <= 80 ? intent : `${intent.slice(0, 79)}…`);
}

function phaseIn(root: string, named: string | null): string | null {
  const state = named === null ? null : stateOf(projectFolder(root));
  const milestone = state === null ? null : milestoneOf(state);
  if (named === null || milestone === null) return null;
  return milestone.phases.find((phase) => phase === phaseId(named)) ?? null;
}
