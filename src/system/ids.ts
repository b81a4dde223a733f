// New ids. Owns: making random ids and tokens. The engine gets them through commands.

import { randomFillSync, randomInt } from "node:crypto";
import { type AttemptId, attemptId, type NoteId, noteId, type RunId, runId, type Token, token } from "../domain/ids.ts";

const letters = "abcdefghjkmnpqrstvwxyz";
const characters = `${letters}0123456789`;

/** Begins with a letter, because a number always means the number of a run. */
export function newRunId(): RunId {
  return runId(letters[randomInt(letters.length)] + word(9));
}

export function newAttemptId(): AttemptId {
  return attemptId(`at-${word(16)}`);
}

export function newNoteId(): NoteId {
  return noteId(`note-${word(10)}`);
}

export function newToken(): Token {
  return token(randomBytes(18).toString("base64url"));
}

/** Asking the system for a few bytes costs as much as asking for many, so they are asked for in advance. No byte is used twice. */
const pool = Buffer.alloc(4096);
let used = pool.length;

function randomBytes(length: number): Buffer {
  if (used + length > pool.length) {
    randomFillSync(pool);
    used = 0;
  }
  const bytes = Buffer.from(pool.subarray(used, used + length));
  pool.fill(0, used, used + length);
  used += length;
  return bytes;
}

/** There are 32 characters, so that five bits of a byte choose each of them equally often. */
function word(length: number): string {
  let text = "";
  for (const byte of randomBytes(length)) text += characters[byte % characters.length];
  return text;
}
