// The identity of a process. Owns: telling a process from a later one that got the same pid.

import { execFileSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { uptime } from "node:os";
import { hasProc, type ProcessRow, readRow, ticksPerSecond } from "./table.ts";

export interface ProcessIdentity {
  readonly pid: number;
  /** Boot and start time, to be stored and compared only. */
  readonly startedAt: string;
}

/** Null when there is no such process, or when it has already ended. */
export function processIdentity(pid: number): ProcessIdentity | null {
  const row = readRow(pid);
  return row === null || row.zombie ? null : identityOf(row);
}

export function ownIdentity(): ProcessIdentity {
  own ??= processIdentity(process.pid) ?? { pid: process.pid, startedAt: `${knownBoot()}/unknown` };
  return own;
}

/** True only for the process that was identified, never for a later one with the same pid. */
export function isAlive(identity: ProcessIdentity): boolean {
  return processIdentity(identity.pid)?.startedAt === identity.startedAt;
}

export function identityOf(row: ProcessRow): ProcessIdentity {
  return { pid: row.pid, startedAt: `${knownBoot()}/${row.startedAt}` };
}

/** The start time in the unit of the process table; 0 if the identity has none. */
export function startOf(identity: ProcessIdentity): number {
  return Number(identity.startedAt.slice(identity.startedAt.lastIndexOf("/") + 1)) || 0;
}

/** The time of day at which a process of this boot started, to the second; null: it is of another boot, or its identity has no time. */
export function startTimeOf(identity: ProcessIdentity): number | null {
  const start = startOf(identity);
  if (start === 0 || identity.startedAt !== `${knownBoot()}/${start}`) return null;
  const at = hasProc ? Date.now() - uptime() * 1_000 + (start * 1_000) / ticksPerSecond : start;
  return Math.round(at / 1_000) * 1_000;
}

let own: ProcessIdentity | undefined;
let boot: string | undefined;

/** Names this boot of the machine; null: the machine does not say. Times since boot mean something only together with it. */
export function bootId(): string | null {
  const id = knownBoot();
  return id === unknownBoot ? null : id;
}

const unknownBoot = "unknown-boot";

/** Start times count from boot, so the same pid and time can occur again after the machine restarts. */
function knownBoot(): string {
  boot ??= readBootId();
  return boot;
}

function readBootId(): string {
  try {
    const text = hasProc
      ? readFileSync("/proc/sys/kernel/random/boot_id", "utf8")
      : execFileSync("sysctl", ["-n", "kern.bootsessionuuid"], {
          encoding: "utf8",
          stdio: ["ignore", "pipe", "ignore"],
        });
    return text.trim();
  } catch {
    return unknownBoot;
  }
}
