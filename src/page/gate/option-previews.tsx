// Where each option of a gate leads, by the engine's decision on the folded run.

import { useMemo } from "preact/hooks";
import type { GateView } from "../../contracts/run-documents.ts";
import type { Gate } from "../../domain/gate.ts";
import type { Run } from "../../domain/run.ts";
import { visibleText } from "../parts/visible-text.ts";
import { answerTexts as texts } from "../texts/gate.ts";
import { type Preview, previewAnswer } from "./answer-preview.ts";

export interface Previewed {
  readonly gate: GateView;
  /** The gate in the folded run; null: the run is still read. */
  readonly folded: Gate | null;
  readonly run: Run | null;
}

interface Words {
  readonly chosen: string | null;
  readonly reason: string | null;
  /** A note, or comments. */
  readonly hasWords: boolean;
}

/** Null: the run is still read. */
export function usePreviews({ gate, folded, run }: Previewed, words: Words): ReadonlyMap<string, Preview> | null {
  const { chosen, reason, hasWords } = words;
  return useMemo(() => {
    if (run === null || folded === null) return null;
    const note = hasWords ? texts.note : "";
    const at = Date.now();
    return new Map(
      gate.options.map((option) => [
        option,
        previewAnswer(run, folded, { option, reason: option === chosen ? reason : null, note }, at),
      ]),
    );
  }, [run, folded, gate.id, chosen, reason, hasWords]);
}

export function PreviewText({ preview }: { readonly preview: Preview | null }) {
  if (preview === null) return <span class="answer-leads dim">{texts.computing}…</span>;
  return (
    <span class={`answer-leads ${preview.isRefused ? "failed" : "dim"}`}>
      {visibleText(preview.sentences.join("; "))}
    </span>
  );
}
