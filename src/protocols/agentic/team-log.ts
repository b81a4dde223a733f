// What a team did, from the events of its run: tasks that were assigned and ended, blockers and conflicts, and the progress of each role
// in the round at work. Folding the same events gives the same log.

import type { Definition } from "../../domain/definition.ts";
import type { Event } from "../../domain/event.ts";
import type { StoryId } from "../../domain/ids.ts";
import { joinPart } from "../../domain/part.ts";
import type { Facts } from "../../domain/report.ts";
import { storyPath } from "../../domain/story-path.ts";
import { leadRole } from "../../workflows/rules/team-roles.ts";
import { taskIn } from "../../workflows/rules/team-text.ts";

/** An event of a team, as the protocol names it. `task_id`: `US-007/impl/backend/1`. */
export type TeamEvent = { readonly at: string } & TeamNews;

type TeamNews =
  | {
      readonly event: "task_assigned";
      readonly task_id: string;
      readonly role: string;
      /** The files that the role reads. */
      readonly scoped_context: readonly string[];
      readonly instruction: string;
    }
  | {
      readonly event: "task_done";
      readonly task_id: string;
      readonly status: "pass" | "failing";
      readonly files_changed: readonly string[];
      readonly summary: string;
    }
  | { readonly event: "blocker"; readonly task_id: string; readonly reason: string; readonly description: string }
  | { readonly event: "conflict"; readonly files: readonly string[]; readonly description: string };

/** One session of a role. */
interface Task {
  readonly id: string;
  readonly story: StoryId;
  readonly step: string;
  readonly name: string;
  readonly role: string;
  readonly number: number;
}

/** Where a role stands: its last session that ended. */
export interface RoleProgress {
  readonly status: "pass" | "failing" | "blocked";
  readonly reason: string | null;
  readonly summary: string;
  readonly files: readonly string[];
  /** Its hand-off; empty: it left none. */
  readonly handoff: string;
}

/** All roles of a step, from their opening to the end of the step. */
export interface TeamRound {
  readonly story: StoryId;
  readonly step: string;
  readonly name: string;
  /** The highest number of a session of its roles. */
  readonly attempt: number;
  readonly roles: readonly string[];
  readonly progress: ReadonlyMap<string, RoleProgress>;
  readonly conflicts: readonly string[];
  /** What is known of the joined work, such as its tests; empty: nothing was joined. */
  readonly joined: Facts;
  /** Why the joined work did not pass; empty: it did, or there is none. */
  readonly trouble: string;
}

export class TeamLog {
  readonly #events = new Map<StoryId, TeamEvent[]>();
  readonly #tasks = new Map<string, Task>();
  readonly #rounds = new Map<StoryId, TeamRound>();
  #definition: Definition | null = null;

  follow(event: Event): void {
    if (event.type === "run_started") this.#definition = event.definition;
    const { story } = event;
    if (story === null) return;
    if (event.type === "parts_opened") this.#open(story, event);
    if (event.type === "attempt_dispatched" && event.part !== undefined) this.#assign(story, event);
    if (event.type === "attempt_ended") this.#end(event);
    if (event.type === "join_refused") {
      const description = `${event.part} changed what another role had changed in this step: ${event.files.join(", ")}. It works again on the joined files`;
      this.#add(story, event.at, { event: "conflict", files: event.files, description });
      this.#change(story, ({ conflicts }) => ({
        conflicts: [
          ...conflicts,
          ...event.files.map((file) => `${file}: ${event.part} changed what another role had changed`),
        ],
      }));
    }
  }

  /** Empty: the story has no team. */
  eventsOf(story: StoryId): readonly TeamEvent[] {
    return this.#events.get(story) ?? [];
  }

  /** Of the last step that a team performed. An Agent Team reports by its lead, as one session does. */
  roundOf(story: StoryId): TeamRound | null {
    return this.#rounds.get(story) ?? null;
  }

  /** The role of a session; null: none, or it leads all of them. */
  roleOf(attempt: string): string | null {
    const role = this.#tasks.get(attempt)?.role ?? null;
    return role === leadRole || role === joinPart ? null : role;
  }

  #open(story: StoryId, { step, parts, keeps = [] }: Extract<Event, { type: "parts_opened" }>): void {
    const roles = parts.filter((name) => name !== leadRole);
    if (roles.length === 0) return;
    const before = this.#rounds.get(story);
    const isSame = before?.step === step;
    const kept = isSame ? [...before.progress].filter(([role]) => keeps.some((name) => name === role)) : [];
    const blank = { name: "", attempt: 1, conflicts: [], joined: {}, trouble: "" };
    this.#rounds.set(story, { story, step, roles, progress: new Map(kept), ...blank });
  }

  #assign(story: StoryId, event: Extract<Event, { type: "attempt_dispatched" }>): void {
    const { attempt, step, name, number, part: role = "" } = event;
    this.#tasks.set(attempt, { id: `${story}/${name}/${role}/${number}`, story, step, name, role, number });
    if (role === joinPart) return;
    this.#change(story, (round) => ({ name, attempt: Math.max(round.attempt, number) }));
    const { reads = [], input = "" } = this.#partOf(name, role);
    this.#add(story, event.at, {
      event: "task_assigned",
      task_id: `${story}/${name}/${role}/${number}`,
      role,
      scoped_context: reads.map((path) => storyPath(path, story)),
      instruction: taskIn(input),
    });
  }

  #end(event: Extract<Event, { type: "attempt_ended" }>): void {
    const task = this.#tasks.get(event.attempt);
    if (task === undefined) return;
    const { facts = {}, outcome, verdict, why } = event;
    const hasPassed = outcome === "completed" && verdict?.kind === "passed";
    if (task.role === joinPart) {
      this.#change(task.story, () => ({ joined: facts, trouble: hasPassed ? "" : why }));
      return;
    }
    const isAsked = event.taken?.key === "asked";
    const isAnswered = outcome === "completed" && !isAsked;
    const reason = verdict?.kind === "rejected" ? verdict.reason : null;
    const progress: RoleProgress = {
      status: hasPassed ? "pass" : isAnswered ? "failing" : "blocked",
      reason: isAsked ? "needs_human" : isAnswered ? reason : outcome,
      summary: textIn(facts["summary"]) || (hasPassed ? "" : why),
      files: listIn(facts["files_changed"] ?? facts["files"]),
      handoff: textIn(facts["handoff"]),
    };
    this.#change(task.story, (round) => ({ progress: new Map([...round.progress, [task.role, progress]]) }));
    this.#add(task.story, event.at, endOf(task, progress));
  }

  #partOf(step: string, role: string): { readonly reads?: readonly string[]; readonly input?: string } {
    const body = this.#definition?.steps.flatMap((each) => (each.kind === "stories" ? each.body : [each])) ?? [];
    const found = body.find(({ name }) => name === step);
    const parts = found?.kind === "agent" ? found.parts : undefined;
    return (parts && "list" in parts.of && parts.of.list.find(({ name }) => name === role)) || {};
  }

  #change(story: StoryId, change: (round: TeamRound) => Partial<TeamRound>): void {
    const round = this.#rounds.get(story);
    if (round !== undefined) this.#rounds.set(story, { ...round, ...change(round) });
  }

  #add(story: StoryId, at: number, news: TeamNews): void {
    const events = this.#events.get(story) ?? [];
    this.#events.set(story, events);
    events.push({ at: new Date(at).toISOString(), ...news });
  }
}

function endOf({ id }: Task, { status, reason, summary, files }: RoleProgress): TeamNews {
  if (status === "blocked") return { event: "blocker", task_id: id, reason: reason ?? "", description: summary };
  return { event: "task_done", task_id: id, status, files_changed: files, summary };
}

function textIn(value: unknown): string {
  return typeof value === "string" ? value.trim() : "";
}

function listIn(value: unknown): readonly string[] {
  return Array.isArray(value) ? value.filter((each): each is string => typeof each === "string") : [];
}
