// Everything that protects the service, in one list. Owns: the full one. A test takes one entry away and shows that its attack then
// succeeds, so that no guard is there in name only.

import { assertRole, bearerIn } from "./bearer.ts";
import { type GuardName, guards } from "./guards.ts";
import { type Limits, usualLimits } from "./limits.ts";
import { secureHeaders } from "./secure-headers.ts";
import { type LiveLimits, usualLiveLimits } from "./streams/limits.ts";

export interface Protection {
  readonly guards: readonly GuardName[];
  readonly headers: Readonly<Record<string, string>>;
  readonly bearer: typeof bearerIn;
  readonly role: typeof assertRole;
  readonly limits: Limits;
  readonly live: LiveLimits;
}

export const fullProtection: Protection = {
  guards: Object.keys(guards) as GuardName[],
  headers: secureHeaders,
  bearer: bearerIn,
  role: assertRole,
  limits: usualLimits,
  live: usualLiveLimits,
};
