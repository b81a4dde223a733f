// Builds a Rejection.

import type { Rejection, RejectionCode } from "../domain/decision.ts";

export function rejectCommand(code: RejectionCode, why: string): Rejection {
  return { accepted: false, code, why, events: [], run: null };
}
