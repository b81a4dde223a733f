// What a program can reach inside bubblewrap: it reads what its user reads except Pawl's own files, writes where it works, sees only
// its own processes and gains no rights, and everything that it started dies with it. Nothing ever runs without the sandbox that it
// should have.

import { lstatSync, mkdirSync, writeFileSync } from "node:fs";
import { homedir, tmpdir } from "node:os";
import { delimiter, dirname, isAbsolute, join, relative, sep } from "node:path";
import { existingPath, isInside } from "../../system/files/paths.ts";
import { findHome } from "../../system/home.ts";
import type { ProcessEnd } from "../../system/process/call.ts";
import type { Access } from "../executor.ts";
import { findProgram } from "../program.ts";
import { holdFolder } from "./branch-places.ts";
import { type GitPlaces, gitPlaces } from "./git-places.ts";

/** As it is configured. */
export interface Sandbox {
  readonly network: boolean;
  /** What it may write beside the workspace: absolute paths, or `~/…`. */
  readonly write: readonly string[];
  /** Pawl's own files, which it hides. Absent: those that the environment names. */
  readonly pawl?: PawlFiles;
}

interface PawlFiles {
  readonly home: string;
  /** A store elsewhere than in the home; null: there is none. */
  readonly store: string | null;
}

/** What a program keeps in the user's home. */
export interface OwnPlaces {
  /** Directories that it must be able to write; they are made if they are missing. */
  readonly written: readonly string[];
  /** Files elsewhere that it must be able to write, if they exist. */
  readonly files?: readonly string[];
  /** What is executed or obeyed there later, outside of the sandbox: it stays read-only. */
  readonly kept: readonly string[];
}

export interface SandboxPlace {
  readonly sandbox: Sandbox;
  readonly cwd: string;
  /** `read`: it cannot write the workspace either. */
  readonly access: Access;
  readonly env: Readonly<Record<string, string>>;
  readonly own?: OwnPlaces;
  /** Further directories that it writes; some may not exist. */
  readonly written?: readonly string[];
  /** Directories that it reads, also where Pawl's home would hide them. */
  readonly read?: readonly string[];
}

export type CommandLine = readonly [string, ...string[]];

export const sandboxProgram = "bwrap";

/** The command that starts `command` in the sandbox. Throws if the sandbox cannot hold. */
export function sandboxed(command: CommandLine, place: SandboxPlace): CommandLine {
  const bwrap = findProgram(sandboxProgram);
  if (bwrap === null) throw new Error(`its sandbox needs bubblewrap (\`${sandboxProgram}\`), which is not installed`);
  const [program, ...args] = command;
  const file = findProgram(program);
  if (file === null) throw new Error(`${program} is not installed or not on PATH`);
  const { env, sandbox, cwd } = place;
  const temporary = temporaryDirs(env);
  const words = [file, ...args.filter(isAbsolute), ...(env["PATH"] ?? "").split(delimiter)];
  const git = gitPlaces(cwd);
  const needed = [...words, homeIn(env), ...git.written, ...(git.common === null ? [] : [git.common])];
  const pawl = sandbox.pawl ?? pawlFiles();
  const home = existingPath(pawl.home);
  const closed = home === null || temporary.includes(home) ? [] : [home];
  const mounts = [...visible(needed, temporary), ...inHome(needed, pawl.home), ...places(place, git, pawl.home)];
  return [
    bwrap,
    ...unshared(sandbox.network),
    ...temporary.flatMap((dir) => ["--tmpfs", dir]),
    ...byDepth([...mounts, ...closed.map((path): Mount => ({ path, as: "hidden" }))]).flatMap(mounted),
    // After everything that is shown in it.
    ...closed.flatMap((dir) => ["--remount-ro", dir]),
    ...hiddenFiles(pawl.store).flatMap((file) => ["--ro-bind", "/dev/null", file]),
    "--chdir",
    existingPath(cwd) ?? cwd,
    "--",
    file,
    ...args,
  ];
}

/** What every sandbox has. */
export function unshared(network: boolean): readonly string[] {
  return [
    "--die-with-parent",
    "--new-session",
    "--unshare-pid",
    "--unshare-ipc",
    "--unshare-uts",
    "--unshare-cgroup-try",
    ...(network ? [] : ["--unshare-net"]),
    // Root could otherwise mount everything again.
    "--cap-drop",
    "ALL",
    "--ro-bind",
    "/",
    "/",
    "--dev",
    "/dev",
    "--proc",
    "/proc",
    // Settings of the whole machine: root writes them without any capability.
    ...inProc.flatMap((path) => ["--ro-bind-try", path, path]),
    // A socket works on a read-only disk too: service managers and container engines obey every process that connects.
    "--tmpfs",
    "/run",
    ...inRun.flatMap((path) => ["--ro-bind-try", path, path]),
  ];
}

const inProc = ["/proc/sys", "/proc/sysrq-trigger"];

/** Where host names are resolved, and where some systems keep their programs. */
const inRun = [
  "/run/systemd/resolve",
  "/run/resolvconf",
  "/run/NetworkManager/resolv.conf",
  "/run/current-system",
  "/run/wrappers",
];

/** Exit codes by which bubblewrap, like a shell, reports that a signal ended the program. */
const signalCodes: Readonly<Record<number, string>> = { 130: "SIGINT", 137: "SIGKILL", 143: "SIGTERM" };

/** How the program inside ended. Nothing outlives it: a stray that was seen is one that was dying. */
export function endInside(end: ProcessEnd): ProcessEnd {
  const signal = end.kind === "exited" ? signalCodes[end.code] : undefined;
  return signal === undefined ? { ...end, strays: 0 } : { ...end, kind: "signalled", signal, strays: 0 };
}

interface Mount {
  readonly path: string;
  /** `guarded`: read-only, if it is still there. */
  readonly as: "written" | "read" | "guarded" | "hidden";
}

function mounted({ path, as }: Mount): readonly string[] {
  if (as === "hidden") return ["--tmpfs", path];
  return [{ written: "--bind", read: "--ro-bind", guarded: "--ro-bind-try" }[as], path, path];
}

function places(place: SandboxPlace, git: GitPlaces, home: string): readonly Mount[] {
  const { sandbox, cwd, access, env, own, written = [], read = [] } = place;
  const isWritable = access === "write";
  const asked = sandbox.write.map((path) => askedPath(path, env, home));
  // What is opened elsewhere does not make the workspace writable with `read` access.
  const opened = isWritable ? asked : asked.filter((path) => !isInside(path, existingPath(cwd) ?? cwd));
  return [
    ...existing([cwd], isWritable ? "written" : "read"),
    ...existing(read, "read"),
    ...existing(plain(own?.kept ?? []), "read"),
    ...existing([...made(own?.written ?? []), ...(own?.files ?? []), ...written, ...opened], "written"),
    ...(isWritable ? gitMounts(git) : []),
  ];
}

function gitMounts({ written, kept, made: files, branches }: GitPlaces): readonly Mount[] {
  for (const file of files) makeEmpty(file);
  branches.reopened.forEach(holdFolder);
  return [
    ...existing([...written, ...branches.reopened], "written"),
    ...existing([...plain(kept), ...branches.kept], "read"),
    ...existing(branches.guarded, "guarded"),
  ];
}

/** A file that git obeys as soon as it exists must exist, or it cannot be protected. */
function makeEmpty(file: string): void {
  try {
    writeFileSync(file, "", { flag: "wx" });
  } catch {
    // It exists, or Pawl's user may not create it.
  }
}

/** A link cannot be mounted over: a process inside could replace it. */
function plain(paths: readonly string[]): readonly string[] {
  const link = paths.find((path) => lstatSync(path, { throwIfNoEntry: false })?.isSymbolicLink());
  if (link === undefined) return paths;
  throw new Error(`its sandbox cannot keep ${link} as it is, which is a link (put what it leads to in its place)`);
}

/** They cannot be created inside. */
function made(dirs: readonly string[]): readonly string[] {
  for (const dir of dirs) {
    try {
      mkdirSync(dir, { recursive: true, mode: 0o700 });
    } catch {
      // The user made the home read-only: the agent works without it, or reports what it misses.
    }
  }
  return dirs;
}

function askedPath(path: string, env: SandboxPlace["env"], home: string): string {
  const place = existingPath(path.replace(/^~(?=\/|$)/, homeIn(env)));
  if (place === null) throw new Error(`its sandbox is to open ${path} for writing, and there is no such path`);
  if (isInside(place, existingPath(home) ?? home)) throw new Error(`its sandbox cannot open Pawl's own home (${path})`);
  return place;
}

/** Directories for temporary files: empty inside, and private. */
function temporaryDirs(env: SandboxPlace["env"]): readonly string[] {
  const dirs = ["/tmp", "/var/tmp", env["TMPDIR"] ?? tmpdir()].map(existingPath).filter((dir) => dir !== null);
  return [...new Set(dirs)];
}

/** A store has the tokens of all attempts, and the words of every run. */
function hiddenFiles(store: string | null): readonly string[] {
  return store === null ? [] : ["", "-wal", "-shm"].flatMap((ending) => existingPath(`${store}${ending}`) ?? []);
}

function pawlFiles(): PawlFiles {
  return { home: findHome(process.env).dir, store: null };
}

/** What it must read in Pawl's home: exactly that. Everything else there belongs to other attempts, or to Pawl. */
function inHome(needed: readonly string[], home: string): readonly Mount[] {
  const real = existingPath(home);
  if (real === null) return [];
  return existing(needed, "read").filter(({ path }) => path !== real && isInside(path, real));
}

/** What it must read below a hidden directory: the whole top directory there. */
function visible(needed: readonly string[], hidden: readonly string[]): readonly Mount[] {
  const paths = needed.flatMap((path) => [path, existingPath(path) ?? path]);
  const tops = hidden.flatMap((dir) =>
    paths.filter((path) => isInside(path, dir) && path !== dir).map((path) => join(dir, topOf(path, dir))),
  );
  return existing(tops, "read");
}

function topOf(path: string, dir: string): string {
  return relative(dir, path).split(sep, 1)[0] ?? "";
}

function existing(paths: readonly string[], as: Mount["as"]): readonly Mount[] {
  return paths
    .map(existingPath)
    .filter((path) => path !== null && path !== dirname(path))
    .map((path) => ({ path: path ?? "", as }));
}

/** A deeper mount comes later and so counts; of the same path the last one counts. */
function byDepth(mounts: readonly Mount[]): readonly Mount[] {
  const last = new Map(mounts.map((mount) => [mount.path, mount]));
  return [...last.values()].toSorted((a, b) => a.path.split(sep).length - b.path.split(sep).length);
}

function homeIn(env: SandboxPlace["env"]): string {
  return env["HOME"] ?? homedir();
}
