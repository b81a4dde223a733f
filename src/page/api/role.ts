// What the token of this browser may do. Owns: asking the service, again whenever the answer may be another one. Until it is known,
// everything is offered: the service refuses what is not allowed.

import { effect, signal } from "@preact/signals";
import type { Bearer } from "../../contracts/http-documents.ts";
import { mayDo, type Role } from "../../domain/api-token.ts";
import { CallProblem, forbidden, get } from "./calls.ts";
import { line } from "./changes.ts";
import { bearer, followToken, signIn } from "./sign-in.ts";

/** The page was open when the role became another one. */
export const isRoleChanged = signal(false);

export function may(needed: Role): boolean {
  return bearer.value === null || mayDo(bearer.value.role, needed);
}

/** `token:NAME` of the log is the token of this browser. */
export function isOwn(author: string): boolean {
  return bearer.value !== null && author === `token:${bearer.value.name}`;
}

export function followRole(): void {
  followToken(() => void ask());
  effect(() => {
    // A stream is cut off when its token changes, so a new connection may be that of another role.
    const isWanted = signIn.value === "in" && line.value !== "lost" && forbidden.value >= 0;
    if (isWanted) void ask();
  });
}

let asked = 0;

async function ask(): Promise<void> {
  asked += 1;
  const mine = asked;
  try {
    const told = await get<Bearer>("/token");
    if (mine !== asked) return;
    const before = bearer.value;
    if (before !== null && before.name === told.name && before.role === told.role) return;
    bearer.value = told;
    isRoleChanged.value = before !== null && before.role !== told.role;
  } catch (error) {
    // What is known stays; the next connection asks again.
    if (!(error instanceof CallProblem)) throw error;
  }
}
