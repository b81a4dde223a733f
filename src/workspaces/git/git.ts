// Git. Owns: running git as a child process, and turning its failures into errors with a hint. Does not own: what the commands mean.

import { type ChildProcess, spawn } from "node:child_process";
import { existsSync } from "node:fs";
import { setTimeout as sleep } from "node:timers/promises";
import { AppError } from "../../domain/error.ts";
import { allowedEnvironment } from "../../system/process/environment.ts";
import { ownIdentity, type ProcessIdentity } from "../../system/process/identity.ts";
import type { Marker } from "../../system/process/strays.ts";
import { isUploadPack, type Overrides, overridesFor, withOverrides } from "./programs.ts";

export interface GitOptions {
  readonly input?: string;
  readonly env?: Readonly<Record<string, string>>;
  readonly timeoutMs?: number;
  /** A non-zero exit is a result, not an error. A git that was killed is still an error. */
  readonly allowFailure?: boolean;
  readonly maxOutputBytes?: number;
  /** What is printed past the limit is left out and git is ended, instead of an error. */
  readonly cutsOutput?: boolean;
  /** With `cutsOutput`: what is kept of each chunk of stdout; null: git is ended. Only what is kept counts for the limit. */
  readonly keeps?: (chunk: Buffer) => Buffer | null;
  /** Passes on the user's whole environment, for commands that log in to a remote. They must not write files of a tree. */
  readonly asUser?: boolean;
  /** Does not wait for the lock of another git. */
  readonly noLockRetry?: boolean;
}

export interface GitResult {
  readonly stdout: string;
  readonly stderr: string;
  readonly code: number;
  /** It printed more than `cutsOutput` allows; the code says nothing then. */
  readonly isCut?: true;
}

const defaultTimeoutMs = 120_000;
const defaultMaxOutputBytes = 64 * 1024 * 1024;
const waitsForLockMs = [20, 60, 150, 300, 600];

/** Runs git without a shell, a pager, a prompt or a hook, in English, and waits a little for another git's lock. */
export async function git(cwd: string, args: readonly string[], options: GitOptions = {}): Promise<GitResult> {
  const overrides = args[0] === "config" ? [] : await overridesFor(cwd, () => listSettings(cwd));
  for (let tries = 0; ; tries += 1) {
    const result = await runOnce(cwd, withUploadPack(args, overrides), options, overrides);
    const waitMs = options.noLockRetry ? undefined : waitsForLockMs[tries];
    if (result.code !== 0 && waitMs !== undefined && isLocked(result.stderr)) {
      await sleep(waitMs);
      continue;
    }
    if (result.code !== 0 && !options.allowFailure) throw failure(cwd, args, result);
    return result;
  }
}

/** Of this setting the first value counts, so that only the option can override it. */
function withUploadPack(args: readonly string[], overrides: Overrides): readonly string[] {
  const [command = "", ...rest] = args;
  const program = command === "fetch" && overrides.find(([key]) => isUploadPack(key))?.[1];
  return program ? [command, `--upload-pack=${program}`, ...rest] : args;
}

/** Printing the configuration runs nothing of it. */
async function listSettings(cwd: string): Promise<string> {
  return (await runOnce(cwd, ["config", "--list", "--show-scope", "--null"], {}, [])).stdout;
}

/** The output of a command as one trimmed line. */
export async function gitLine(cwd: string, args: readonly string[], options: GitOptions = {}): Promise<string> {
  return (await git(cwd, args, options)).stdout.trim();
}

/** Splits output at NUL, the only byte that no file name contains. */
export function splitNul(text: string): readonly string[] {
  return text.split("\0").filter((part) => part !== "");
}

// Set for every command: no program of the user or an agent may run, wait for a person or collect garbage meanwhile.
const settings = [
  "core.hooksPath=/dev/null",
  "core.fsmonitor=false",
  "core.safecrlf=false",
  "core.splitIndex=false",
  "gc.auto=0",
  "maintenance.auto=false",
  "submodule.recurse=false",
  "diff.submodule=short",
  "advice.addEmbeddedRepo=false",
].flatMap((setting) => ["-c", setting]);

// These are set when Pawl is started from a git hook or alias. They would lead git to another repository.
const foreign = [
  "GIT_DIR",
  "GIT_WORK_TREE",
  "GIT_INDEX_FILE",
  "GIT_COMMON_DIR",
  "GIT_OBJECT_DIRECTORY",
  "GIT_ALTERNATE_OBJECT_DIRECTORIES",
  "GIT_NAMESPACE",
  "GIT_PREFIX",
  "GIT_QUARANTINE_PATH",
  "GIT_SHALLOW_FILE",
  "GIT_EXTERNAL_DIFF",
  "GIT_DIFF_OPTS",
  "GIT_LITERAL_PATHSPECS",
  "GIT_GLOB_PATHSPECS",
  "GIT_NOGLOB_PATHSPECS",
  "GIT_ICASE_PATHSPECS",
  // Of the store: no remote needs them.
  "PAWL_STORE",
  "PGPASSWORD",
];

/** In the environment of every git that Pawl starts. A git outlives its parent, and the next process must know when it has ended. */
export function gitMarker({ pid, startedAt }: ProcessIdentity): Marker {
  return { name: "PAWL_GIT_OF", value: `${pid}/${startedAt}` };
}

/** Variables that git gets besides the usual ones, for logins and signatures. */
const itsOwn = /^(?:GIT_|SSH_|GNUPGHOME$|GPG_TTY$|DISPLAY$|WAYLAND_DISPLAY$|DBUS_SESSION_BUS_ADDRESS$)/;

/** An allow-list, because an agent can configure filters in its repository, which then run as part of this git. */
function environment({ env: extra = {}, asUser = false }: GitOptions): NodeJS.ProcessEnv {
  const own = Object.keys(process.env).filter((name) => (asUser || itsOwn.test(name)) && !foreign.includes(name));
  const env = allowedEnvironment(process.env, own);
  const marker = gitMarker(ownIdentity());
  return {
    ...env,
    [marker.name]: marker.value,
    // git translates its messages; we match on some of them, so the language is fixed.
    LC_ALL: "C",
    LANGUAGE: "",
    GIT_TERMINAL_PROMPT: "0",
    GIT_OPTIONAL_LOCKS: "0",
    GIT_PAGER: "cat",
    GIT_EDITOR: "true",
    GIT_SEQUENCE_EDITOR: "true",
    ...extra,
  };
}

function runOnce(cwd: string, args: readonly string[], options: GitOptions, overrides: Overrides): Promise<GitResult> {
  const timeoutMs = options.timeoutMs ?? defaultTimeoutMs;
  const maxBytes = options.maxOutputBytes ?? defaultMaxOutputBytes;
  return new Promise((resolve, reject) => {
    // A session of its own: ssh finds no terminal to ask on, Ctrl-C does not interrupt it, and a timeout kills its helpers too.
    const child = spawn("git", ["--no-pager", ...settings, ...args], {
      cwd,
      env: withOverrides(environment(options), overrides),
      stdio: [options.input === undefined ? "ignore" : "pipe", "pipe", "pipe"],
      detached: true,
      windowsHide: true,
    });
    const out: Buffer[] = [];
    const err: Buffer[] = [];
    let bytes = 0;
    let stopped: AppError | null = null;
    let isCut = false;

    const stop = (reason: AppError) => {
      stopped ??= reason;
      killGroup(child);
    };
    const timer = setTimeout(() => stop(tooSlow(cwd, args, timeoutMs)), timeoutMs);
    const collect = (into: Buffer[]) => (printed: Buffer) => {
      const chunk = into === out && options.keeps !== undefined ? options.keeps(printed) : printed;
      if (chunk === null) {
        isCut = true;
        return killGroup(child);
      }
      const room = maxBytes - bytes;
      bytes += chunk.length;
      if (bytes <= maxBytes) return void into.push(chunk);
      if (!options.cutsOutput) return stop(tooMuch(cwd, args, maxBytes));
      if (room > 0) into.push(chunk.subarray(0, room));
      isCut = true;
      killGroup(child);
    };
    child.stdout?.on("data", collect(out));
    child.stderr?.on("data", collect(err));
    // git may exit before it has read its input; the exit code says why.
    child.stdin?.on("error", () => undefined);
    child.stdin?.end(options.input);

    child.on("error", (cause) => {
      clearTimeout(timer);
      reject(cannotStart(cwd, cause));
    });
    child.on("close", (code, signal) => {
      clearTimeout(timer);
      if (stopped) return reject(stopped);
      if (isCut) return resolve({ stdout: Buffer.concat(out).toString("utf8"), stderr: "", code: 0, isCut });
      if (signal !== null) return reject(killed(cwd, args, signal));
      const stderr = withoutCredentials(Buffer.concat(err).toString("utf8"));
      resolve({ stdout: Buffer.concat(out).toString("utf8"), stderr, code: code ?? 128 });
    });
  });
}

function killGroup(child: ChildProcess): void {
  try {
    if (child.pid !== undefined) process.kill(-child.pid, "SIGKILL");
  } catch {
    child.kill("SIGKILL");
  }
}

/** Another git holds a lock. The last pattern is what git prints while another one registers a worktree. */
function isLocked(stderr: string): boolean {
  return /\.lock': File exists|could not lock|failed to read .*\/commondir: Success/i.test(stderr);
}

function withoutCredentials(text: string): string {
  return text.replace(/:\/\/[^/@\s]+@/g, "://***@");
}

function cannotStart(cwd: string, cause: Error): AppError {
  if (!existsSync(cwd)) {
    return new AppError("REPOSITORY_UNUSABLE", `${cwd} does not exist`, { hint: "check the path", cause });
  }
  return new AppError("GIT_MISSING", "git could not be started", {
    hint: "install git 2.34 or newer and make sure that it is on PATH",
    details: [cause.message],
    cause,
  });
}

function tooSlow(cwd: string, args: readonly string[], timeoutMs: number): AppError {
  return new AppError("GIT_FAILED", `${shown(args)} in ${cwd} did not end within ${timeoutMs / 1000} s`, {
    hint: "look for a slow disk, a slow filter or an unreachable remote, then try again",
  });
}

function tooMuch(cwd: string, args: readonly string[], maxBytes: number): AppError {
  return new AppError("GIT_FAILED", `${shown(args)} in ${cwd} printed more than ${maxBytes} bytes`, {
    hint: "a directory that should be ignored may not be: see `git status`",
  });
}

function killed(cwd: string, args: readonly string[], signal: string): AppError {
  return new AppError("GIT_KILLED", `${shown(args)} in ${cwd} was killed from outside by ${signal}`, {
    hint: "find out what killed it (too little memory?), then try again",
  });
}

function failure(cwd: string, args: readonly string[], result: GitResult): AppError {
  const lines = result.stderr.split("\n").filter((line) => line.trim() !== "");
  const first = lines.find((line) => /^(fatal|error):/.test(line)) ?? lines[0] ?? `exit code ${result.code}`;
  return new AppError("GIT_FAILED", `${shown(args)} failed in ${cwd}: ${first.replace(/^(fatal|error): /, "")}`, {
    hint: hintFor(result.stderr),
    details: lines.slice(0, 20),
  });
}

function shown(args: readonly string[]): string {
  return withoutCredentials(`git ${args.slice(0, 2).join(" ")}`);
}

function hintFor(stderr: string): string {
  if (/No space left on device/i.test(stderr)) return "free some disk space, then try again";
  if (/dubious ownership/.test(stderr)) return "run `git config --global --add safe.directory <path>` if you trust it";
  if (/Permission denied|Read-only file system|insufficient permission/i.test(stderr))
    return "make the git directory that is named yours and writable, then try again";
  if (isLocked(stderr)) return "another git holds a lock; if none is running, remove the .lock file that is named";
  return "run the same git command by hand to see more";
}
