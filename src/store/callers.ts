// Who calls the API, and which of their requests have started runs.

import type { ApiToken, Role } from "../domain/api-token.ts";
import type { RunId } from "../domain/ids.ts";

export interface NewApiToken extends Omit<ApiToken, "usedAt"> {
  /** SHA-256 of its secret. */
  readonly hash: string;
}

/** A code with which a browser signs in, once. */
export interface NewSignInCode {
  /** SHA-256 of the code. */
  readonly hash: string;
  readonly role: Role;
  readonly expiresAt: number;
}

/** A key under which a caller started a run, so that the same request again starts no second one. */
export interface StartKey {
  readonly author: string;
  readonly key: string;
  /** SHA-256 of what was asked for. */
  readonly request: string;
  /** The id that the run has, or will have. */
  readonly run: RunId;
  readonly createdAt: number;
}
