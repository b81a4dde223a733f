// Links to one gate. Owns: their form `GATE.EXPIRY.SIGNATURE`, and whether one is genuine. The signature covers the gate, its options
// and the time until which it is good, so a link cannot be made to mean anything else.

export interface LinkedGate {
  readonly id: string;
  /** The names that a person chooses from. */
  readonly options: readonly string[];
}

export interface ReadLink {
  readonly gate: string;
  /** Milliseconds since 1970. */
  readonly expiresAt: number;
  readonly signature: string;
}

/** How long a link can be used. */
export const linkLifeMs = 7 * 24 * 60 * 60_000;

/** `expiresAt` counts to the second. */
export function gateLink(key: Buffer, gate: LinkedGate, expiresAt: number): string {
  const seconds = Math.floor(expiresAt / 1000);
  const id = Buffer.from(gate.id).toString("base64url");
  return `${id}.${seconds.toString(36)}.${signatureOf(key, gate, seconds)}`;
}

/** null: this is no link. */
export function readLink(text: string): ReadLink | null {
  const [, id = "", expiry = "", signature = ""] = pattern.exec(text) ?? [];
  if (signature === "") return null;
  return {
    gate: Buffer.from(id, "base64url").toString("utf8"),
    expiresAt: Number.parseInt(expiry, 36) * 1000,
    signature,
  };
}

export function isGenuine(key: Buffer, gate: LinkedGate, { expiresAt, signature }: ReadLink): boolean {
  const expected = Buffer.from(signatureOf(key, gate, expiresAt / 1000));
  const given = Buffer.from(signature);
  return expected.length === given.length && crypto().timingSafeEqual(expected, given);
}

/** Loaded when there is a link: that costs milliseconds, and every command loads this file. */
const crypto = () => process.getBuiltinModule("node:crypto");

const pattern = /^([\w-]{1,400})\.([0-9a-z]{1,8})\.([\w-]{43})$/;

function signatureOf(key: Buffer, { id, options }: LinkedGate, seconds: number): string {
  // JSON keeps the parts apart, whatever is in them.
  const signed = JSON.stringify(["pawl gate link 1", id, options, seconds]);
  return crypto().createHmac("sha256", key).update(signed).digest("base64url");
}
