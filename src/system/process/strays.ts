// Strays. Owns: finding and killing all processes that an agent started. Agents run their tools in sessions of their own, so a signal to
// the process group does not reach them, and a background process outlives its agent. Does not own: asking first (stop-ladder.ts).

import { setTimeout as pause } from "node:timers/promises";
import { identityOf, isAlive, type ProcessIdentity, startOf } from "./identity.ts";
import { hasProc, type ProcessRow, readProcFile, readRow, readTable } from "./table.ts";

/** An environment variable that child processes inherit, and by which they are found. */
export interface Marker {
  readonly name: string;
  readonly value: string;
}

export interface MarkedProcess extends ProcessIdentity {
  readonly value: string;
}

/** How the processes of one call are found. Each part finds some, and their descendants belong to them. */
export interface Family {
  /** The first process, leader of its group and session; it may have ended. No older process belongs to the call. */
  readonly leader?: ProcessIdentity;
  readonly marker?: Marker;
  /** Processes that were seen earlier, while they were still descendants. */
  readonly known?: readonly ProcessIdentity[];
}

export interface Sweep {
  /** Processes that were killed, the leader not counted. */
  readonly killed: number;
  /** Processes that still existed when the time was up. */
  readonly left: number;
}

/**
 * Processes that were started with NAME=VALUE, or with NAME and any value. Without /proc the environment of other processes cannot
 * be read and none is found; then only the group and the descendants count.
 */
export async function findMarked(name: string, value?: string): Promise<MarkedProcess[]> {
  const found: MarkedProcess[] = [];
  await readTable(0, (row) => {
    const marked = row.zombie ? null : markerValue(row.pid, name);
    if (marked !== null && (value === undefined || marked === value)) found.push({ ...identityOf(row), value: marked });
  });
  return found;
}

export async function descendantsOf(pid: number): Promise<ProcessIdentity[]> {
  const rows = (await readTable(readRow(pid)?.startedAt)).filter((row) => !row.zombie);
  const members = new Set([pid]);
  addDescendants(members, rows);
  members.delete(pid);
  return rows.filter((row) => members.has(row.pid)).map(identityOf);
}

/** Kills all of these processes, and those that they start meanwhile, until the process table has none. */
export async function killStrays(family: Family, withinMs = 2_000): Promise<Sweep> {
  const giveUpAt = performance.now() + withinMs;
  const isStray = (member: ProcessIdentity) => member.pid !== family.leader?.pid;
  const killed = new Map<string, ProcessIdentity>();
  for (let waitMs = 1; ; waitMs = Math.min(waitMs * 2, 50)) {
    // Dying takes a moment, and a process whose parent is dead can no longer be found as a descendant.
    const found = await findFamily({ ...family, known: [...(family.known ?? []), ...killed.values()] });
    if (found.length === 0 || performance.now() > giveUpAt) {
      const left = found.filter(isStray).length;
      return { killed: Math.max(0, [...killed.values()].filter(isStray).length - left), left };
    }
    for (const member of found) {
      kill(member);
      killed.set(`${member.pid} ${member.startedAt}`, member);
    }
    await pause(waitMs);
  }
}

async function findFamily({ leader, marker, known = [] }: Family): Promise<ProcessIdentity[]> {
  const marked = new Set<number>();
  const look = (row: ProcessRow) => {
    if (marker !== undefined && markerValue(row.pid, marker.name) === marker.value) marked.add(row.pid);
  };
  const table = await readTable(leader === undefined ? 0 : startOf(leader), look, leader?.pid ?? null);
  const untouchable = ownLine(table);
  const rows = table.filter((row) => !row.zombie && !untouchable.has(row.pid));
  // If the pid of the leader was reused, the group with that number is not ours either.
  const group = table.some((row) => row.pid === leader?.pid && !isSame(row, leader)) ? undefined : leader?.pid;
  const belongs = (row: ProcessRow) =>
    marked.has(row.pid) || row.group === group || row.session === group || known.some((seen) => isSame(row, seen));

  const members = new Set(rows.filter(belongs).map((row) => row.pid));
  addDescendants(members, rows);
  return rows.filter((row) => members.has(row.pid)).map(identityOf);
}

function isSame(row: ProcessRow, identity: ProcessIdentity): boolean {
  return row.pid === identity.pid && identityOf(row).startedAt === identity.startedAt;
}

/** A parent may come after its child in the table (pids wrap around), so this repeats until nothing is added. */
function addDescendants(members: Set<number>, rows: readonly ProcessRow[]): void {
  if (members.size === 0) return;
  for (let before = -1; before !== members.size; ) {
    before = members.size;
    for (const row of rows) if (members.has(row.parent)) members.add(row.pid);
  }
}

/** This process and its ancestors: when Pawl runs inside an agent, they have a marker too. */
function ownLine(table: readonly ProcessRow[]): Set<number> {
  const line = new Set<number>([1]);
  const parents = new Map(table.map((row) => [row.pid, row.parent]));
  for (let pid = process.pid; pid > 1 && !line.has(pid); pid = parents.get(pid) ?? 0) line.add(pid);
  return line;
}

function markerValue(pid: number, name: string): string | null {
  const environ = hasProc ? readProcFile(`/proc/${pid}/environ`) : null;
  if (environ === null) return null;
  const entry = Buffer.from(`${name}=`);
  for (let at = environ.indexOf(entry); at !== -1; at = environ.indexOf(entry, at + 1)) {
    if (at > 0 && environ[at - 1] !== 0) continue; // the end of a longer name
    const end = environ.indexOf(0, at);
    return environ.toString("utf8", at + entry.length, end === -1 ? environ.length : end);
  }
  return null;
}

function kill(identity: ProcessIdentity): void {
  if (!isAlive(identity)) return; // another process may have the pid by now
  try {
    process.kill(identity.pid, "SIGKILL");
  } catch {
    // It ended just now, or Pawl may not kill it: the next listing shows which.
  }
}
