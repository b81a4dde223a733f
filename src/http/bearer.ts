// Who asks: the token of a request and what its role may. It belongs to the router of the API, so no spelling of a path gets around it.

import { bearerOf } from "../application/access/tokens.ts";
import type { Application } from "../application/application.ts";
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
  if (secret !== "") countFailed(failed, address);
  throw unauthenticated(
    "the token is missing or not valid",
    "send Authorization: Bearer TOKEN; `pawl token create` makes one",
  );
}

/** Throws: the code of a browser lets nobody in. */
export function refuseCode(failed: FailedSignIns, address: string): never {
  countFailed(failed, address);
  throw unauthenticated("the code is wrong, used or expired", "`pawl open` makes a new one");
}

/** Throws once there are too many. */
function countFailed(failed: FailedSignIns, address: string): void {
  const waitSeconds = failed.add(address);
  if (waitSeconds === null) return;
  throw new Refusal(
    problem(429, "TOO_MANY", "too many requests with a wrong token or code", `try again in ${waitSeconds} s`),
    { "retry-after": String(waitSeconds), connection: "close" },
  );
}

function unauthenticated(detail: string, hint: string): Refusal {
  return new Refusal(problem(401, "UNAUTHENTICATED", detail, hint), { "www-authenticate": 'Bearer realm="pawl"' });
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
