// The record of the service in Pawl's home, `service.json`. Owns: that a home has one service at a time, also when two start at once or
// one was killed, and what other processes know of it. It has no secret: of variables it has checksums that only tell "the same".

import { mkdirSync, rmSync, writeFileSync } from "node:fs";
import { dirname } from "node:path";
import { withFileLock } from "./files/file-lock.ts";
import { readJson } from "./files/json-file.ts";
import { replaceFile } from "./files/whole-file.ts";
import { hostName } from "./home.ts";
import { isAlive, type ProcessIdentity } from "./process/identity.ts";
import { sha256Of } from "./sha256.ts";

export interface ServiceRecord extends ProcessIdentity {
  readonly host: string;
  readonly version: string;
  /** Where it answers; null: it is starting. */
  readonly url: string | null;
  /** As `PAWL_STORE` names it, without a password; null: the one in the home. */
  readonly store: string | null;
  /** Its `bin/pawl`. */
  readonly program: string;
  /** What starts it again when it ends: `systemd`, `launchd`; null: nothing. */
  readonly supervisor: string | null;
  readonly variables: Checksums;
  /** Runs that it cannot drive, by id. */
  readonly troubles: Readonly<Record<string, Trouble>>;
}

/** Why the service does not drive a run. */
export interface Trouble {
  readonly why: string;
  readonly hint: string;
}

export interface Checksums {
  readonly salt: string;
  readonly sums: Readonly<Record<string, string>>;
}

/** Makes it the service of the home; null: it is. Otherwise the one that is there. */
export async function claimHome(file: string, record: ServiceRecord): Promise<ServiceRecord | null> {
  mkdirSync(dirname(file), { recursive: true, mode: 0o700 });
  return await withFileLock(`${file}.lock`, () => {
    const other = readService(file);
    if (other !== null && !isSame(other, record)) return other;
    write(file, record);
    return null;
  });
}

/** Says something new of the service; false: another one has the home by now. A file that was deleted is there again. */
export async function updateRecord(file: string, record: ServiceRecord): Promise<boolean> {
  return (await claimHome(file, record)) === null;
}

/** Without the lock, which needs space on the disk: no other process takes the home while the one in the record is alive. */
export function leaveHome(file: string, own: ProcessIdentity): void {
  const there = readRecord(file);
  if (there !== null && isSame(there, own)) rmSync(file, { force: true });
}

/** The service that runs; null: none. What a killed one left, or a later process with its pid, does not count. */
export function readService(file: string): ServiceRecord | null {
  const record = readRecord(file);
  if (record === null) return null;
  // On another machine only that machine can tell.
  return record.host !== hostName() || isAlive(record) ? record : null;
}

/** What the file says, whether it is true or not. */
export function readRecord(file: string): ServiceRecord | null {
  const value = readJson(file);
  if (typeof value !== "object" || value === null) return null;
  const {
    pid,
    startedAt,
    host,
    version,
    program,
    url = null,
    store = null,
    supervisor = null,
    ...more
  } = value as Partial<ServiceRecord>;
  if (!Number.isSafeInteger(pid) || [startedAt, host, version, program].some((text) => typeof text !== "string"))
    return null;
  const variables = isObject(more.variables?.sums) ? more.variables : { salt: "", sums: {} };
  const troubles = isObject(more.troubles) ? more.troubles : {};
  return { pid, startedAt, host, version, program, url, store, supervisor, variables, troubles } as ServiceRecord;
}

/** Tells whether a variable has the same value elsewhere, and is too short to tell the value. */
export function checksumsOf(env: Readonly<Record<string, string | undefined>>): Checksums {
  const salt = crypto.randomUUID();
  const sums = Object.entries(env).flatMap(([name, value]) =>
    value === undefined ? [] : [[name, checksum(salt, value)] as const],
  );
  return { salt, sums: Object.fromEntries(sums) };
}

/** Those of `names` that have another value there, or none. */
export function differing(
  { salt, sums }: Checksums,
  env: Readonly<Record<string, string | undefined>>,
  names: readonly string[],
): readonly string[] {
  return names.filter((name) => {
    const [here, there] = [env[name], Object.hasOwn(sums, name) ? sums[name] : undefined];
    return here === undefined ? there !== undefined : there !== checksum(salt, here);
  });
}

function checksum(salt: string, value: string): string {
  return sha256Of(`${salt} ${value}`).slice(0, 8);
}

function write(file: string, record: ServiceRecord): void {
  const text = `${JSON.stringify(record)}\n`;
  replaceFile(file, (draft) => writeFileSync(draft, text, { flag: "wx", mode: 0o600, flush: true }));
}

function isSame(a: ProcessIdentity, b: ProcessIdentity): boolean {
  return a.pid === b.pid && a.startedAt === b.startedAt;
}

function isObject(value: unknown): value is object {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
