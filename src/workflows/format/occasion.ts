// Why a route is followed, and the defaults that follow from it: the words of a bare `fail`, the question and the options
// of a gate that has none of its own.

import type { GateOptions, Route } from "../../domain/route.ts";

/** Why a route is followed: it decides what a gate without options offers and what a bare `fail` says. */
export type Occasion =
  | ({ readonly of: "passed" | "rejected" | "decided" | "error" | "answer" | "asked" } & Asker)
  | Exhausted;

export interface Asker {
  readonly step: string;
  /** It is, or may be, the integration of a story: continuing without it is not offered. */
  readonly integrates?: boolean;
}

interface Exhausted extends Asker {
  readonly of: "exhausted";
  /** What a person may have once more. */
  readonly limited: GateOptions;
  /** For the question. */
  readonly why: string;
  /** What a bare `fail` says; empty where only the run knows which of several limits was reached. */
  readonly reason: string;
}

export const stillWords = {
  passed: "not finished",
  rejected: "still rejected",
  decided: "no decision to continue",
  error: "still failing",
  answer: "not settled",
  asked: "not settled",
  exhausted: "not settled",
} as const;

const reasonWords = {
  passed: "done",
  rejected: "rejected",
  decided: "failed by its decision",
  error: "did not complete",
  answer: "stopped by a person",
  asked: "rejected by a person",
} as const;

export function reasonFor(occasion: Occasion): string {
  return occasion.of === "exhausted" ? occasion.reason : `${occasion.step}: ${reasonWords[occasion.of]}`;
}

export function questionFor(occasion: Occasion): string {
  if (occasion.of === "exhausted") return `${occasion.step}: ${occasion.why}. What now?`;
  if (occasion.of === "passed" || occasion.of === "asked") return `${occasion.step} is done. Continue?`;
  return occasion.of === "error"
    ? `${occasion.step} does not complete. What now?`
    : `${occasion.step} was rejected. What now?`;
}

/** What a gate without options of its own offers. */
export function optionsFor(
  occasion: Occasion | Pick<Exhausted, "of" | "step" | "limited" | "integrates">,
): GateOptions {
  const stop: Route = { to: "fail", reason: `${occasion.step}: stopped by a person` };
  // Work that is not integrated is nowhere: accepting that would call a story done whose work is lost.
  const accept: GateOptions = occasion.integrates ? {} : { accept: { to: "next" } };
  switch (occasion.of) {
    case "exhausted":
      return { ...occasion.limited, ...accept, stop };
    case "error":
      return { again: { to: "again" }, stop };
    case "passed":
    case "asked":
      return { approve: { to: "next" }, reject: { to: "fail", reason: `${occasion.step}: rejected by a person` } };
    case "rejected":
    case "decided":
    case "answer":
      return { again: { to: "again" }, ...accept, stop };
  }
}

export function askerOf({ step, integrates = false }: Asker): Asker {
  return { step, integrates };
}
