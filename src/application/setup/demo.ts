// The demo. Owns: a real run in a git repository of its own that is kept: three stories, one of them rejected and fixed. It needs
// no model, no network and no configuration.

import { execFileSync } from "node:child_process";
import { cpSync, mkdirSync } from "node:fs";
import { join } from "node:path";
import { AppError, errorText } from "../../domain/error.ts";
import { plainProject } from "../../runtime/config/config.ts";
import { beginRun } from "../../runtime/runs/start.ts";
import { openWorkflow } from "../../runtime/runs/workflow-library.ts";
import { packageFile } from "../../system/package-root.ts";
import type { Application } from "../application.ts";
import { type Driven, type DriveRequest, driveIn, drivenTo } from "../driving/drive.ts";

const assets = packageFile("demo");
const task = "Give the calculator subtract and divide, and a command line.";

export interface DemoRequest extends DriveRequest {
  /** Called with the repository, before a run is started in it. */
  readonly onRepository?: ((repo: string) => void) | undefined;
}

export interface Demonstrated extends Driven {
  readonly repo: string;
  /** The commits of the run, one a line; null: it is not done. */
  readonly commits: string | null;
}

export async function demo(app: Application, request: DemoRequest): Promise<Demonstrated> {
  const { repo, run, end } = await app.change(null, async (session) => {
    const { parts } = session;
    const made = makeProject(app, parts.clock.now());
    request.onRepository?.(made);
    const started = await beginRun(parts, {
      workflow: openWorkflow(app.home, "feature-dev", app.protocols),
      task,
      repo: made,
      base: null,
      inPlace: false,
      context: {},
      executor: `scripted:${join(assets, "script.yml")}`,
      author: app.author,
      project: plainProject,
      tighten: (definition) => definition,
      reserves: true,
    });
    return { repo: made, run: started.run, end: await driveIn(app, session, started, request) };
  });
  const driven = await drivenTo(app, run, end);
  const { branch } = driven;
  return { ...driven, repo, commits: branch === null ? null : git(app, repo, "log", "--oneline", branch).trimEnd() };
}

function makeProject(app: Application, now: number): string {
  const repo = join(app.home.demos, `abacus-${now.toString(36)}`);
  mkdirSync(repo, { recursive: true });
  cpSync(join(assets, "project"), repo, { recursive: true });
  git(app, repo, "init", "--quiet", "--initial-branch=main");
  git(app, repo, "add", "--all");
  const committer = ["-c", "user.name=Pawl", "-c", "user.email=demo@pawl.invalid"];
  git(app, repo, ...committer, "commit", "--quiet", "--message", "A very small calculator");
  return repo;
}

function git({ env }: Application, cwd: string, ...args: readonly string[]): string {
  try {
    return execFileSync("git", args, {
      cwd,
      encoding: "utf8",
      stdio: ["ignore", "pipe", "pipe"],
      env: { ...env, GIT_DIR: undefined },
    });
  } catch (error) {
    const why = errorText(error).split("\n", 1)[0];
    throw new AppError("GIT_MISSING", `git could not make the demo's repository: ${why}`, {
      hint: "install git; `pawl doctor` shows what is missing",
      cause: error,
    });
  }
}
