// When a person was last here, and what happened since. A place is that of the last change of any run, as the service counts them, so
// no clock has to be right for it. A look away of less than a minute is the same stay.

import type { RunDigest } from "../../contracts/stream-documents.ts";

export interface Stay {
  /** What came after this place and up to `to` is new: it happened while nobody was here. */
  readonly from: number;
  /** The last place when this stay began. What comes later is watched. */
  readonly to: number;
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
  if (kept === null || kept.seen > last) return { from: last, to: last, seen: last, at: now };
  if (!isAway(kept.at, now)) return kept;
  return { from: kept.seen, to: last, seen: kept.seen, at: kept.at };
}

export function isAway(lookedAt: number, now: number): boolean {
  return now - lookedAt >= sameStayMs;
}

/** A page has been visible for a while: everything up to `place` was seen. The stay goes on. */
export function lookedAt(stay: Stay, place: number, now: number): Stay {
  return { ...stay, seen: Math.max(stay.seen, place), at: now };
}

/** The person has taken note of everything. */
export function takenNote(stay: Stay, now: number): Stay {
  return { ...stay, from: stay.to, seen: Math.max(stay.seen, stay.to), at: now };
}

/** Two tabs are of one person: what one has seen or taken note of, the other has. */
export function joined(one: Stay, other: Stay | null): Stay {
  if (other === null) return one;
  const { from, to } = other.from > one.from ? other : one;
  return { from, to, seen: Math.max(one.seen, other.seen), at: Math.max(one.at, other.at) };
}

type NewsKind = "asked" | "failed" | "done";

export interface News {
  readonly kind: NewsKind;
  readonly run: RunDigest;
}

const order: readonly NewsKind[] = ["asked", "failed", "done"];

/** What needs a person first. Runs that only moved are no news, and neither are those that moved again in front of the person. */
export function newsIn(digests: readonly RunDigest[], to: number): readonly News[] {
  const found = digests.flatMap((run): readonly News[] => {
    const kind = run.position > to ? null : kindOf(run);
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
    const { from, to, seen, at } = JSON.parse(text ?? "") as Partial<Stay>;
    return [from, to, seen, at].every((each) => Number.isSafeInteger(each)) ? ({ from, to, seen, at } as Stay) : null;
  } catch {
    return null;
  }
}
