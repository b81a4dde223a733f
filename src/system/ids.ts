// New ids. Owns: chance. The engine gets ids and tokens from here, through commands.

import { randomBytes, randomInt } from "node:crypto";
import { type AttemptId, attemptId, type RunId, runId, type Token, token } from "../domain/ids.ts";

const letters = "abcdefghjkmnpqrstvwxyz";
const characters = `${letters}0123456789`;

/** Begins with a letter: a number always names a run by its number. */
export function newRunId(): RunId {
  return runId(letters[randomInt(letters.length)] + word(9));
}

export function newAttemptId(): AttemptId {
  return attemptId(`at-${word(16)}`);
}

export function newToken(): Token {
  return token(randomBytes(18).toString("base64url"));
}

function word(length: number): string {
  return Array.from({ length }, () => characters[randomInt(characters.length)]).join("");
}
