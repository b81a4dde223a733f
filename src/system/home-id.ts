// The id of a home: a store on a server knows by it whose runs it has. It stays the same when the home is moved.

import { join } from "node:path";
import { type KeyKind, keyIn } from "./key-file.ts";

const idBytes = 16;

const kind: KeyKind = {
  bytes: idBytes,
  // Loaded late, as in sha256.ts.
  make: () => process.getBuiltinModule("node:crypto").randomBytes(idBytes),
  whenNew: "a store on a server takes this home for another one",
};

/** Makes it if there is none. */
export function homeId(home: string): string {
  return keyIn(join(home, "home.id"), kind).toString("hex");
}
