// Tokens of the HTTP API. Owns: making one, whose secret is shown once, listing and revoking them, and whose a secret is. Only the
// hash of a secret is kept, so a copy of the store lets nobody in.

import { randomBytes } from "node:crypto";
import type { Bearer, CreatedToken, TokenDocument, TokenList } from "../../contracts/http-documents.ts";
import { type ApiToken, type Role, roles } from "../../domain/api-token.ts";
import { AppError } from "../../domain/error.ts";
import { isoTime } from "../../runtime/views/status.ts";
import { sha256Of } from "../../system/sha256.ts";
import type { Application } from "../application.ts";

export interface TokenRequest {
  /** Default: read. */
  readonly role?: string | undefined;
  readonly name?: string | undefined;
  /** How long it is valid. Default: until it is revoked. */
  readonly validMs?: number | undefined;
}

/** Secrets begin with it, so that people and scanners know what they have found. */
const prefix = "pawl_";
const secretBytes = 32;
const namePattern = /^[A-Za-z0-9][A-Za-z0-9._-]{0,63}$/;
const useEveryMs = 60_000;

export async function createToken(app: Application, request: TokenRequest): Promise<CreatedToken> {
  const role = roleOf(request.role ?? "read");
  const name = request.name ?? `${role}-${randomBytes(4).toString("hex")}`;
  if (!namePattern.test(name))
    throw new AppError("USAGE", `"${name}" cannot be the name of a token`, {
      hint: "a name has letters, digits, dots, - and _, at most 64 of them",
    });
  const token = newSecret();
  const { store, clock } = (await app.read()).parts;
  const now = clock.now();
  const expiresAt = request.validMs === undefined ? null : now + request.validMs;
  if (await store.addToken({ name, role, hash: sha256Of(token), createdAt: now, expiresAt }))
    return { token, role, name };
  throw new AppError("REFUSED", `there is a token "${name}" already`, {
    hint: `choose another name, or revoke it: \`pawl token revoke ${name}\``,
  });
}

export function newSecret(): string {
  return `${prefix}${randomBytes(secretBytes).toString("base64url")}`;
}

export async function tokens(app: Application): Promise<TokenList> {
  return { tokens: (await (await app.read()).parts.store.tokens()).map(tokenDocument) };
}

/** It is refused from the next request on. */
export async function revokeToken(app: Application, name: string): Promise<TokenDocument> {
  const { store } = (await app.read()).parts;
  const found = (await store.tokens()).find((token) => token.name === name);
  if (found && (await store.removeToken(name))) return tokenDocument(found);
  throw new AppError("NOT_FOUND", `there is no token "${name}"`, { hint: "`pawl token list` shows them" });
}

/** Null: nobody's, or it has expired. The store finds it by its hash, so the time that this takes says nothing about a secret. */
export async function bearerOf(app: Application, secret: string): Promise<ApiToken | null> {
  if (!secret.startsWith(prefix)) return null;
  const { store, clock } = (await app.read()).parts;
  const token = await store.tokenByHash(sha256Of(secret));
  const now = clock.now();
  if (token === null || isExpired(token, now)) return null;
  if (token.usedAt === null || now - token.usedAt >= useEveryMs) await store.tokenUsed(token.name, now);
  return token;
}

/** Whether anybody could sign in. */
export async function hasToken(app: Application): Promise<boolean> {
  return (await validTokens(app)).length > 0;
}

/** Those that were neither revoked nor have expired. */
export async function validTokens(app: Application): Promise<readonly ApiToken[]> {
  const { store, clock } = (await app.read()).parts;
  const now = clock.now();
  return (await store.tokens()).filter((token) => !isExpired(token, now));
}

function isExpired({ expiresAt }: ApiToken, now: number): boolean {
  return expiresAt !== null && expiresAt <= now;
}

function roleOf(given: string): Role {
  const role = roles.find((each) => each === given);
  if (role !== undefined) return role;
  throw new AppError("USAGE", `there is no role "${given}"`, { hint: `there are: ${roles.join(", ")}` });
}

export function bearerDocument({ name, role, expiresAt }: ApiToken): Bearer {
  return { name, role, expiresAt: expiresAt === null ? null : isoTime(expiresAt) };
}

function tokenDocument({ name, role, createdAt, expiresAt, usedAt }: ApiToken): TokenDocument {
  return {
    name,
    role,
    createdAt: isoTime(createdAt),
    expiresAt: expiresAt === null ? null : isoTime(expiresAt),
    usedAt: usedAt === null ? null : isoTime(usedAt),
  };
}
