// An execution that ended before it began, with the reason.

import { noUsage } from "../domain/attempt.ts";
import type { Execution, ExecutionEnd } from "./executor.ts";

export const chooseOther = "choose another executor with --executor NAME (see `pawl doctor`)";

export function notStarted(why: string): Required<Omit<Execution, "tell">> {
  const end: ExecutionEnd = { outcome: "failed", why, text: "", usage: noUsage, session: null, notes: [] };
  return {
    started: Promise.resolve(),
    ended: Promise.resolve(end),
    stop: () => undefined,
    heard: () => undefined,
  };
}
