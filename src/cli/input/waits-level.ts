// The level of questions before steps. Owns: reading it from an option or an argument, and its words for people.

import { AppError } from "../../domain/error.ts";
import type { WaitsLevel } from "../../domain/run.ts";

export const waitsWords: Readonly<Record<WaitsLevel, string>> = {
  all: "every step",
  marked: "the steps that the workflow marks",
  none: "no step",
};

export function readWaits(written: string | undefined): WaitsLevel | undefined {
  if (written === undefined) return undefined;
  if (Object.hasOwn(waitsWords, written)) return written as WaitsLevel;
  throw new AppError("USAGE", `"${written}" does not say before which steps a run asks`, {
    hint: "all: before every step; marked: before those that the workflow marks; none: before none",
  });
}
