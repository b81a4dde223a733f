// API tokens: what the bearer of one may do by the HTTP API. The secret itself is nowhere but with its owner.

/** From the least to the most: each role may do what those before it may. */
export const roles = ["read", "answer", "operate"] as const;

export type Role = (typeof roles)[number];

export interface ApiToken {
  /** Unique. What its bearer does is recorded as done by `token:NAME`. */
  readonly name: string;
  readonly role: Role;
  readonly createdAt: number;
  /** null: never. */
  readonly expiresAt: number | null;
  /** To the minute. null: not yet. */
  readonly usedAt: number | null;
}

export function mayDo(role: Role, needed: Role): boolean {
  return roles.indexOf(role) >= roles.indexOf(needed);
}

/** A name can be given again after its token was revoked. */
export function isSameToken(one: ApiToken, other: ApiToken): boolean {
  return one.name === other.name && one.createdAt === other.createdAt && one.role === other.role;
}
