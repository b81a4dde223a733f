// Signing in a browser. Owns: codes that are valid once and for a short time, and the token that a browser gets for one. A code can be in
// the arguments of a program; a token must not be.

import { randomBytes } from "node:crypto";
import type { SignedIn } from "../../contracts/http-documents.ts";
import { isoTime } from "../../runtime/views/status.ts";
import { sha256Of } from "../../system/sha256.ts";
import type { Application } from "../application.ts";
import { newSecret } from "./tokens.ts";

export interface SignInCode {
  readonly code: string;
  readonly expiresAt: number;
}

/** What people do in the page: everything. */
const role = "operate";
const namePrefix = "browser-";
const tokenMs = 30 * 24 * 60 * 60_000;

export async function createSignInCode(app: Application, validMs: number): Promise<SignInCode> {
  const { store, clock } = (await app.read()).parts;
  const code = randomBytes(32).toString("base64url");
  const now = clock.now();
  const expiresAt = now + validMs;
  await store.addSignInCode({ hash: sha256Of(code), role, expiresAt }, now);
  return { code, expiresAt };
}

/** Null: the code is wrong, used or expired; which of them is not said. */
export async function signIn(app: Application, code: string): Promise<SignedIn | null> {
  const { store, clock } = (await app.read()).parts;
  const token = newSecret();
  const name = `${namePrefix}${randomBytes(6).toString("hex")}`;
  const now = clock.now();
  const expiresAt = now + tokenMs;
  const allowed = await store.signIn(sha256Of(code), { name, hash: sha256Of(token), createdAt: now, expiresAt });
  if (allowed === null) return null;
  await forgetExpired(app, now);
  return { token, name, role: allowed, expiresAt: isoTime(expiresAt) };
}

/** Each sign-in leaves a token, and nobody revokes those of old browsers. */
async function forgetExpired(app: Application, now: number): Promise<void> {
  const { store } = (await app.read()).parts;
  for (const { name, expiresAt } of await store.tokens())
    if (name.startsWith(namePrefix) && expiresAt !== null && expiresAt <= now) await store.removeToken(name);
}
