// JSON files that only Pawl writes. Owns: writing one so that it survives a crash of the machine, and reading it back.

import { writeFileSync } from "node:fs";
import { readIfReadable } from "./text.ts";
import { replaceFile } from "./whole-file.ts";

/** The new value or the old one is there, also after a power failure. The directory must exist. */
export function writeJson(file: string, value: unknown): void {
  replaceFile(file, (draft) => writeFileSync(draft, `${JSON.stringify(value)}\n`, { flag: "wx", flush: true }));
}

/** Null when there is no such file, or it does not contain JSON. */
export function readJson(file: string): unknown {
  try {
    return JSON.parse(readIfReadable(file) ?? "null");
  } catch {
    return null;
  }
}
