// The keys that a browser gives when it subscribes.

export interface BrowserKeys {
  /** An uncompressed point of P-256. */
  readonly p256dh: Buffer;
  /** A secret of 16 bytes. */
  readonly auth: Buffer;
}

export const pointBytes = 65;
const authBytes = 16;

/** Whether a browser could have made them: a point that is not on the curve would be refused only when a message is sent. */
export function areBrowserKeys({ p256dh, auth }: BrowserKeys): boolean {
  if (auth.length !== authBytes || p256dh.length !== pointBytes || p256dh[0] !== 4) return false;
  try {
    // Loaded late: every command loads this file.
    const pair = process.getBuiltinModule("node:crypto").createECDH("prime256v1");
    pair.generateKeys();
    pair.computeSecret(p256dh);
    return true;
  } catch {
    return false;
  }
}
