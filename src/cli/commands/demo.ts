// `pawl demo`. Owns: a real run in a scratch git repository that is kept: three stories, one of them rejected and fixed. It needs
// no model, no network and no configuration.

import { execFileSync } from "node:child_process";
import { cpSync, mkdirSync } from "node:fs";
import { join } from "node:path";
import type { Command } from "commander";
import { AppError, errorText } from "../../domain/error.ts";
import { plainProject } from "../../runtime/config/config.ts";
import { beginRun } from "../../runtime/runs/start.ts";
import { openWorkflow } from "../../runtime/runs/workflow-library.ts";
import { workBranch } from "../../runtime/trees/work-branch.ts";
import { packageFile } from "../../system/package-root.ts";
import type { Console } from "../console.ts";
import { driveToEnd } from "../driving.ts";
import { example } from "../example.ts";
import { author, withSession } from "../session.ts";

const assets = packageFile("demo");
const task = "Give the calculator subtract and divide, and a command line.";

export function define(program: Command, console: Console): void {
  program
    .command("demo")
    .description("a real run with the scripted agent, in a scratch git repository that is kept")
    .addHelpText("after", example("pawl demo"))
    .action(async (options: { store?: string }) => {
      await withSession({ store: options.store }, async (session) => {
        const { parts } = session;
        const repo = makeProject(parts.home.demos, parts.clock.now());
        console.say(`A small project is in ${repo}. Agents will plan, implement and verify three stories in it.\n`);
        const started = await beginRun(parts, {
          workflow: openWorkflow(parts.home, "feature-dev", parts.protocols),
          task,
          repo,
          base: null,
          inPlace: false,
          context: {},
          executor: `scripted:${join(assets, "script.yml")}`,
          author: author(),
          project: plainProject,
          tighten: (definition) => definition,
        });
        const status = await driveToEnd(console, session, { ...started, events: false, concurrency: null });
        const run = await parts.store.wholeRun(started.run);
        const branch = run && workBranch(run.header);
        if (status !== "done" || !branch) return;
        console.say(`\n$ git -C ${repo} log --oneline ${branch}`);
        console.say(git(repo, "log", "--oneline", branch).trimEnd());
        console.say(`\nUS-002 was rejected once and fixed: pawl logs ${started.number} US-002/verify`);
        console.say('Now with your own agent: see "Your first run" in the README.');
      });
    });
}

function makeProject(demos: string, now: number): string {
  const repo = join(demos, `abacus-${now.toString(36)}`);
  mkdirSync(repo, { recursive: true });
  cpSync(join(assets, "project"), repo, { recursive: true });
  git(repo, "init", "--quiet", "--initial-branch=main");
  git(repo, "add", "--all");
  git(
    repo,
    "-c",
    "user.name=Pawl",
    "-c",
    "user.email=demo@pawl.invalid",
    "commit",
    "--quiet",
    "--message",
    "A very small calculator",
  );
  return repo;
}

function git(cwd: string, ...args: readonly string[]): string {
  try {
    return execFileSync("git", args, {
      cwd,
      encoding: "utf8",
      stdio: ["ignore", "pipe", "pipe"],
      env: { ...process.env, GIT_DIR: undefined },
    });
  } catch (error) {
    throw new AppError(
      "GIT_MISSING",
      `git could not make the demo's repository: ${errorText(error).split("\n", 1)[0]}`,
      {
        hint: "install git; `pawl doctor` shows what is missing",
        cause: error,
      },
    );
  }
}
