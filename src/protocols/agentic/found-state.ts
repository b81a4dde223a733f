// The STATE.json that a run finds when it starts: a copy is kept, so that no field of it is lost when Pawl writes its own.

import { rmSync } from "node:fs";
import { join } from "node:path";
import type { RunId } from "../../domain/ids.ts";
import { readInside, within, writeInside } from "../../system/files/inside.ts";
import { sidecarName, writeSidecar } from "../files/sidecar.ts";
import { type AiFolder, aiFolder, largestFile } from "./ai-folder.ts";

/** A STATE.json of this protocol has all of these. */
const required = ["project", "step", "attempt", "status"];

/** The fields of a text; null: it is not a STATE.json of this protocol. */
export function stateFields(text: string | null): Readonly<Record<string, unknown>> | null {
  if (text === null) return null;
  try {
    const value: unknown = JSON.parse(text.replace(/^\uFEFF/, ""));
    if (typeof value !== "object" || value === null) return null;
    return required.every((key) => Object.hasOwn(value, key)) ? { ...value } : null;
  } catch {
    return null;
  }
}

/** What an earlier run found is no concern of this one. The folder is of this run from now on. */
export function keepFound(folder: AiFolder, run: RunId): void {
  const { root, dir, state, found, written } = folder;
  writeSidecar(join(dir, sidecarName), { run, projected: 0 }, root);
  within(root, written, (path) => rmSync(path, { recursive: true, force: true }));
  const text = readInside(root, state, largestFile);
  if (stateFields(text) !== null && text !== null) writeInside(root, found, text);
  else within(root, found, (path) => rmSync(path, { recursive: true, force: true }));
}

/** What the run found of a story; null: nothing. */
export function foundOf(dir: string, story: string): Readonly<Record<string, unknown>> | null {
  const { root, found } = aiFolder(dir);
  const fields = stateFields(readOrNull(root, found));
  return fields?.["story"] === story ? fields : null;
}

/** Agents may write there: what cannot be read is left out. */
export function readOrNull(root: string, file: string): string | null {
  try {
    return readInside(root, file, largestFile);
  } catch {
    return null;
  }
}
