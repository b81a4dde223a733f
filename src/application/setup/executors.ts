// Executors. Owns: which executors can be named and whether each can be used; a tiny real call of one; what Pawl reads in the
// recorded output of an agent.

import { mkdirSync, rmSync } from "node:fs";
import { constants } from "node:os";
import { join } from "node:path";
import { agents } from "../../app.ts";
import type { ExecutorRow, ExecutorTest } from "../../contracts/machine-documents.ts";
import { AppError } from "../../domain/error.ts";
import { readerFor, recordedFormats } from "../../executors/recorded-formats.ts";
import type { Sandbox } from "../../executors/sandbox/sandbox.ts";
import { readRecording } from "../../executors/stream/recording.ts";
import type { ProcessExit, StreamReading } from "../../executors/stream/stream-reading.ts";
import { inspectRepository } from "../../workspaces/git/repository.ts";
import { removeWorktree } from "../../workspaces/trees/removal.ts";
import { ensureWorktree } from "../../workspaces/trees/worktree.ts";
import type { Application } from "../application.ts";

/** By the configuration of the repository that contains the application's directory. */
export async function executors(app: Application): Promise<readonly ExecutorRow[]> {
  const { config } = await app.read(app.cwd);
  const configured = app.executorsOf(config);
  const usual = configured.usual();
  const probed = await configured.probe(configured.known());
  return probed.map((row) => ({
    ...row,
    isDefault: row.name === usual,
    sandbox: sandboxOf(config.executors[row.name]?.sandbox ?? null),
  }));
}

function sandboxOf(sandbox: Sandbox | null): ExecutorRow["sandbox"] {
  if (sandbox === null) return "none";
  return sandbox.network ? "bwrap" : "bwrap, no network";
}

/** For a caller that may name configured executors and agents, and no programs. */
export async function assertConfigured(app: Application, repo: string, executor: string): Promise<void> {
  const { config } = await app.read(repo);
  const configured = app.executorsOf(config);
  const known = new Set(configured.every().map(({ name }) => name));
  if (executor.split(",").every((name) => known.has(name.trim()))) return;
  throw new AppError("EXECUTOR_MISSING", `there is no executor "${executor}"`, {
    hint: `there are: ${[...known].join(", ")}; the configuration may have others`,
  });
}

const longestTestMs = 120_000;

/** Asks an executor to answer `STATUS: done`. `name`: configured, an agent, or `command: PROGRAM ARGUMENT…`. */
export async function testExecutor(app: Application, name: string): Promise<ExecutorTest> {
  const { parts, config } = await app.read(app.cwd);
  // A program that the repository names is the repository's, not the user's.
  if (config.repositoryCommands.some(({ key }) => key.startsWith(`executors.${name}.`)))
    app.assertTrusted(app.cwd, config);
  const found = await parts.executors.get(name);
  const missing = await found.missing();
  if (missing) throw new AppError("EXECUTOR_MISSING", missing.what, { hint: missing.hint });
  const place = await testPlace(app);
  const { ended } = found.start({
    // The answer is described, not spelt out: a program that echoes its prompt has not answered.
    prompt:
      "This is a test call. Change nothing. Reply with one line: the word STATUS, a colon, a space, the word done.\n",
    cwd: place.path,
    env: { PAWL_STEP: "test", PAWL_ATTEMPT: "1" },
    attempt: `test-${process.pid}`,
    wallMs: longestTestMs,
    quietMs: null,
    onOutput: () => undefined,
  });
  const end = await ended.catch(async (error: unknown) => {
    await place.remove();
    throw error;
  });
  await place.remove();
  const account = parts.executors.accountOf(name);
  if (end.outcome === "ran" && account !== null) await parts.store.transaction((tx) => tx.release(account));
  const ok = end.outcome === "ran" && /STATUS:\W*done/i.test(end.text);
  const why = end.outcome === "ran" ? (ok ? "" : "it ran, but did not answer `STATUS: done`") : end.why;
  const { text, usage, model = null, version = null } = end;
  return { name, ok, why, text, model, version, usage };
}

export type { StreamReading };

/** The agents whose output Pawl can read. */
export const readableAgents = recordedFormats(agents);

/** What Pawl reads in what an agent printed on stdout. `exit`: how its process ended, as a code or a signal. */
export async function readRecordedOutput(
  app: Application,
  name: string,
  file: string,
  exit: string,
): Promise<StreamReading> {
  const newReader = await readerFor(name, agents);
  if (newReader === null)
    throw new AppError("NOT_FOUND", `Pawl does not know what "${name}" prints`, {
      hint: `it knows: ${readableAgents.join(", ")}`,
    });
  return await readRecording(app.path(file), newReader, exitOf(exit));
}

interface TestPlace {
  readonly path: string;
  remove(): Promise<void>;
}

/** Where attempts work: a tree of the repository in Pawl's home. An agent may trust other directories, or have other settings there. */
async function testPlace({ cwd, home }: Application): Promise<TestPlace> {
  const run = `test-${process.pid}`;
  const path = join(home.worktrees, run);
  const facts = await inspectRepository(cwd).catch(() => null);
  if (facts === null || facts.head === null) {
    mkdirSync(path, { recursive: true, mode: 0o700 });
    return { path, remove: async () => rmSync(path, { recursive: true, force: true }) };
  }
  const { root: repo, head: base } = facts;
  await ensureWorktree({ run, repo, path, base, branch: null });
  return { path, remove: async () => void (await removeWorktree({ repo, path, keepAs: `pawl/${run}`, force: true })) };
}

/** As a shell shows it (143), or as the system calls it (SIGTERM, TERM). */
function exitOf(given: string): ProcessExit {
  if (/^\d{1,3}$/.test(given) && Number(given) <= 255) return { code: Number(given) };
  const signal = `SIG${given.toUpperCase().replace(/^SIG/, "")}`;
  if (Object.hasOwn(constants.signals, signal)) return { signal };
  throw new AppError("USAGE", `"${given}" is neither an exit code nor a signal`, {
    hint: "give a number from 0 to 255, or a name such as SIGTERM",
  });
}
