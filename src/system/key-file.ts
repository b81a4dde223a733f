// Keys of this home: each made once, in a file that only its owner reads.

import { linkSync, rmSync, writeFileSync } from "node:fs";
import { dirname } from "node:path";
import { AppError, systemCode } from "../domain/error.ts";
import { readRegularBytes } from "./files/regular-file.ts";
import { makePrivateDirectory, makePrivateFile } from "./private-home.ts";

export interface KeyKind {
  readonly bytes: number;
  readonly make: () => Buffer;
  /** What a new key would cost, for people. */
  readonly whenNew: string;
}

/** Makes it if there is none. Processes that do so at once all get the same one. */
export function keyIn(file: string, kind: KeyKind): Buffer {
  return read(file, kind) ?? make(file, kind);
}

function read(file: string, { bytes, whenNew }: KeyKind): Buffer | null {
  try {
    const key = readRegularBytes(file, { atMost: 4_096 });
    if (key.length !== bytes)
      throw new AppError("REFUSED", `${file} is not a key that Pawl made`, {
        hint: `remove it: Pawl makes a new one, and ${whenNew}`,
      });
    makePrivateFile(file);
    return key;
  } catch (error) {
    if (systemCode(error) === "ENOENT") return null;
    throw error;
  }
}

/** Written whole under another name first: no process may read half a key. */
function make(file: string, kind: KeyKind): Buffer {
  makePrivateDirectory(dirname(file));
  // Loaded late, as in sha256.ts.
  const { randomBytes } = process.getBuiltinModule("node:crypto");
  const draft = `${file}.${process.pid}.${randomBytes(4).toString("hex")}`;
  writeFileSync(draft, kind.make(), { mode: 0o600, flag: "wx" });
  try {
    linkSync(draft, file);
  } catch (error) {
    if (systemCode(error) !== "EEXIST") throw error;
  } finally {
    rmSync(draft, { force: true });
  }
  return readRegularBytes(file, { atMost: kind.bytes });
}
