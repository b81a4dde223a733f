// A browser that subscribed to web push: its keys, and reading what it is sent (RFC 8291, from the browser's side).

import { createDecipheriv, createECDH, hkdfSync, randomBytes } from "node:crypto";

export interface PushBrowser {
  readonly p256dh: string;
  readonly auth: string;
  read(body: Buffer): string;
}

export function pushBrowser(): PushBrowser {
  const pair = createECDH("prime256v1");
  pair.generateKeys();
  const auth = randomBytes(16);
  const own = pair.getPublicKey();
  const derived = (secret: Buffer, salt: Buffer, info: Buffer, bytes: number) =>
    Buffer.from(hkdfSync("sha256", secret, salt, info, bytes));
  return {
    p256dh: own.toString("base64url"),
    auth: auth.toString("base64url"),
    read(body) {
      const salt = body.subarray(0, 16);
      const theirs = body.subarray(21, 21 + (body[20] ?? 0));
      const sealed = body.subarray(21 + theirs.length);
      const info = Buffer.concat([Buffer.from("WebPush: info\0"), own, theirs]);
      const secret = derived(pair.computeSecret(theirs), auth, info, 32);
      const key = derived(secret, salt, Buffer.from("Content-Encoding: aes128gcm\0"), 16);
      const nonce = derived(secret, salt, Buffer.from("Content-Encoding: nonce\0"), 12);
      const decipher = createDecipheriv("aes-128-gcm", key, nonce);
      decipher.setAuthTag(sealed.subarray(-16));
      const plain = Buffer.concat([decipher.update(sealed.subarray(0, -16)), decipher.final()]);
      if (plain.at(-1) !== 2) throw new Error("the record has no end");
      return plain.subarray(0, -1).toString();
    },
  };
}
