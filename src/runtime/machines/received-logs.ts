// Logs that guests have sent, on the host. The driver of a run and the process that closes it may receive at once, and either may die in the
// middle: each line is written down once.

import { mkdirSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { Attempt } from "../../domain/attempt.ts";
import { errorText } from "../../domain/error.ts";
import type { AttemptId, RunId } from "../../domain/ids.ts";
import type { Run } from "../../domain/run.ts";
import type { ArrivedLog, Machines } from "../../store/store.ts";
import { isDiskFull } from "../../system/files/disk-full.ts";
import { readJson } from "../../system/files/json-file.ts";
import { replaceFile } from "../../system/files/whole-file.ts";
import { appendLog, cutLog, logSize, writePrompt } from "../attempt/logs.ts";
import type { Parts } from "../parts.ts";
import { keepDiff } from "../trees/salvage.ts";
import { withTreeLock } from "../trees/trees.ts";

type ReceivePorts = Pick<Parts, "home" | "protocols" | "machines" | "store" | "log">;

/** While the run goes on: what cannot be written down now stays in the store for later. */
export async function receiveLogs(parts: ReceivePorts, run: RunId): Promise<void> {
  await receiveLastLogs(parts, run).catch((error: unknown) => {
    parts.log("log.not_received", { run, why: errorText(error) });
  });
}

/** Before what the store has of the logs is deleted. Throws where the disk has no space for them. */
export async function receiveLastLogs(parts: ReceivePorts, run: RunId): Promise<void> {
  const { machines, home } = parts;
  if (machines === null || machines.isGuest || (await machines.logsOf(run)).length === 0) return;
  const folder = join(home.logs, run);
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  await withTreeLock(join(folder, "+received"), async () => await receive(parts, machines, run, folder));
}

async function receive(parts: ReceivePorts, machines: Machines, run: RunId, folder: string): Promise<void> {
  const journal = join(folder, "+received.json");
  for (let logs = await machines.logsOf(run); logs.length > 0; logs = await machines.logsOf(run)) {
    const loaded = await parts.store.transaction((tx) => tx.load(run, () => []));
    if (loaded === null) return;
    const attempts = await attemptsOf(parts, logs);
    putBack(parts, loaded.run, attempts, logs, readBegun(journal));
    const begun = { numbers: logs.map(({ number }) => number), sizes: sizesOf(parts, loaded.run, attempts) };
    replaceFile(journal, (draft) => writeFileSync(draft, JSON.stringify(begun), { flag: "wx", mode: 0o600 }));
    for (const log of logs) keep(parts, loaded.run, attempts.get(log.attempt), log);
    await machines.dropLogs(logs);
  }
  rmSync(journal, { force: true });
}

/** What is being written down. It is dropped from the store together: while one of it is there, none of it counts. */
interface Begun {
  readonly numbers: readonly number[];
  /** Of each log before that, by attempts. */
  readonly sizes: Readonly<Record<string, number>>;
}

function readBegun(journal: string): Begun | null {
  const read = readJson(journal) as Partial<Begun> | null;
  return Array.isArray(read?.numbers) && typeof read.sizes === "object" ? (read as Begun) : null;
}

type Attempts = ReadonlyMap<AttemptId, Attempt>;

async function attemptsOf({ store }: ReceivePorts, logs: readonly ArrivedLog[]): Promise<Attempts> {
  const found = new Map<AttemptId, Attempt>();
  for (const id of new Set(logs.map(({ attempt }) => attempt))) {
    const known = await store.attempt(id);
    if (known !== null) found.set(id, known.attempt);
  }
  return found;
}

function sizesOf(parts: ReceivePorts, { header }: Run, attempts: Attempts): Begun["sizes"] {
  const sizes: Record<string, number> = {};
  for (const [id, attempt] of attempts)
    guarded(parts, header.id, id, () => {
      sizes[id] = logSize(parts, header, attempt);
    });
  return sizes;
}

/** Its process died before it had dropped them, or the server was away. */
function putBack(
  parts: ReceivePorts,
  { header }: Run,
  attempts: Attempts,
  logs: readonly ArrivedLog[],
  begun: Begun | null,
): void {
  if (begun === null || !logs.some(({ number }) => begun.numbers.includes(number))) return;
  for (const [id, attempt] of attempts) {
    const size = begun.sizes[id];
    if (size !== undefined) guarded(parts, header.id, id, () => cutLog(parts, header, attempt, size));
  }
}

function keep(parts: ReceivePorts, run: Run, attempt: Attempt | undefined, { kind, bytes }: ArrivedLog): void {
  if (attempt === undefined) return;
  const { header } = run;
  guarded(parts, header.id, attempt.id, () => {
    if (kind === "prompt") writePrompt(parts, header.id, attempt, Buffer.from(bytes).toString());
    else if (kind === "diff") keepDiff(parts, run, attempt, bytes);
    else appendLog(parts, header, attempt, bytes);
  });
}

/** An agent can put a link in the place of a log. The logs of others must not wait for that, but all wait for disk space. */
function guarded(parts: ReceivePorts, run: RunId, attempt: AttemptId, act: () => void): void {
  try {
    act();
  } catch (error) {
    if (isDiskFull(error)) throw error;
    parts.log("log.not_kept", { run, attempt, why: errorText(error) });
  }
}
