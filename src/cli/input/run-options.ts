// Options of commands that start a run. Owns: reading values that commander hands over as texts.

import { AppError } from "../../domain/error.ts";

export function collect(value: string, before: readonly string[] = []): readonly string[] {
  return [...before, value];
}

/** `a=1,b=2` is two values; a comma without a following KEY= belongs to the value. */
export function readContext(given: readonly string[] = []): Readonly<Record<string, string>> {
  return Object.fromEntries(given.flatMap((text) => text.split(/,(?=[A-Za-z_][A-Za-z0-9_]*=)/)).map(readPair));
}

function readPair(text: string): readonly [string, string] {
  const match = /^([A-Za-z_][A-Za-z0-9_]*)=([^]*)$/.exec(text);
  if (match?.[1] === undefined)
    throw new AppError("USAGE", `"${text}" is not KEY=VALUE`, { hint: "for example --context ticket=ABC-12" });
  return [match[1].toLowerCase(), match[2] ?? ""];
}

export function readCount(text: string | undefined, option = "--concurrency"): number | null {
  if (text === undefined) return null;
  const count = Number(text);
  if (Number.isInteger(count) && count >= 1 && count <= 64) return count;
  throw new AppError("USAGE", `${option} ${text} is not a number from 1 to 64`, {
    hint: "leave it out for the configured number",
  });
}

/** For a list of runs. */
export function readLimitOption(text: string, hint = "for example --limit 20"): number {
  const limit = Number(text);
  if (Number.isInteger(limit) && limit >= 1) return limit;
  throw new AppError("USAGE", `--limit ${text} is not a number of 1 or more`, { hint });
}
