// Who asks: the token of a request and what its role may. It belongs to the router of the API, so no spelling of a path gets around it.

import type { Application } from "../application/application.ts";
import { bearerOf } from "../application/tokens.ts";
import { type ApiToken, mayDo, type Role } from "../domain/api-token.ts";
import type { FailedSignIns } from "./limits.ts";
import { problem } from "./problem.ts";
import { Refusal } from "./refusal.ts";

export interface SignIn {
  readonly app: Application;
  readonly failed: FailedSignIns;
}

/** Throws where the token is missing, unknown, expired or revoked. A token in the address is none: addresses are logged and shared. */
export async function bearerIn({ app, failed }: SignIn, authorization: string, address: string): Promise<ApiToken> {
  const secret = /^Bearer +(\S+)$/i.exec(authorization)?.[1] ?? "";
  const token = secret === "" ? null : await bearerOf(app, secret);
  if (token !== null) return token;
  const waitSeconds = secret === "" ? null : failed.add(address);
  if (waitSeconds !== null)
    throw new Refusal(
      problem(429, "TOO_MANY", "too many requests with a wrong token", `try again in ${waitSeconds} s`),
      { "retry-after": String(waitSeconds), connection: "close" },
    );
  throw new Refusal(
    problem(
      401,
      "UNAUTHENTICATED",
      "the token is missing or not valid",
      "send Authorization: Bearer TOKEN; `pawl token create` makes one",
    ),
    { "www-authenticate": 'Bearer realm="pawl"' },
  );
}

export function assertRole({ name, role }: ApiToken, needed: Role): void {
  if (mayDo(role, needed)) return;
  throw new Refusal(
    problem(
      403,
      "FORBIDDEN",
      `the token "${name}" has the role ${role}; this needs ${needed}`,
      `\`pawl token create --role ${needed}\` makes one that may`,
    ),
  );
}
