// Spans of time as a person types them: 90m, 12h, 30d.

import { AppError } from "../../domain/error.ts";

const units: Readonly<Record<string, number>> = { m: 60_000, h: 3_600_000, d: 86_400_000 };

export function ageOf(text: string): number {
  const [, number, unit] = /^(\d{1,6})([mhd])$/.exec(text) ?? [];
  if (number !== undefined && unit !== undefined) return Number(number) * (units[unit] ?? 0);
  throw new AppError("USAGE", `"${text}" is not a span of time`, {
    hint: "give a number of minutes, hours or days: 90m, 12h, 30d",
  });
}
