// The level of questions before steps. Owns: reading it from an option or an argument.

import { AppError } from "../../domain/error.ts";
import type { WaitsLevel } from "../../domain/run.ts";
import { waitsWords } from "../../transcript/event-line.ts";

export function readWaits(written: string | undefined): WaitsLevel | undefined {
  if (written === undefined) return undefined;
  if (Object.hasOwn(waitsWords, written)) return written as WaitsLevel;
  throw new AppError("USAGE", `"${written}" does not say before which steps a run asks`, {
    hint: "all: before every step; marked: before those that the workflow marks; none: before none",
  });
}
