// Running programs. Owns: finding the processes of a program by its name, with the directory that each works in.

import { execFile } from "node:child_process";
import { readlinkSync } from "node:fs";
import { identityOf, type ProcessIdentity } from "./identity.ts";
import { hasProc, readProcFile, readTable } from "./table.ts";

export interface RunningProgram extends ProcessIdentity {
  /** The words it was started with; empty where they cannot be read. */
  readonly words: readonly string[];
  /** Its environment, as NAME=VALUE; empty where it cannot be read. */
  readonly variables: readonly string[];
  /** Null where it cannot be read: a process of another user, or a system without /proc. */
  readonly cwd: string | null;
}

/** Live processes whose program has a name that matches. */
export async function runningPrograms(name: RegExp): Promise<readonly RunningProgram[]> {
  return hasProc ? await inProc(name) : await inPs(name);
}

async function inProc(name: RegExp): Promise<readonly RunningProgram[]> {
  const found: RunningProgram[] = [];
  await readTable(0, (row) => {
    if (row.zombie || !name.test(textOf(`/proc/${row.pid}/comm`).trim())) return;
    const words = textOf(`/proc/${row.pid}/cmdline`).split("\0");
    const variables = textOf(`/proc/${row.pid}/environ`).split("\0");
    found.push({ ...identityOf(row), words, variables, cwd: cwdOf(row.pid) });
  });
  return found;
}

function textOf(file: string): string {
  return readProcFile(file)?.toString("utf8") ?? "";
}

function cwdOf(pid: number): string | null {
  try {
    return readlinkSync(`/proc/${pid}/cwd`);
  } catch {
    return null;
  }
}

async function inPs(name: RegExp): Promise<readonly RunningProgram[]> {
  const rows = await readTable();
  const commands = await new Promise<string>((resolve) => {
    execFile("ps", ["-axo", "pid=,command="], { maxBuffer: 64 * 1024 * 1024 }, (error, text) =>
      resolve(error ? "" : text),
    );
  });
  const words = new Map(
    Array.from(commands.matchAll(/^\s*(\d+)\s+(.*)$/gm), ([, pid, line = ""]) => [Number(pid), line.split(" ")]),
  );
  return rows
    .filter((row) => !row.zombie && name.test(words.get(row.pid)?.[0]?.split("/").at(-1) ?? ""))
    .map((row) => ({ ...identityOf(row), words: words.get(row.pid) ?? [], variables: [], cwd: null }));
}
