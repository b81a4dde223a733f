// Whole numbers in the query of a call, as digits and nothing else. `Number` would take an empty text for 0, and `0x10` and `1e9` for
// numbers that their sender may not have meant.

import { z } from "zod";

/** Longer ones are not exact. */
const digits = /^\d{1,16}$/;

export function digitsInput(least: number, most = Number.MAX_SAFE_INTEGER) {
  const range = most === Number.MAX_SAFE_INTEGER ? `${least} or more` : `${least} to ${most}`;
  const error = `must be a whole number in digits, ${range}`;
  return z
    .string()
    .regex(digits, { error, abort: true })
    .transform(Number)
    .pipe(z.int({ error }).min(least, { error }).max(most, { error }));
}
