// Sends an answer. Owns: what a refusal means for the person who answered: somebody was first, the work moved, or something is wrong.
// An answer that is too long for the service is not sent: of a very long one it would not even read enough to say so.

import type { AnswerDocument, GateView } from "../../contracts/run-documents.ts";
import { type AnswerComment, answerNote, longestNoteBytes } from "../../domain/answer-note.ts";
import { CallProblem } from "../api/call-problem.ts";
import { sizeTexts as texts } from "../texts/gate.ts";

interface AnswerBody {
  readonly option: string;
  readonly note: string;
  readonly reason?: string;
  readonly comments: readonly AnswerComment[];
}

/** What was answered, and the tree that the person looked at. */
export interface AnswerRequest {
  readonly gate: Pick<GateView, "id" | "tree">;
  readonly body: AnswerBody;
  /** Null: no diff was shown. */
  readonly seenTree: string | null;
}

export type SentAnswer =
  | { readonly kind: "answered"; readonly document: AnswerDocument }
  /** `gate`: as it is now. */
  | { readonly kind: "elsewhere" | "moved"; readonly gate: GateView }
  | { readonly kind: "problem"; readonly problem: CallProblem };

export interface GateCalls {
  /** Both throw a CallProblem. */
  readonly answer: (gate: string, body: AnswerBody & { readonly tree: string | null }) => Promise<AnswerDocument>;
  readonly read: (gate: string) => Promise<GateView>;
}

export async function sendAnswer(calls: GateCalls, request: AnswerRequest): Promise<SentAnswer> {
  const bytes = new Blob([answerNote(request.body.note, request.body.comments)]).size;
  if (bytes > longestNoteBytes)
    return { kind: "problem", problem: new CallProblem(413, { detail: texts.tooLong(bytes), hint: texts.shorten }) };
  try {
    return await send(calls, request);
  } catch (error) {
    if (error instanceof CallProblem) return { kind: "problem", problem: error };
    throw error;
  }
}

async function send(calls: GateCalls, { gate, body, seenTree }: AnswerRequest): Promise<SentAnswer> {
  try {
    return { kind: "answered", document: await calls.answer(gate.id, { ...body, tree: gate.tree }) };
  } catch (error) {
    if (!(error instanceof CallProblem) || error.status !== 409) throw error;
    const now = await calls.read(gate.id);
    if (now.status !== "open") return { kind: "elsewhere", gate: now };
    if (now.tree === gate.tree) throw error;
    // The gate had shown an older tree than the page. From now on it shows the one that the person has looked at.
    if (now.tree === null || now.tree !== seenTree) return { kind: "moved", gate: now };
    return await send(calls, { gate: now, body, seenTree: null });
  }
}
