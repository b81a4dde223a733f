// Looks at STATE.json before Pawl writes it again: whether it is as Pawl left it, gone, broken, another tool's, or changed.

import { lstatSync } from "node:fs";
import { setTimeout as pause } from "node:timers/promises";
import { hasEnded } from "../../domain/attempt.ts";
import { errorText } from "../../domain/error.ts";
import type { FileChange } from "../../domain/file-change.ts";
import { readInside } from "../../system/files/inside.ts";
import { sha256Of } from "../../system/sha256.ts";
import { openJson } from "../files/json-places.ts";
import { type AiFolder, largestFile } from "./ai-folder.ts";
import { type ChangedRun, differences } from "./changed-state.ts";
import { stateFields } from "./found-state.ts";
import { reportedAttempt } from "./state-report.ts";

export interface LookedState {
  /** Null: there is none, or it cannot be read. */
  readonly text: string | null;
  readonly changes: readonly FileChange[];
  /** It belongs to another tool: nothing is written beside it. */
  readonly isForeign: boolean;
  /** It is not JSON, and its text is kept. */
  readonly isBroken: boolean;
  /** It reports the session that runs: it stays until that has ended. */
  readonly isReport: boolean;
}

/** `written`: what Pawl wrote last. */
export async function lookAtState(folder: AiFolder, written: string, of: ChangedRun): Promise<LookedState> {
  const whole = (why: string): FileChange => ({
    file: "STATE.json",
    field: null,
    why,
    story: of.shown,
    adopts: null,
  });
  let text: string | null;
  try {
    text = await wholeText(folder);
  } catch (error) {
    return { ...unchanged, changes: [whole(`${errorText(error)}; Pawl replaces it`)] };
  }
  if (text === written) return { ...unchanged, text };
  if (text === null) return { ...unchanged, changes: [whole("STATE.json was removed; Pawl writes it again")] };
  const trouble = troubleIn(text, folder);
  if (trouble !== null) {
    const why = `${trouble}; Pawl restores it and keeps its text as STATE.json.broken`;
    return { ...unchanged, text, isBroken: true, changes: [whole(why)] };
  }
  const now = stateFields(text);
  const before = stateFields(written);
  if (now === null)
    return {
      ...unchanged,
      text,
      isForeign: true,
      changes: [{ ...whole(foreignIn(text, folder)), value: sha256Of(text) }],
    };
  if (before === null) return { ...unchanged, text };
  const reported = reportedAttempt(before, now, of.run);
  const isReport = reported !== null && !hasEnded(reported);
  return { ...unchanged, text, isReport, changes: differences(before, now, of) };
}

const unchanged: LookedState = { text: null, changes: [], isForeign: false, isBroken: false, isReport: false };

/** An editor that writes in parts is not interrupted: what is not whole may be so in a moment. */
const quietMs = 1_000;
const lookEveryMs = 100;
const longestWaitMs = 5_000;

async function wholeText(folder: AiFolder): Promise<string | null> {
  for (let waited = 0; ; waited += lookEveryMs) {
    const text = readInside(folder.root, folder.state, largestFile);
    if (text === null || troubleIn(text, folder) === null || waited >= longestWaitMs) return text;
    const changedAt = lstatSync(folder.state, { throwIfNoEntry: false })?.mtimeMs ?? 0;
    // Where the clock was put back meanwhile, the file is from the future.
    if (Math.abs(Date.now() - changedAt) >= quietMs) return text;
    await pause(lookEveryMs);
  }
}

function troubleIn(text: string, { state }: AiFolder): string | null {
  try {
    openJson(text, state, "");
    return null;
  } catch (error) {
    return errorText(error);
  }
}

function foreignIn(text: string, { state }: AiFolder): string {
  const keys = Object.keys(Object(JSON.parse(text.replace(/^\uFEFF/, ""))))
    .slice(0, 6)
    .join(", ");
  const what = `${state} is not of this protocol (it has ${keys || "no fields"}); it stays as it is, and Pawl shows nothing there`;
  return `${what}: move it away, or work in another folder with --dir`;
}
