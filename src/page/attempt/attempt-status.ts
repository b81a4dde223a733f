// How an attempt stands, as a sign and a word.

import type { AttemptDocument } from "../../contracts/http-documents.ts";
import { outcomeWords, attemptTexts as texts } from "../texts/attempt.ts";
import type { AnyStatus } from "../texts/common.ts";

interface Standing {
  readonly status: AnyStatus;
  readonly word: string;
}

export function standingOf({
  phase,
  outcome,
  verdict,
}: Pick<AttemptDocument, "phase" | "outcome" | "verdict">): Standing {
  if (phase !== "ended" || outcome === null)
    return { status: phase === "dispatched" ? "waiting" : "running", word: texts.phases[phase as "started"] };
  if (outcome === "completed") return ofVerdict(verdict);
  const status = outcome === "cancelled" ? "cancelled" : outcome === "rate_limited" ? "blocked" : "failed";
  return { status, word: outcomeWords[outcome] };
}

function ofVerdict(verdict: AttemptDocument["verdict"]): Standing {
  if (verdict?.kind === "rejected") return { status: "rejected", word: texts.rejected(verdict.reason) };
  const word = verdict === null ? outcomeWords.completed : verdict.kind === "value" ? verdict.value : texts.passed;
  return { status: "done", word };
}
