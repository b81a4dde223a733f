// Ends of executions. Owns: keeping what an agent came to from the moment it is gone until the store knows, so that a driver that
// dies in between does not cost the work of an hour.

import { rmSync } from "node:fs";
import type { Attempt } from "../../../domain/attempt.ts";
import type { EditRequest } from "../../../domain/edit.ts";
import { errorText } from "../../../domain/error.ts";
import type { RunId } from "../../../domain/ids.ts";
import type { CompletedReport, UnfinishedReport } from "../../../domain/report.ts";
import type { ExecutionEnd } from "../../../executors/executor.ts";
import { readJson, writeJson } from "../../../system/files/json-file.ts";
import type { Secrets } from "../../../system/secrets/secrets.ts";
import type { Parts } from "../../parts.ts";
import { redactedReport } from "../../runs/redacted.ts";
import { endFile } from "../logs.ts";

/** An execution that has ended, and where it worked. */
export interface Kept {
  readonly end: ExecutionEnd;
  readonly env: Readonly<Record<string, string>>;
  /** What its agent had reported at its desk; absent in what an older version kept. */
  readonly told?: Told;
}

/** What an agent reports by tools beside what it prints. */
export interface Told {
  readonly report: CompletedReport | UnfinishedReport | null;
  readonly edits?: EditRequest;
}

export const nothingTold: Told = { report: null };

/** What we stopped, or what died, is run again anyway. */
export function keepEnd(parts: Parts, run: RunId, attempt: Attempt, kept: Kept): void {
  if (kept.end.outcome === "cancelled" || kept.end.outcome === "lost") return;
  try {
    // Its checks need the variables as they are: with one that must not be written, the attempt runs again.
    if (parts.secrets.nameIn(JSON.stringify(kept.env)) !== null) return;
    writeJson(endFile(parts, run, attempt), redacted(parts.secrets, kept));
  } catch (error) {
    // A full disk: the result itself will wait for space.
    parts.log("end.not_kept", {
      run,
      attempt: attempt.id,
      why: errorText(error),
    });
  }
}

function redacted(secrets: Secrets, { end, env, told }: Kept): Kept {
  const report = told?.report ? redactedReport(secrets, told.report) : null;
  return { end: secrets.redactAll(end), env, ...(told ? { told: { ...secrets.redactAll(told), report } } : {}) };
}

export function forgetEnd(parts: Parts, run: RunId, attempt: Attempt): void {
  rmSync(endFile(parts, run, attempt), { force: true });
}

/** null: it had not ended, or nobody can tell. */
export function keptEnd(parts: Pick<Parts, "home">, run: RunId, attempt: Attempt): Kept | null {
  return readJson(endFile(parts, run, attempt)) as Kept | null;
}
