// The key that signs links of this home: made once, readable by its owner alone. Whoever has it can answer gates.

import { linkSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { AppError, systemCode } from "../domain/error.ts";
import { readRegularBytes } from "./files/regular-file.ts";
import { makePrivateDirectory, makePrivateFile } from "./private-home.ts";

const keyBytes = 32;

export function linkKeyFile(home: string): string {
  return join(home, "link.key");
}

/** Makes it if there is none. Processes that do so at once all get the same one. */
export function linkKey(home: string): Buffer {
  const file = linkKeyFile(home);
  return read(file) ?? make(file);
}

function read(file: string): Buffer | null {
  try {
    const key = readRegularBytes(file, { atMost: 4_096 });
    if (key.length !== keyBytes)
      throw new AppError("REFUSED", `${file} is not a key that Pawl made`, {
        hint: "remove it: Pawl makes a new one, and links that were sent before no longer work",
      });
    makePrivateFile(file);
    return key;
  } catch (error) {
    if (systemCode(error) === "ENOENT") return null;
    throw error;
  }
}

/** Written whole under another name first: no process may read half a key. */
function make(file: string): Buffer {
  makePrivateDirectory(dirname(file));
  // Loaded late, as in sha256.ts.
  const { randomBytes } = process.getBuiltinModule("node:crypto");
  const draft = `${file}.${process.pid}.${randomBytes(4).toString("hex")}`;
  writeFileSync(draft, randomBytes(keyBytes), { mode: 0o600, flag: "wx" });
  try {
    linkSync(draft, file);
  } catch (error) {
    if (systemCode(error) !== "EEXIST") throw error;
  } finally {
    rmSync(draft, { force: true });
  }
  return readRegularBytes(file, { atMost: keyBytes });
}
