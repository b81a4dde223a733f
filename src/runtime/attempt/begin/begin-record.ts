// The begin record: a file with the facts of an attempt that the store does not have, for a process that concludes it later. Most
// attempts have no such facts, and no file.

import { rmSync } from "node:fs";
import type { Attempt } from "../../../domain/attempt.ts";
import type { RunId } from "../../../domain/ids.ts";
import { readJson, writeJson } from "../../../system/files/json-file.ts";
import type { Parts } from "../../parts.ts";
import type { Claim } from "../claim/claim.ts";
import { beginFile } from "../logs.ts";

export interface BeginRecord extends Pick<Claim, "hold" | "insteadOf"> {
  readonly missingKeys: readonly string[];
}

const nothing: BeginRecord = { hold: null, insteadOf: null, missingKeys: [] };

export function recordBegin(
  parts: Pick<Parts, "home" | "secrets">,
  { claim, missingKeys }: { readonly claim: Claim; readonly missingKeys: readonly string[] },
): void {
  const { run, attempt, hold, insteadOf } = claim;
  if (hold === null && insteadOf === null && missingKeys.length === 0) return;
  const record: BeginRecord = { hold, insteadOf, missingKeys };
  writeJson(beginFile(parts, run.header.id, attempt), parts.secrets.redactAll(record));
}

export function readBeginRecord(parts: Pick<Parts, "home">, run: RunId, attempt: Attempt): BeginRecord {
  return { ...nothing, ...(readJson(beginFile(parts, run, attempt)) as Partial<BeginRecord> | null) };
}

export function removeBeginRecord(parts: Pick<Parts, "home">, run: RunId, attempt: Attempt): void {
  rmSync(beginFile(parts, run, attempt), { force: true });
}
