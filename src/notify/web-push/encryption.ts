// The encryption of a web push message (RFC 8291): only the browser that subscribed can read it, not its push service.

import { createCipheriv, createECDH, hkdfSync, randomBytes } from "node:crypto";
import { type BrowserKeys, pointBytes } from "./keys.ts";

/** What is random, for a test that repeats an example. */
export interface Chosen {
  /** Of a key pair that is used for this message alone. */
  readonly privateKey: Buffer;
  readonly salt: Buffer;
}

/** One record of `aes128gcm` (RFC 8188). Push services take no more. */
const recordBytes = 4_096;
const tagBytes = 16;
/** The end of the last record. */
const delimiter = 2;
const saltBytes = 16;
/** Salt, record size, length of the key, key. */
const headerBytes = saltBytes + 4 + 1 + pointBytes;

/** How much a message may have. */
export const mostPushBytes = recordBytes - headerBytes - tagBytes - 1;

export function encrypted(plain: Buffer, { p256dh, auth }: BrowserKeys, chosen?: Chosen): Buffer {
  if (plain.length > mostPushBytes) throw new Error(`a push message of ${plain.length} bytes is too long`);
  const pair = createECDH("prime256v1");
  if (chosen === undefined) pair.generateKeys();
  else pair.setPrivateKey(chosen.privateKey);
  const ours = pair.getPublicKey();
  const salt = chosen?.salt ?? randomBytes(saltBytes);

  const info = Buffer.concat([Buffer.from("WebPush: info\0"), p256dh, ours]);
  const secret = derived(pair.computeSecret(p256dh), auth, info, 32);
  const key = derived(secret, salt, Buffer.from("Content-Encoding: aes128gcm\0"), 16);
  const nonce = derived(secret, salt, Buffer.from("Content-Encoding: nonce\0"), 12);

  const cipher = createCipheriv("aes-128-gcm", key, nonce);
  const body = Buffer.concat([cipher.update(plain), cipher.update(Buffer.of(delimiter)), cipher.final()]);
  const size = Buffer.alloc(4);
  size.writeUInt32BE(recordBytes);
  return Buffer.concat([salt, size, Buffer.of(ours.length), ours, body, cipher.getAuthTag()]);
}

function derived(secret: Buffer, salt: Buffer, info: Buffer, bytes: number): Buffer {
  return Buffer.from(hkdfSync("sha256", secret, salt, info, bytes));
}
