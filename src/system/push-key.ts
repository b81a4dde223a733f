// The key pair by which push services know this home (VAPID, RFC 8292): browsers subscribe to its public half.

import { join } from "node:path";
import { type KeyKind, keyIn } from "./key-file.ts";

const curve = "prime256v1";
const keyBytes = 32;

export interface PushKey {
  /** 32 bytes. */
  readonly privateKey: Buffer;
  /** An uncompressed point of P-256: 65 bytes. */
  readonly publicKey: Buffer;
}

const kind: KeyKind = {
  bytes: keyBytes,
  make: () => {
    const pair = crypto().createECDH(curve);
    pair.generateKeys();
    // Without its leading zeros it would be shorter.
    return Buffer.concat([Buffer.alloc(keyBytes), pair.getPrivateKey()]).subarray(-keyBytes);
  },
  whenNew: "browsers must subscribe again",
};

export function pushKeyFile(home: string): string {
  return join(home, "push.key");
}

export function pushKey(home: string): PushKey {
  const privateKey = keyIn(pushKeyFile(home), kind);
  const pair = crypto().createECDH(curve);
  pair.setPrivateKey(privateKey);
  return { privateKey, publicKey: pair.getPublicKey() };
}

/** Loaded late, as in sha256.ts. */
function crypto() {
  return process.getBuiltinModule("node:crypto");
}
