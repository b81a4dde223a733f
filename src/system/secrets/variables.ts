// Secret variables. Owns: which variables of an environment are secret: by their name, or because an address has a password in it.
// Common words, numbers and paths are not secret, because redacting them would destroy every text.

import { existsSync } from "node:fs";

export interface SecretValue {
  /** The name of the variable, which is shown instead of the value. */
  readonly name: string;
  readonly value: string;
}

type Environment = Readonly<Record<string, string | undefined>>;

/** `named` has variables that are secret whatever they are called. */
export function secretValues(env: Environment, named: readonly string[] = []): readonly SecretValue[] {
  return Object.entries(env).flatMap(([name, written = ""]) => {
    const value = written.trim();
    const isSecret = named.includes(name) || (isSecretName(name) && !isPlainAddress(name, value));
    const values = [...(isSecret ? [value, ...listedIn(value)] : []), ...passwordsIn(value)];
    return values.filter(isSecretValue).map((secret) => ({ name, value: secret }));
  });
}

/** Several keys in one variable: each of them is used alone. */
function listedIn(value: string): readonly string[] {
  const parts = value.split(",").map((part) => part.trim());
  return parts.length > 1 && parts.every((part) => /^[\w.~+/=-]{16,}$/.test(part)) ? parts : [];
}

/** The token of an attempt is an id of Pawl: it is part of commands, and worthless once the attempt has ended. */
const ours = new Set(["PAWL_TOKEN"]);
/** A directory, and a fingerprint that container images have. */
const others = new Set(["PWD", "OLDPWD", "GPG_KEY"]);

const words = new Set(
  "key keys token tokens secret secrets pass password passwd pwd passphrase passcode credential credentials cred creds private auth authorization cookie cookies dsn bearer jwt pat webhook".split(
    " ",
  ),
);
/** Written as one word: PGPASSWORD, APIKEY. */
const inOneWord = /password|passwd|passphrase|secret|token$|(?:api|access|private|secret|signing|encryption)key$/;
/** Last words of names that describe a secret but are not secret themselves. */
const about = new Set(
  "host hostname domain name user username email type method mode algorithm issuer audience scope scopes provider realm".split(
    " ",
  ),
);

export function isSecretName(name: string): boolean {
  if (ours.has(name) || others.has(name)) return false;
  const parts = name
    .replace(/([a-z0-9])([A-Z])/g, "$1_$2")
    .toLowerCase()
    .split(/[^a-z0-9]+/)
    // The second of several: API_KEY2.
    .map((part) => part.replace(/(?<=[a-z])\d+$/, ""));
  const last = parts.at(-1) ?? "";
  if (parts.includes("public") || about.has(last) || (last === "id" && parts.at(-2) === "key")) return false;
  return parts.some((part) => words.has(part) || inOneWord.test(part));
}

export const shortest = 8;
/** From this length on even words and numbers count as passwords. */
const longEnough = 16;

function isSecretValue(value: string): boolean {
  if (value.length < shortest || isPath(value)) return false;
  return value.length >= longEnough || !(isWords(value) || /^[\d.,:+-]+$/.test(value));
}

/** `postgres`, `local-dev`, `Changeme`, `NO_REPLY`; not `aBxKqZwT`. */
function isWords(value: string): boolean {
  return /^(?:[A-Za-z]?[a-z]+(?:[-_. ][A-Za-z]?[a-z]+)*|[A-Z]+(?:[-_. ][A-Z]+)*)$/.test(value);
}

/** One base64 text in 64 begins with a slash too, so a path counts only if its first directory exists. */
function isPath(value: string): boolean {
  if (/^(?:~|\.{1,2})\/|^[A-Za-z]:[\\/]/.test(value)) return true;
  const [, first] = /^\/([^/]+)/.exec(value) ?? [];
  return first !== undefined && existsSync(`/${first}`);
}

/** An address is not secret, except those of webhooks and DSNs, which are keys themselves. */
function isPlainAddress(name: string, value: string): boolean {
  return /^[a-z][a-z0-9+.-]*:\/\/[^\s@?]*$/i.test(value) && !/webhook|dsn/i.test(name);
}

/** The password in `postgres://user:PASSWORD@host`, as written and decoded. */
function passwordsIn(value: string): readonly string[] {
  const found = value.matchAll(/[a-z][a-z0-9+.-]*:\/\/[^\s:/?#@]*:([^\s/?#@]+)@/gi);
  return [...found].flatMap(([, password = ""]) => [...new Set([password, decoded(password)])]);
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}
