// The key that signs links of this home. Whoever has it can answer gates.

import { join } from "node:path";
import { type KeyKind, keyIn } from "./key-file.ts";

const keyBytes = 32;

const kind: KeyKind = {
  bytes: keyBytes,
  // Loaded late, as in sha256.ts.
  make: () => process.getBuiltinModule("node:crypto").randomBytes(keyBytes),
  whenNew: "links that were sent before no longer work",
};

export function linkKeyFile(home: string): string {
  return join(home, "link.key");
}

export function linkKey(home: string): Buffer {
  return keyIn(linkKeyFile(home), kind);
}
