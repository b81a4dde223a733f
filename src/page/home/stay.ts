// When a person was last here, and what happened since. A place is that of the last change of any run, as the service counts them, so
// no clock has to be right for it. A look away of less than a minute is the same stay.

import type { RunDigest } from "../../contracts/stream-documents.ts";

export interface Stay {
  /** The place at which this stay began: what came after it is new. */
  readonly from: number;
  /** The place that has been seen. */
  readonly seen: number;
  /** When the page was last looked at. */
  readonly at: number;
}

/** A shorter absence is none. */
const sameStayMs = 60_000;

/** `kept` null: the first stay ever, to which nothing is new. */
export function arrived(kept: Stay | null, last: number, now: number): Stay {
  // A place beyond the last one is of another store.
  if (kept === null || kept.seen > last) return { from: last, seen: last, at: now };
  if (now - kept.at < sameStayMs) return kept;
  return { from: kept.seen, seen: kept.seen, at: kept.at };
}

/** The page has been visible for a while: everything up to `place` was seen. The stay goes on. */
export function lookedAt(stay: Stay, place: number, now: number): Stay {
  return { from: stay.from, seen: Math.max(stay.seen, place), at: now };
}

/** The person has taken note of everything. */
export function takenNote(stay: Stay, place: number, now: number): Stay {
  return { from: Math.max(stay.from, place), seen: Math.max(stay.seen, place), at: now };
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

/** What localStorage has, or null where it is not a stay. */
export function stayIn(text: string | null): Stay | null {
  try {
    const { from, seen, at } = JSON.parse(text ?? "") as Partial<Stay>;
    return [from, seen, at].every((each) => Number.isSafeInteger(each)) ? ({ from, seen, at } as Stay) : null;
  } catch {
    return null;
  }
}
