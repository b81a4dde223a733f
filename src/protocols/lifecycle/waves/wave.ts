// A wave: skills that run at once, one row each, the files that show them, and what is recorded of a row with the end of its attempt.

import type { Facts, Json } from "../../../domain/report.ts";
import type { AttemptEnd } from "../session/session-log.ts";
import type { WaveResult } from "./wave-csv.ts";

/** What the end of an attempt keeps of its wave, so that the log alone gives its files again. */
export interface WaveFacts {
  readonly number: number;
  /** The 1-based position of its step when it began. */
  readonly position: number;
  readonly call: string;
  /** The text of `wave-N.csv`, with the rows of the other skills of the wave. */
  readonly csv: string;
  /** The text of `wave-N-results.csv` as a spawner wrote it; null: it wrote none, or too much to keep. */
  readonly results: string | null;
  /** A spawner wrote the results of the whole wave. */
  readonly isReported: boolean;
  readonly artifacts: string;
}

export const waveFile = (number: number | string) => `wave-${number}.csv`;
export const resultsFile = (number: number | string) => `wave-${number}-results.csv`;

/** Null: nothing was recorded of it, because its driver died. */
export function waveFacts(facts: Facts): WaveFacts | null {
  const wave = facts["wave"];
  if (!isRecord(wave)) return null;
  const { number, position, call, csv, results = null, isReported = false, artifacts = "" } = wave;
  const isWhole =
    typeof number === "number" && typeof position === "number" && typeof call === "string" && typeof csv === "string";
  if (!isWhole) return null;
  return {
    number,
    position,
    call,
    csv,
    results: typeof results === "string" ? results : null,
    isReported: isReported === true,
    artifacts: typeof artifacts === "string" ? artifacts : "",
  };
}

/** What became of the call, by the report that counted. */
export function resultOf({ outcome, verdict, why, facts, outputs, summary }: AttemptEnd, call: string): WaveResult {
  const isDone = outcome === "completed" && verdict?.kind !== "rejected";
  const said = isRecord(facts["outputs"]) ? facts["outputs"] : {};
  const text = (key: string) => outputs[key] ?? textIn(said[key]);
  return {
    status: isDone ? "completed" : "failed",
    call,
    summary: summary || text("summary"),
    artifacts: waveFacts(facts)?.artifacts || text("artifacts"),
    error: isDone ? "" : why || textIn(facts["said"]) || outcome,
  };
}

function textIn(value: Json | undefined): string {
  return typeof value === "string" ? value : "";
}

export function isRecord(value: Json | undefined): value is Readonly<Record<string, Json>> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
