// Resumes an earlier session: what it used before is not counted again, and a session that is gone does not cost the attempt.

import type { ProcessEnd } from "../../system/process/call.ts";
import type { Resumed } from "../executor.ts";
import type { StreamReading } from "../stream/stream-reading.ts";

/** How an agent resumes a session. */
export interface WarmSessions {
  /** What it counts from the beginning of the session instead of the beginning of this run. */
  readonly cumulative: readonly ("money" | "tokens")[];
  /** It keeps the role with which the session began, and ignores a new one. */
  readonly keepsSystem: boolean;
  /** Its message for a session that it does not find. */
  readonly gone: RegExp;
}

/** It did nothing but report that there is no such session. */
export function isGone({ gone }: WarmSessions, end: ProcessEnd, reading: StreamReading): boolean {
  const { inputTokens, cacheReadTokens, outputTokens } = reading.usage;
  const hasFailed = end.kind === "exited" && end.code !== 0 && !reading.ok;
  const isUnused = inputTokens + cacheReadTokens + outputTokens === 0;
  return hasFailed && isUnused && [reading.message, end.stderr, end.stdout].some((text) => gone.test(text));
}

/** Some agents start another session without saying so. */
export function isAnother({ session }: StreamReading, resumed: string): boolean {
  return session !== null && session !== resumed;
}

export function goneNote(session: string): string {
  return `the session ${session} is gone, so it started a new one`;
}

/** What this run used, for an agent that keeps counting. */
export function withoutSpent(reading: StreamReading, { cumulative }: WarmSessions, { spent }: Resumed): StreamReading {
  const { usage } = reading;
  const less = (total: number, before: number) => Math.max(0, total - before);
  const tokens = cumulative.includes("tokens") && {
    inputTokens: less(usage.inputTokens, spent.inputTokens),
    cacheReadTokens: less(usage.cacheReadTokens, spent.cacheReadTokens ?? 0),
    outputTokens: less(usage.outputTokens, spent.outputTokens),
  };
  const money = cumulative.includes("money") &&
    usage.costUsd !== null && { costUsd: less(usage.costUsd, spent.costUsd) };
  return { ...reading, usage: { ...usage, ...tokens, ...money } };
}
