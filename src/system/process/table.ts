// The process table. Owns: one row for each process of this machine, from /proc or, where there is none, from `ps`. Does not own: which of
// them matter.

import { execFile, execFileSync } from "node:child_process";
import { closeSync, openSync, readdirSync, readSync, statSync } from "node:fs";
import { uptime } from "node:os";
import { setImmediate as yieldToOthers } from "node:timers/promises";

export interface ProcessRow {
  readonly pid: number;
  readonly parent: number;
  readonly group: number;
  readonly session: number;
  /** Clock ticks since boot on Linux, milliseconds since 1970 elsewhere. Comparable within one boot only. */
  readonly startedAt: number;
  /** It has ended and waits for its parent to collect it; there is nothing to kill. */
  readonly zombie: boolean;
}

export const hasProc = process.platform === "linux";

const rowsPerTurn = 128;
/** Limits the work on a machine where processes start faster than they can be listed. */
const mostListings = 20;

/**
 * All processes that started at `since` or later. `look` is called for each at once, while it likely still exists. `first`: the one that
 * started then; the others are younger.
 */
export async function readTable(
  since = 0,
  look: (row: ProcessRow) => void = () => undefined,
  first: number | null = null,
): Promise<ProcessRow[]> {
  const rows: ProcessRow[] = [];
  const keep = (row: ProcessRow | null) => {
    if (row === null || row.startedAt < since) return;
    look(row);
    rows.push(row);
  };
  if (first !== null && hasProc && readNewest(first, since, keep)) return rows;
  rows.length = 0;
  if (hasProc) await readProcTable(since, keep);
  else for (const row of await readPsTable()) keep(row);
  return rows;
}

export function readRow(pid: number): ProcessRow | null {
  if (!Number.isSafeInteger(pid) || pid <= 0) return null;
  return hasProc ? readStat(pid) : readPsRow(pid);
}

/**
 * Lists until a listing has no new process. One listing is not enough: a process that starts another and exits, again and again, is
 * gone before its entry is read, and its child is not in the list yet.
 */
async function readProcTable(since: number, keep: (row: ProcessRow | null) => void): Promise<void> {
  const seen = new Set<number>();
  for (let listing = 0; listing < mostListings; listing += 1) {
    const fresh = pidsInProc().filter((pid) => !seen.has(pid));
    if (fresh.length === 0) return;
    for (const pid of fresh) {
      seen.add(pid);
      if (seen.size % rowsPerTurn === 0) await yieldToOthers();
      keep(readStatSince(pid, since));
    }
  }
}

/** A lap of the kernel through all its pids takes longer, however fast processes are started. */
const youngMs = 250;
/** Of more, a listing costs less. */
const mostNewest = 512;
export const ticksPerSecond = 100;

/**
 * Reads the processes that got their pids from `first` on, which started at `since`. The kernel gives pids out in order and says which
 * was the last one, so that a short program needs no listing of all processes. False where that does not say it: the program is old, the
 * pids began again at the lowest, or there are many. Repeats for those that were started meanwhile, as a listing does.
 */
function readNewest(first: number, since: number, keep: (row: ProcessRow | null) => void): boolean {
  const ageMs = (uptime() - since / ticksPerSecond) * 1_000;
  if (since === 0 || ageMs > youngMs || ageMs < -youngMs) return false;
  let next = first;
  for (let last = lastPid(); ; last = lastPid()) {
    if (last < first || last - first > mostNewest) return false;
    if (next > last) return true;
    for (; next <= last; next += 1) if (isProcess(next)) keep(readStat(next));
  }
}

/** The pid that was given out last; 0 where the kernel does not say it. */
function lastPid(): number {
  const text = readProcFile("/proc/loadavg")?.toString("latin1") ?? "";
  return Number(/ (\d+)\s*$/.exec(text)?.[1] ?? 0);
}

/** A thread has a number and an entry as well, and a signal to it is one to its whole process. */
function isProcess(pid: number): boolean {
  if (statSync(`/proc/${pid}`, { throwIfNoEntry: false }) === undefined) return false;
  const status = readProcFile(`/proc/${pid}/status`)?.toString("latin1") ?? "";
  return Number(/^Tgid:\s*(\d+)$/m.exec(status)?.[1]) === pid;
}

/**
 * When the processes started that were seen before, with the inode of their entry: it belongs to one process and never to the next
 * one with that pid. To ask for it takes a sixth of the time that the kernel needs to describe a process.
 */
const starts = new Map<number, { readonly inode: number; readonly startedAt: number }>();
const mostStarts = 16_384;

/** The row of a process, or null where it is known to have started before `since`. */
function readStatSince(pid: number, since: number): ProcessRow | null {
  if (since === 0) return readStat(pid);
  // Before its row: if another process gets the pid in between, this inode is never seen again.
  const inode = statSync(`/proc/${pid}`, { throwIfNoEntry: false })?.ino ?? 0;
  const known = starts.get(pid);
  if (inode !== 0 && known?.inode === inode && known.startedAt < since) return null;
  const row = readStat(pid);
  if (starts.size >= mostStarts) starts.clear();
  if (row !== null && inode !== 0) starts.set(pid, { inode, startedAt: row.startedAt });
  return row;
}

function pidsInProc(): number[] {
  try {
    return readdirSync("/proc").map(Number).filter(Number.isInteger);
  } catch {
    return []; // no /proc in this container: no process can be found, which must not stop the work
  }
}

function readStat(pid: number): ProcessRow | null {
  const bytes = readProcFile(`/proc/${pid}/stat`);
  if (bytes === null) return null;
  // The name of the program is in brackets and may itself have brackets and spaces, so fields count from the last bracket.
  const [state, parent, group, session, ...rest] = bytes.toString("latin1", bytes.lastIndexOf(0x29) + 2).split(" ", 20);
  return {
    pid,
    parent: Number(parent),
    group: Number(group),
    session: Number(session),
    startedAt: Number(rest[15]),
    zombie: state === "Z" || state === "X",
  };
}

let scratch = Buffer.allocUnsafe(64 * 1024);

/** The content of a file in /proc, valid until the next call; null if the process is gone or may not be read. */
export function readProcFile(path: string): Buffer | null {
  let file: number | null = null;
  try {
    file = openSync(path, "r");
    let length = 0;
    for (;;) {
      const count = readSync(file, scratch, length, scratch.length - length, null);
      length += count;
      if (count === 0) return scratch.subarray(0, length);
      if (length === scratch.length) scratch = Buffer.concat([scratch, Buffer.allocUnsafe(length)]);
    }
  } catch {
    return null;
  } finally {
    if (file !== null) closeSync(file);
  }
}

const psColumns = "pid=,ppid=,pgid=,stat=,lstart=";
// `ps` prints dates in the language of the user, so the language is fixed.
const psEnvironment = { ...process.env, LC_ALL: "C" };

export function readPsTable(): Promise<ProcessRow[]> {
  return new Promise((resolve) => {
    const options = { env: psEnvironment, maxBuffer: 64 * 1024 * 1024 };
    execFile("ps", ["-axo", psColumns], options, (error, text) => resolve(error ? [] : parsePs(text)));
  });
}

export function readPsRow(pid: number): ProcessRow | null {
  try {
    const text = execFileSync("ps", ["-o", psColumns, "-p", String(pid)], {
      env: psEnvironment,
      encoding: "utf8",
      stdio: ["ignore", "pipe", "ignore"],
    });
    return parsePs(text)[0] ?? null;
  } catch {
    return null; // `ps` exits with 1 when there is no such process
  }
}

function parsePs(text: string): ProcessRow[] {
  const lines = text.matchAll(/^\s*(\d+)\s+(\d+)\s+(\d+)\s+(\S+)\s+(\S.*)$/gm);
  return Array.from(lines, ([, pid, parent, group, state, started]) => ({
    pid: Number(pid),
    parent: Number(parent),
    group: Number(group),
    session: Number(group), // `ps` has no portable session column; the group comes closest
    startedAt: Date.parse(started ?? ""),
    zombie: state?.startsWith("Z") ?? false,
  }));
}
