// Gates. Owns: the open questions, and answering one. An answer is for the tree as it is now; if that is not what the gate has shown,
// it is refused.

import type { AnswerDocument, GateList } from "../../contracts/run-documents.ts";
import { type AnswerComment, answerNote } from "../../domain/answer-note.ts";
import { AppError } from "../../domain/error.ts";
import { isQuestion, namesOf, type PersonGate } from "../../domain/gate.ts";
import { gateId, type RunId } from "../../domain/ids.ts";
import { treeNow } from "../../runtime/attempt/prepare/workspace.ts";
import { transition } from "../../runtime/transition/transition.ts";
import { gateDocument } from "../../runtime/views/status.ts";
import type { GateRef, RunSummary, Store } from "../../store/store.ts";
import type { Application } from "../application.ts";
import { findRun } from "../references.ts";
import { assertShort } from "../steering/notes.ts";

/** Of all runs, the oldest first. */
export async function openGates(app: Application): Promise<readonly AskedRun[]> {
  const { store } = (await app.read()).parts;
  const runs = new Map<RunId, RunSummary | null>();
  const open = (await store.openGates(null)).flatMap(({ run, gate }) => (isQuestion(gate) ? [{ run, gate }] : []));
  for (const { run } of open) if (!runs.has(run)) runs.set(run, await store.runById(run));
  return open.flatMap(({ run, gate }) => {
    const summary = runs.get(run);
    return summary ? [{ run: summary, gate }] : [];
  });
}

/** An open question, with the run that asks it. */
export interface AskedRun {
  readonly run: RunSummary;
  readonly gate: PersonGate;
}

export function gatesDocument(open: readonly AskedRun[]): GateList {
  const gates = open.map(({ run, gate }) => ({
    ...gateDocument(gate),
    run: run.id,
    number: run.number,
    task: run.task,
  }));
  return { gates };
}

export interface GateAnswer {
  readonly option: string;
  /** Goes into the next prompt. */
  readonly note?: string | undefined;
  /** Why, in one word, where the gate has routes for reasons. */
  readonly reason?: string | undefined;
  /** Said about lines of what was shown; they follow the note. */
  readonly comments?: readonly AnswerComment[] | undefined;
  /** The tree that the caller has looked at; another one than the gate's is refused. Absent: the gate's own. */
  readonly tree?: string | null | undefined;
  readonly author?: string | undefined;
}

export interface AnsweredGate {
  readonly document: AnswerDocument;
  readonly run: RunId;
  /** Of its run; null: it is gone. */
  readonly number: number | null;
  /** Whether a driver could continue the run. */
  readonly isOver: boolean;
}

/** One gate by its id, once. */
export async function answer(app: Application, id: string, given: GateAnswer): Promise<AnsweredGate> {
  const found = await (await app.read()).parts.store.gate(gateId(id));
  if (!found) throw new AppError("NOT_FOUND", `there is no gate ${id}`, { hint: "`pawl gates` lists the open ones" });
  return await answerGate(app, found, given);
}

/** The first option of the only open gate of a run. */
export async function approve(
  app: Application,
  reference: string,
  said: Omit<GateAnswer, "option">,
): Promise<AnsweredGate> {
  const only = await onlyGate((await app.read()).parts.store, reference);
  return await answerGate(app, only, { ...said, option: namesOf(only.gate.options).at(0) ?? "" });
}

/** The last option of the only open gate of a run. */
export async function reject(
  app: Application,
  reference: string,
  said: Omit<GateAnswer, "option">,
): Promise<AnsweredGate> {
  const only = await onlyGate((await app.read()).parts.store, reference);
  return await answerGate(app, only, { ...said, option: namesOf(only.gate.options).at(-1) ?? "" });
}

async function answerGate(app: Application, { run, gate }: GateRef, given: GateAnswer): Promise<AnsweredGate> {
  const { option, reason, author = app.author } = given;
  const note = answerNote(given.note ?? "", given.comments ?? []);
  assertShort(note);
  const seen = given.tree === undefined || given.tree === (gate.tree === "" ? null : gate.tree);
  if (!seen)
    throw new AppError("REFUSED", "the answer is about another tree than the one that the gate shows", {
      hint: "look at it again: `pawl gates` shows what is open",
    });
  await app.change(null, async ({ parts }) => {
    const whole = await parts.store.wholeRun(run);
    const decision = await transition(parts, run, {
      type: "answer_gate",
      at: parts.clock.now(),
      author,
      story: gate.story,
      gate: gate.id,
      option,
      note,
      tree: whole && gate.tree !== null ? await treeNow(parts, whole, gate.story) : null,
      ...(reason === undefined ? {} : { reason: parts.secrets.redact(reason.trim()).toLowerCase() }),
    });
    if (decision.accepted) return;
    const usage = decision.code === "illegal" || decision.code === "unknown";
    throw new AppError(usage ? "USAGE" : "REFUSED", decision.why, { hint: "`pawl gates` shows what is open" });
  });
  const after = await (await app.read()).parts.store.runById(run);
  const document = { gate: gate.id, option, run, status: after?.status ?? null };
  return { document, run, number: after?.number ?? null, isOver: after?.endedAt !== null };
}

/** Several are listed, and none is answered. */
async function onlyGate(store: Store, reference: string): Promise<GateRef> {
  const run = await findRun(store, reference);
  const open = (await store.openGates(run.id)).filter(({ gate }) => isQuestion(gate));
  const [only, ...others] = open;
  if (only && others.length === 0) return only;
  if (!only) {
    throw new AppError("NOT_FOUND", `run #${run.number} has no open gate`, {
      hint: `\`pawl why ${run.number}\` says what it waits for`,
    });
  }
  throw new AppError("AMBIGUOUS", `run #${run.number} has ${open.length} open gates`, {
    details: open.map(({ gate }) => `${gate.id}: ${gate.question}`),
    hint: "answer one by its id: pawl answer GATE OPTION",
  });
}
