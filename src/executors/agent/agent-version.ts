// Asks a program for its version, once, and compares versions.

import { randomUUID } from "node:crypto";
import { statSync } from "node:fs";
import { tmpdir } from "node:os";
import { allowedEnvironment } from "../../system/process/environment.ts";
import { supervise } from "../../system/process/supervise.ts";
import { lastWords } from "../process-end.ts";

export type ProgramVersion =
  /** Null: it reports none, or takes too long. */
  { readonly works: true; readonly version: string | null } | { readonly works: false; readonly why: string };

const answerMs = 10_000;
const asked = new Map<string, Promise<ProgramVersion>>();

/** Asks again when the file has changed: a program that was updated in the meantime is another one. */
export function versionOf(file: string, env: readonly string[]): Promise<ProgramVersion> {
  const stats = statSync(file, { throwIfNoEntry: false });
  const key = `${file} ${stats?.mtimeMs} ${stats?.size}`;
  const known = asked.get(key) ?? ask(file, env);
  asked.set(key, known);
  return known;
}

async function ask(file: string, env: readonly string[]): Promise<ProgramVersion> {
  const end = await supervise({
    command: [file, "--version"],
    cwd: tmpdir(),
    env: allowedEnvironment(process.env, env),
    marker: { name: "PAWL_VERSION_OF", value: randomUUID() },
    input: "",
    limits: { wallMs: answerMs, quietMs: null, graceMs: 500, captureBytes: 16 * 1024 },
  }).ended;
  if (end.kind === "not_started") return { works: false, why: end.message };
  if (end.kind === "exited" && end.code !== 0)
    return { works: false, why: `exit code ${end.code}${lastWords(end.stderr, end.stdout)}` };
  if (end.kind === "signalled") return { works: false, why: `it was killed by ${end.signal}` };
  return { works: true, version: versionIn(end.stdout) ?? versionIn(end.stderr) };
}

function versionIn(text: string): string | null {
  return /\d+\.\d+(?:\.\d+)?(?:-[0-9A-Za-z.-]*[0-9A-Za-z])?/.exec(text)?.[0] ?? null;
}

/** Compares the numbers and ignores what follows them. */
export function isOlder(version: string, than: string): boolean {
  const [a, b] = [numbersOf(version), numbersOf(than)];
  for (const [index, number] of b.entries()) {
    const own = a[index] ?? 0;
    if (own !== number) return own < number;
  }
  return false;
}

function numbersOf(version: string): readonly number[] {
  return version.split("-", 1).flatMap((plain) => plain.split(".").map(Number));
}
