// When a person was last here, and what happened since. A place is that of the last change of any run, as the service counts them, so
// no clock has to be right for it. A look away of less than a minute is the same visit.

import type { RunDigest } from "../../contracts/stream-documents.ts";

export interface Visit {
  /** The place at which this visit began: what came after it is new. */
  readonly from: number;
  /** The place that has been seen. */
  readonly seen: number;
  /** When the page was last looked at. */
  readonly at: number;
}

/** A shorter absence is none. */
const sameVisitMs = 60_000;

/** `kept` null: the first visit ever, to which nothing is new. */
export function arrived(kept: Visit | null, last: number, now: number): Visit {
  // A place beyond the last one is of another store.
  if (kept === null || kept.seen > last) return { from: last, seen: last, at: now };
  if (now - kept.at < sameVisitMs) return kept;
  return { from: kept.seen, seen: kept.seen, at: kept.at };
}

/** The page has been visible for a while: everything up to `place` was seen. The visit goes on. */
export function lookedAt(visit: Visit, place: number, now: number): Visit {
  return { from: visit.from, seen: Math.max(visit.seen, place), at: now };
}

/** The person has taken note of everything. */
export function takenNote(visit: Visit, place: number, now: number): Visit {
  return { from: Math.max(visit.from, place), seen: Math.max(visit.seen, place), at: now };
}

type NewsKind = "asked" | "failed" | "done";

export interface News {
  readonly kind: NewsKind;
  readonly run: RunDigest;
}

const order: readonly NewsKind[] = ["asked", "failed", "done"];

/** What needs a person first. Runs that only moved are no news. */
export function newsIn(digests: readonly RunDigest[]): readonly News[] {
  const found = digests.flatMap((run): readonly News[] => {
    const kind = kindOf(run);
    return kind === null ? [] : [{ kind, run }];
  });
  return found.toSorted((a, b) => order.indexOf(a.kind) - order.indexOf(b.kind) || b.run.position - a.run.position);
}

function kindOf({ needsYou, status }: RunDigest): NewsKind | null {
  if (needsYou > 0) return "asked";
  return status === "done" || status === "failed" ? status : null;
}

/** What localStorage has, or null where it is not a visit. */
export function visitIn(text: string | null): Visit | null {
  try {
    const { from, seen, at } = JSON.parse(text ?? "") as Partial<Visit>;
    return [from, seen, at].every((each) => Number.isSafeInteger(each)) ? ({ from, seen, at } as Visit) : null;
  } catch {
    return null;
  }
}
