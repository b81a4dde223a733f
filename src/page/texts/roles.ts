// Words about what the token of this browser may do.

import type { Role } from "../../domain/api-token.ts";

/** What a person may not do, and with which role it could be done. */
export type Denied = "answer" | "start" | "steer";

export const roleTexts = {
  as: (name: string) => `Signed in as ${name}.`,
  can: {
    read: "Its role is read: you can look at everything, and change nothing.",
    answer: "Its role is answer: you can answer questions, and not start or steer runs.",
    operate: "Its role is operate: you can do everything.",
  } satisfies Record<Role, string>,
  changed: "What you may do here has changed.",
  another: "Use another token",
  denied: {
    answer: "Your token may not answer questions. That needs the role answer.",
    start: "Your token may not start runs. That needs the role operate.",
    steer: "Your token may not steer runs. That needs the role operate.",
  } satisfies Record<Denied, string>,
  how: "`pawl open` on the machine of the service signs in with the role operate.",
  look: "Look",
  revoked: (name: string) => `the token ${name} was revoked`,
  expired: (name: string) => `the token ${name} has expired`,
} as const;
