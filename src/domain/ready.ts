// Being ready: a step, or a part of one, can start as soon as its time has come.

export interface ReadyState {
  readonly status: "ready";
  readonly notBefore: number;
  /** How long it was to wait when it became ready; 0: not at all. Absent in runs that an older Pawl began. */
  readonly pauseMs?: number;
}

/** No wait is longer than twice its pause, so that a clock that was put back does not prolong it. */
export function isDue({ notBefore, pauseMs = Number.POSITIVE_INFINITY }: ReadyState, at: number): boolean {
  const wait = notBefore - at;
  return wait <= 0 || wait >= 2 * pauseMs;
}
