// The diff that a gate is about. Owns: when it is read again: when the gate shows another tree, when its page is looked at again, and
// when somebody asks for it. What is there stays until the new one has come.

import { useSignal } from "@preact/signals";
import { useEffect } from "preact/hooks";
import type { GateDiff } from "../../contracts/diff-document.ts";
import type { GateView } from "../../contracts/run-documents.ts";
import { CallProblem, get } from "../api/calls.ts";

export type DiffSince = "base" | "shown";

interface ReadDiff {
  /** Null: nothing has come yet. */
  readonly diff: GateDiff | null;
  readonly problem: CallProblem | null;
  readonly isReading: boolean;
  readonly readAgain: () => void;
}

export function useGateDiff(gate: Pick<GateView, "id" | "tree" | "status">, since: DiffSince): ReadDiff {
  const diff = useSignal<GateDiff | null>(null);
  const problem = useSignal<CallProblem | null>(null);
  const isReading = useSignal(true);
  const asked = useSignal(0);
  useEffect(() => {
    const closing = new AbortController();
    isReading.value = true;
    void read(gate.id, since, closing.signal).then((result) => {
      if (result === null || closing.signal.aborted) return;
      isReading.value = false;
      problem.value = result instanceof CallProblem ? result : null;
      // The same text again would make the page forget which lines it has read.
      if (!(result instanceof CallProblem) && !isSame(result, diff.value)) diff.value = result;
    });
    return () => closing.abort();
  }, [gate.id, gate.tree, gate.status, since, asked.value]);
  useEffect(() => {
    const look = () => {
      if (document.visibilityState === "visible") asked.value += 1;
    };
    document.addEventListener("visibilitychange", look);
    return () => document.removeEventListener("visibilitychange", look);
  }, []);
  const readAgain = () => {
    asked.value += 1;
  };
  return { diff: diff.value, problem: problem.value, isReading: isReading.value, readAgain };
}

async function read(gate: string, since: DiffSince, signal: AbortSignal): Promise<GateDiff | CallProblem | null> {
  try {
    return await get<GateDiff>(`/gates/${encodeURIComponent(gate)}/diff?since=${since}`, signal);
  } catch (error) {
    if (signal.aborted) return null;
    if (error instanceof CallProblem) return error;
    throw error;
  }
}

function isSame(one: GateDiff, other: GateDiff | null): boolean {
  if (other === null || one.gate !== other.gate) return false;
  return one.tree === other.tree && one.from === other.from && one.isMoved === other.isMoved && one.text === other.text;
}
