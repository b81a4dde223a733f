// The command line for tests: `pawl` as a child process, with its own home and environment.

import { type ChildProcess, spawn } from "node:child_process";
import { existsSync, mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { expect, onTestFinished } from "vitest";
import { agents } from "../../src/app.ts";
import { commandsIn } from "../../src/runtime/config/config.ts";
import { readConfigFile } from "../../src/runtime/config/config-file.ts";
import { recordTrust } from "../../src/runtime/config/trust.ts";
import { expectDocument, expectEvent } from "./contracts.ts";
import { makeRepository, tempDir } from "./repository.ts";
import { siteStores } from "./site-store.ts";
import { type Called, callWarm } from "./warm-pawl.ts";

export type { Called } from "./warm-pawl.ts";

const program = fileURLToPath(new URL("../../bin/pawl", import.meta.url));

export interface CallOptions {
  readonly home: string;
  readonly cwd?: string;
  readonly input?: string;
  readonly env?: Readonly<Record<string, string>>;
  /** The user has not agreed to the commands of the repository. */
  readonly distrusts?: boolean;
}

/** Shows stderr if the exit code is wrong. */
export function expectCode(called: Called, code: number): void {
  expect({ code: called.code, said: called.code === code ? "" : called.stderr }).toEqual({ code, said: "" });
}

/** Runs the command to its end. */
export async function pawl(args: readonly string[], options: CallOptions): Promise<Called> {
  return await (callWarmPawl(args, options) ?? startPawl(args, options).ended);
}

/** What a process may be given while it runs; it has read others when it started. */
const lateVariables = ["PATH", "PAWL_STORE"];

/** Null: the command needs a process of its own. */
function callWarmPawl(args: readonly string[], options: CallOptions): Promise<Called> | null {
  const { home, cwd = home, input = "", env = {} } = options;
  if (Object.keys(env).some((name) => !lateVariables.includes(name))) return null;
  if (!options.distrusts) agree(home, args[args.indexOf("--repo") + 1] ?? "", cwd);
  return callWarm({ args, cwd, env: { ...environment(home), ...env }, input }, afterTest);
}

export interface RunningPawl {
  readonly child: ChildProcess;
  readonly ended: Promise<Called>;
  stdout(): string;
  stderr(): string;
}

/** Starts the command, and kills it at the end of the test. */
export function startPawl(args: readonly string[], options: CallOptions): RunningPawl {
  if (!options.distrusts) agree(options.home, args[args.indexOf("--repo") + 1] ?? "", options.cwd ?? options.home);
  const { home, cwd = home } = options;
  const env = { ...environment(home), ...options.env };
  siteStores().beforeCommand({ home, cwd, args, env });
  const child = spawn(process.execPath, [program, ...args], { cwd, env, stdio: "pipe" });
  killAfterTest(child);
  siteStores().started(home, child);
  const said = { stdout: "", stderr: "" };
  for (const stream of ["stdout", "stderr"] as const) {
    child[stream].setEncoding("utf8").on("data", (text: string) => {
      said[stream] += text;
    });
  }
  // A command that does not read its input may exit before it is written.
  child.stdin.on("error", () => undefined);
  child.stdin.end(options.input ?? "");
  const ended = new Promise<Called>((resolve, reject) => {
    child.on("error", reject);
    child.on("close", (code) =>
      resolve({ code, ...said, stderr: `${said.stderr}${siteStores().saidBeside({ home, args })}` }),
    );
  });
  return { child, ended, stdout: () => said.stdout, stderr: () => said.stderr };
}

/** Runs the command on a terminal of its own, and presses a key when it asks. */
export async function pawlOnTerminal(
  args: readonly string[],
  { home, cwd = home }: CallOptions,
  key: string,
): Promise<{ readonly code: number | null; readonly screen: string }> {
  const command = [process.execPath, program, ...args].map((word) => `'${word.replaceAll("'", "'\\''")}'`).join(" ");
  const child = spawn("script", ["-qec", command, "/dev/null"], { cwd, env: environment(home), stdio: "pipe" });
  killAfterTest(child);
  let screen = "";
  let hasPressed = false;
  child.stdout.setEncoding("utf8").on("data", (text: string) => {
    screen += text.replaceAll("\r", "");
    if (hasPressed || !screen.includes("[y/N] ")) return;
    hasPressed = true;
    child.stdin.write(key);
  });
  const code = await new Promise<number | null>((resolve, reject) => child.on("error", reject).on("close", resolve));
  return { code, screen };
}

/** The user agrees to the commands of the repositories, as with `pawl trust`: most tests are about something else. */
function agree(home: string, ...repos: readonly string[]): void {
  for (const repo of repos) {
    const file = join(repo, ".pawl", "config.yml");
    if (repo === "" || !existsSync(file)) continue;
    try {
      const commands = commandsIn(readConfigFile(file, agents));
      if (commands.length > 0) recordTrust(join(home, "config.yml"), repo, commands);
    } catch {
      // The test is about a file that is wrong.
    }
  }
}

/** Nothing from this machine: no git settings, no Pawl settings, no user's home. */
function environment(home: string): NodeJS.ProcessEnv {
  return {
    PATH: process.env["PATH"],
    ...(process.env["TMPDIR"] ? { TMPDIR: process.env["TMPDIR"] } : {}),
    LANG: "C.UTF-8",
    NO_COLOR: "1",
    HOME: home,
    PAWL_HOME: home,
    ...siteStores().variables(home),
    GIT_CONFIG_NOSYSTEM: "1",
  };
}

/** A home, a repository, and the commands that a person runs in them. */
export interface Site {
  readonly home: string;
  readonly repo: string;
  pawl(...args: readonly string[]): Promise<Called>;
  start(...args: readonly string[]): RunningPawl;
  /** The document that `--json` prints; the exit code must be 0 by default. */
  json<T>(args: readonly string[], code?: number): Promise<T>;
  status(run?: string): Promise<StatusDocument>;
  events(run?: string): Promise<readonly EventDocument[]>;
  path(...parts: readonly string[]): string;
}

export function newSite(dir: string = tempDir("pawl-e2e-")): Site {
  const home = join(dir, "home");
  mkdirSync(home, { mode: 0o700 });
  const repo = makeRepository({ "README.md": "# a project\n" }, { dir: join(dir, "repo") });
  const call = (...args: readonly string[]) => pawl(args, { home, cwd: repo });
  const site: Site = {
    home,
    repo,
    pawl: call,
    start: (...args) => startPawl(args, { home, cwd: repo }),
    async json<T>(args: readonly string[], code = 0): Promise<T> {
      const called = await call(...args, "--json");
      expectCode(called, code);
      const document: unknown = JSON.parse(called.stdout);
      // What `workflow schema` prints is a schema itself.
      if (!args.includes("schema")) expectDocument(args, document);
      return document as T;
    },
    status: (run = "1") => site.json<StatusDocument>(["status", run]),
    async events(run = "1") {
      const { stdout } = await call("events", run, "--json");
      return eventLines(stdout);
    },
    path: (...parts) => join(dir, ...parts),
  };
  return site;
}

export interface StepDocument {
  readonly id: string;
  readonly kind: string;
  readonly status: string;
  readonly attempts: number;
  readonly notes: readonly string[];
}

export interface StatusDocument {
  readonly run: {
    readonly id: string;
    readonly number: number;
    readonly workflow: string;
    readonly task: string;
    readonly status: string;
    readonly repo: string;
    readonly branch: string | null;
    readonly driver: string | null;
    readonly startedAt: string;
    readonly endedAt: string | null;
    readonly usage: Readonly<Record<string, number>>;
  };
  readonly steps: readonly StepDocument[];
  readonly stories: readonly {
    readonly id: string;
    readonly title: string;
    readonly status: string;
    readonly attempts: number;
    readonly steps: readonly StepDocument[];
  }[];
  readonly signals: readonly { readonly name: string; readonly step: string | null; readonly status: string }[];
  readonly gates: readonly {
    readonly id: string;
    readonly step: string;
    readonly question: string;
    readonly options: readonly string[];
    readonly status: string;
  }[];
  readonly why: string;
}

export interface EventDocument {
  readonly seq: number;
  readonly at: string;
  readonly type: string;
  readonly story: string | null;
  readonly [field: string]: unknown;
}

export function eventLines(text: string): readonly EventDocument[] {
  return text
    .split("\n")
    .filter((line) => line !== "")
    .map((line) => {
      const document: unknown = JSON.parse(line);
      expectEvent(document);
      return document as EventDocument;
    });
}

/** Statuses in a form that is easy to compare: `US-001:done,US-002:running`. */
export function statuses(items: readonly { readonly id: string; readonly status: string }[]): string {
  return items.map(({ id, status }) => `${id}:${status}`).join(",");
}

/** Writes a file beside home and repository and returns its path. */
export function writeAt(site: Site, name: string, text: string): string {
  const path = site.path(name);
  writeFileSync(path, text);
  return path;
}

function killAfterTest(child: ChildProcess): void {
  afterTest(() => {
    child.kill("SIGKILL");
  });
}

function afterTest(end: () => void): void {
  try {
    onTestFinished(end);
  } catch {
    // Called from a hook, which waits for the end itself.
  }
}
