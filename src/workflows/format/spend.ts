// Limits of money, tokens and time in a `budget`: reading them, and printing them for people.

import { counted } from "../../domain/counted.ts";
import type { Spend } from "../../domain/route.ts";
import { durationMs, formatDuration } from "../document/duration.ts";
import type { Path } from "../document/problem.ts";
import { type Reading, refuse } from "../document/reading.ts";
import type { LimitInput } from "./step-field-schema.ts";

/** null when only a number of times is limited. */
export function readSpend(reading: Reading, written: LimitInput, path: Path, step: string): Spend | null {
  const { usd, tokens, wall, hard } = written;
  if (hard !== undefined && wall === undefined) {
    refuse(reading, [...path, "hard"], {
      message: `Step '${step}': \`hard\` has no effect without \`wall\``,
      expected: "`wall: TIME` beside `hard`",
      hint: "what an attempt costs is known when it has ended; only time can stop one that runs",
    });
  }
  if (usd === undefined && tokens === undefined && wall === undefined) return null;
  return {
    costUsd: usd ?? null,
    tokens: tokens ?? null,
    wallMs: wall === undefined ? null : durationMs(wall),
    hard: hard ?? false,
  };
}

/** `5 USD, 200000 tokens or 2h of work` */
export function spendText({ costUsd, tokens, wallMs }: Omit<Spend, "hard">): string {
  const parts = [
    ...(costUsd === null ? [] : [`${costUsd} USD`]),
    ...(tokens === null ? [] : [counted(tokens, "token")]),
    ...(wallMs === null ? [] : [`${formatDuration(wallMs)} of work`]),
  ];
  const last = parts.pop() ?? "";
  return parts.length === 0 ? last : `${parts.join(", ")} or ${last}`;
}
