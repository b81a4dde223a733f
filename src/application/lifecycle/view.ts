// What a session looks like now: its steps, where it stopped, and what to do next. Changes nothing.

import type { LifecycleSession } from "../../contracts/lifecycle-documents.ts";
import type { Event } from "../../domain/event.ts";
import { type Gate, namesOf } from "../../domain/gate.ts";
import {
  gatesOpenIn,
  type SessionDocument,
  sessionDocument,
} from "../../protocols/lifecycle/session/session-document.ts";
import { SessionLog } from "../../protocols/lifecycle/session/session-log.ts";
import { stepIn } from "../../protocols/lifecycle/session/shown-steps.ts";
import { workspacePath } from "../../runtime/trees/places.ts";
import { findWorkBranch } from "../../runtime/trees/work-branch.ts";
import type { Store } from "../../store/store.ts";
import type { Application } from "../application.ts";
import { goOnOption } from "./move.ts";
import type { LifecycleProject } from "./project.ts";
import { type KnownSession, worksInProject } from "./sessions.ts";

export interface SessionView {
  readonly session: KnownSession;
  readonly status: SessionDocument;
  readonly stop: Stop | null;
  /** The folder that its skills work in. */
  readonly workspace: string;
  /** The branch that has its commits; null: it has none, or works in the project itself. */
  readonly branch: string | null;
  /** All that happened, in order. */
  readonly events: readonly Event[];
}

/** Why a session does not move. */
export interface Stop {
  /** `decision`: it waits for the word to read. `unknown`: a file did not say. `escalated`: a limit is used up. */
  readonly kind: "decision" | "failed" | "unknown" | "escalated" | "asked";
  readonly gate: Gate;
  /** The name of the step in the workflow, or of the part of one. */
  readonly step: string;
  /** `execute` continues; else a person has to answer. */
  readonly goesOn: boolean;
}

export async function viewSession(app: Application, session: KnownSession): Promise<SessionView> {
  const { parts } = await app.read();
  const { store } = parts;
  const run = (await store.wholeRun(session.summary.id)) ?? session.run;
  const events = await eventsOf(store, session);
  const log = new SessionLog();
  for (const event of events) log.apply(event);
  const gate = gatesOpenIn(run)[0];
  return {
    session: { ...session, run },
    status: sessionDocument(session.id, run, log),
    stop: gate === undefined ? null : stopAt(run, gate),
    workspace: workspacePath(parts, run, gate?.story ?? null),
    branch: worksInProject(session) ? null : await findWorkBranch(run.header, session.summary.number),
    events,
  };
}

export async function eventsOf(store: Pick<Store, "events">, { summary }: KnownSession): Promise<readonly Event[]> {
  const events: Event[] = [];
  for (let after = 0; ; ) {
    const page = await store.events(summary.id, after, 500);
    if (page.length === 0) return events;
    events.push(...page.map(({ event }) => event));
    after = page.at(-1)?.seq ?? after;
  }
}

function stopAt(run: KnownSession["run"], gate: Gate): Stop {
  const scope = gate.story === null ? run.header : run.stories[gate.story];
  const name = scope?.chain.find(({ id }) => id === gate.step)?.name;
  const kind = name === undefined ? undefined : stepIn(run.header.definition, gate.story, name)?.kind;
  return { gate, step: gate.part ?? name ?? "", goesOn: goOnOption(gate) !== null, kind: kindOf(gate, kind) };
}

function kindOf({ cause }: Gate, kind: string | undefined): Stop["kind"] {
  if (cause === "waits") return "decision";
  if (cause === "cap" || cause === "asked" || cause === "exhausted") return "asked";
  if (kind === "gate") return "escalated";
  return kind === "decision" ? "unknown" : "failed";
}

/** For programs. */
export function sessionSummary(
  { session, status, stop, workspace }: SessionView,
  { flag }: LifecycleProject,
): LifecycleSession {
  return {
    session: session.id,
    folder: session.folder,
    workspace,
    run: session.summary.number,
    runId: session.summary.id,
    intent: status.intent,
    status: status.status,
    runStatus: status.pawl.status,
    position: status.lifecycle_position,
    target: status.target,
    phase: status.phase,
    milestone: status.milestone,
    auto: status.auto_mode,
    currentStep: status.current_step,
    steps: status.steps.map(({ id, index, type, skill, args, barrier, status: word, wave, summary, error, stage }) => ({
      index,
      id,
      step: stage,
      type,
      skill,
      args,
      barrier,
      status: word,
      wave,
      summary,
      error,
    })),
    stop:
      stop === null
        ? null
        : {
            kind: stop.kind,
            step: stop.step,
            gate: stop.gate.id,
            question: stop.gate.question,
            feedback: stop.gate.feedback,
            options: namesOf(stop.gate.options),
          },
    codes: status.pawl.codes.map(({ code, at, step, why }) => ({ code, at, step, why })),
    next: nextCommand(stop, status, flag),
  };
}

/** What a person types next; null: nothing is left to do. */
export function nextCommand(
  stop: Stop | null,
  { status, pawl }: Pick<SessionDocument, "status" | "pawl">,
  flag: string,
): string | null {
  if (status === "completed" || pawl.status === "cancelled") return null;
  if (stop === null || stop.goesOn) return `pawl lifecycle execute${flag}`;
  return `pawl answer ${stop.gate.id} ${namesOf(stop.gate.options)[0] ?? "OPTION"}`;
}
