// Reads and writes the sidecar: a small file beside the files of a protocol with the run that they belong to and how much of its
// log they show.

import { dirname } from "node:path";
import { AppError } from "../../domain/error.ts";
import { isSafeId, type RunId, runId } from "../../domain/ids.ts";
import { writeInside } from "../../system/files/inside.ts";
import { readOptional } from "../../system/files/text.ts";

export const sidecarName = ".pawl.json";

export interface Sidecar {
  readonly run: RunId;
  /** How many events of the run's log the files show. */
  readonly projected: number;
}

/** null: no run has used the folder. */
export function readSidecar(file: string): Sidecar | null {
  const text = readOptional(file);
  if (text === null) return null;
  const { run, projected } = fieldsOf(text);
  if (typeof run === "string" && isSafeId(run) && Number.isSafeInteger(projected))
    return { run: runId(run), projected: projected as number };
  throw new AppError("INPUT_INVALID", `${file} does not say which run uses this folder`, {
    hint: "remove it if no run of Pawl uses the folder, or choose another folder with --shared",
  });
}

export function writeSidecar(file: string, { run, projected }: Sidecar): void {
  writeInside(dirname(file), file, `${JSON.stringify({ run, projected })}\n`);
}

function fieldsOf(text: string): Readonly<Record<string, unknown>> {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === "object" && value !== null ? { ...value } : {};
  } catch {
    return {};
  }
}
