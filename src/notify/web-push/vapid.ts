// Says to a push service who sends (VAPID, RFC 8292): a signed token for its origin, good for half a day.

import { createPrivateKey, sign } from "node:crypto";
import type { PushKey } from "../../system/push-key.ts";

const validSeconds = 12 * 60 * 60;

/** The header `Authorization`. `contact`: an address of mail or web under which the operator is found. */
export function vapidHeader({ privateKey, publicKey }: PushKey, endpoint: URL, contact: string, at: number): string {
  const claims = { aud: endpoint.origin, exp: Math.floor(at / 1000) + validSeconds, sub: contact };
  const signed = [{ typ: "JWT", alg: "ES256" }, claims].map((part) => base64(JSON.stringify(part))).join(".");
  const key = createPrivateKey({
    key: {
      kty: "EC",
      crv: "P-256",
      d: base64(privateKey),
      x: base64(publicKey.subarray(1, 33)),
      y: base64(publicKey.subarray(33)),
    },
    format: "jwk",
  });
  const signature = sign("sha256", Buffer.from(signed), { key, dsaEncoding: "ieee-p1363" });
  return `vapid t=${signed}.${base64(signature)}, k=${base64(publicKey)}`;
}

function base64(content: string | Buffer): string {
  return Buffer.from(content).toString("base64url");
}
