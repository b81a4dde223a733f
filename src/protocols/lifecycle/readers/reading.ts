// What a result file says about the work, and where it says so. A wrong "proceed" is worse than ten questions: what no rule of a reader
// allows is unknown, and a person is asked.

export type ResultVerdict = "proceed" | "fix" | "unknown";

export interface ResultReading {
  readonly verdict: ResultVerdict;
  /** For people: what was found. */
  readonly why: string;
  /** Where: JSON Pointers, or `line N`. Empty where there is nothing to point at. */
  readonly places: readonly string[];
}

/** Reads the text of one file; it never throws. */
export type ReadResult = (text: string) => ResultReading;

export function reading(verdict: ResultVerdict, why: string, places: readonly string[] = []): ResultReading {
  return { verdict, why, places: [...new Set(places)].slice(0, mostPlaces) };
}

/** Enough to find the rest by looking there. */
const mostPlaces = 5;
