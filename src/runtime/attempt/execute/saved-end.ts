// Saved ends: the end of an execution, in a file from the moment the agent is gone until the store has the result. A driver that
// dies in between does not cost the agent's work.

import { rmSync } from "node:fs";
import type { Attempt } from "../../../domain/attempt.ts";
import { errorText } from "../../../domain/error.ts";
import type { RunId } from "../../../domain/ids.ts";
import type { ExecutionEnd } from "../../../executors/executor.ts";
import { readJson, writeJson } from "../../../system/files/json-file.ts";
import type { Secrets } from "../../../system/secrets/secrets.ts";
import type { Parts } from "../../parts.ts";
import { redactedReport } from "../../runs/redacted.ts";
import { endFile } from "../logs.ts";
import { noToolReport, type ToolReport } from "./answer.ts";

export interface SavedEnd {
  readonly end: ExecutionEnd;
  readonly reported: ToolReport;
}

/** An execution that was stopped, or that died, runs again anyway: its end is not saved. */
export function saveEnd(
  parts: Pick<Parts, "home" | "secrets" | "log">,
  run: RunId,
  attempt: Attempt,
  saved: SavedEnd,
): void {
  if (saved.end.outcome === "cancelled" || saved.end.outcome === "lost") return;
  try {
    writeJson(endFile(parts, run, attempt), redacted(parts.secrets, saved));
  } catch (error) {
    // A full disk: the result itself will wait for space.
    parts.log("end.not_kept", { run, attempt: attempt.id, why: errorText(error) });
  }
}

function redacted(secrets: Secrets, { end, reported }: SavedEnd): SavedEnd {
  const report = reported.report === null ? null : redactedReport(secrets, reported.report);
  return { end: secrets.redactAll(end), reported: { ...secrets.redactAll(reported), report } };
}

export function removeEnd(parts: Pick<Parts, "home">, run: RunId, attempt: Attempt): void {
  rmSync(endFile(parts, run, attempt), { force: true });
}

/** null: the execution had not ended, or the file does not say how. */
export function readEnd(parts: Pick<Parts, "home">, run: RunId, attempt: Attempt): SavedEnd | null {
  const read = readJson(endFile(parts, run, attempt)) as OlderEnd | null;
  const end = read?.end;
  if (typeof end?.outcome !== "string" || !Array.isArray(end.notes) || typeof end.usage !== "object") return null;
  return { end, reported: read?.reported ?? read?.told ?? noToolReport };
}

/** What older versions wrote. */
interface OlderEnd extends Partial<SavedEnd> {
  readonly told?: ToolReport;
}
