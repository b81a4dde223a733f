// Answering, as the page sees it: what is being sent, what was refused and why, and what the service said about the gate since.

import { type ReadonlySignal, useSignal, useSignalEffect } from "@preact/signals";
import { useMemo } from "preact/hooks";
import type { AnswerDocument, GateView } from "../../contracts/run-documents.ts";
import { type CallProblem, get, post } from "../api/calls.ts";
import { line } from "../api/changes.ts";
import type { GateDraft } from "./gate-draft.ts";
import { type AnswerRequest, type GateCalls, sendAnswer } from "./send-answer.ts";

export interface Answering {
  readonly isSending: ReadonlySignal<boolean>;
  /** The option that was taken; null: none of this page. */
  readonly sent: ReadonlySignal<string | null>;
  readonly refusal: ReadonlySignal<"elsewhere" | "moved" | null>;
  readonly problem: ReadonlySignal<CallProblem | null>;
  readonly send: (request: AnswerRequest) => Promise<void>;
  /** The gate as it was last heard of. */
  readonly newest: (loaded: GateView) => GateView;
}

const calls: GateCalls = {
  answer: async (gate, body) => await post<AnswerDocument>(`/gates/${encodeURIComponent(gate)}/answer`, body),
  read: async (gate) => await get<GateView>(`/gates/${encodeURIComponent(gate)}`),
};

export function useAnswering(draft: GateDraft): Answering {
  const isSending = useSignal(false);
  const sent = useSignal<string | null>(null);
  const refusal = useSignal<"elsewhere" | "moved" | null>(null);
  const problem = useSignal<CallProblem | null>(null);
  const told = useSignal<GateView | null>(null);
  // That nothing answered is over when something does.
  useSignalEffect(() => {
    if (line.value === "live" && problem.peek()?.status === 0) problem.value = null;
  });
  return useMemo(
    () => ({
      isSending,
      sent,
      refusal,
      problem,
      send: async (request) => {
        if (isSending.value) return;
        isSending.value = true;
        refusal.value = null;
        problem.value = null;
        const result = await sendAnswer(calls, request);
        isSending.value = false;
        if (result.kind === "problem") problem.value = result.problem;
        else if (result.kind === "answered") {
          sent.value = request.body.option;
          draft.clear();
        } else {
          refusal.value = result.kind;
          told.value = result.gate;
        }
      },
      newest: (loaded) => {
        const { value } = told;
        const isNewer = value !== null && value.id === loaded.id && loaded.status === "open";
        return isNewer ? value : loaded;
      },
    }),
    [draft],
  );
}
