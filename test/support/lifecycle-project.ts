// A project whose skills are the program of `skill-program.ts`, with a home of its own.

import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { onTestFinished } from "vitest";
import { Application } from "../../src/application/application.ts";
import { type ExecuteRequest, executeLifecycle } from "../../src/application/lifecycle/execute.ts";
import { type LifecycleEnd, type LifecycleRequest, startLifecycle } from "../../src/application/lifecycle/start.ts";
import type { SessionDocument } from "../../src/protocols/lifecycle/session/session-document.ts";
import { programLine } from "./program-words.ts";
import { makeRepository, tempDir } from "./repository.ts";

/** The calls that take phase 1 through its stages, where nothing has to be fixed. */
export const phaseCalls = [
  "maestro-analyze 1",
  "maestro-plan 1",
  "maestro-execute 1",
  "maestro-verify 1",
  "quality-business-test 1",
  "quality-review 1",
  "quality-test-gen 1",
  "quality-test 1",
];

/** The calls behind the last phase of a milestone. */
export const milestoneCalls = ["maestro-milestone-audit", "maestro-milestone-complete"];

export interface LifecycleTestProject {
  readonly root: string;
  readonly home: string;
  readonly app: Application;
  readonly executor: string;
  /** What was said to the person who started or continued a session. */
  readonly notes: string[];
  /** The plans that were shown. */
  readonly plans: string[];
  /** For each call what becomes of it, one word for each time: `fix`, `failed`, `crash`, `nothing`. Default: `well`. */
  plan(outcomes: Readonly<Record<string, readonly string[]>>): void;
  milestones(...milestones: readonly Milestone[]): void;
  /** A skill begins, and waits until it is released. */
  hold(skill: string): void;
  release(skill: string): void;
  /** The calls that skills began or ended. */
  calls(what?: "begin" | "end"): readonly string[];
  /** Whether the skill that began last still works. */
  isWorking(): boolean;
  file(path: string): string;
  status(): SessionDocument;
  start(intent?: string, request?: Partial<LifecycleRequest>): Promise<LifecycleEnd>;
  execute(request?: Partial<ExecuteRequest>): Promise<LifecycleEnd>;
}

interface Milestone {
  readonly id: string;
  readonly name: string;
  readonly status: string;
  readonly phases: readonly number[];
}

/** `files`: what is committed; null: the folder is no repository. */
export function lifecycleProject(files: Readonly<Record<string, string>> | null = null): LifecycleTestProject {
  const root = files === null ? tempDir("pawl-lifecycle-") : makeRepository(files);
  const control = tempDir("pawl-skills-");
  const at = (name: string) => join(control, name);
  const home = join(tempDir(), "home");
  const app = new Application({ cwd: root, env: { ...process.env, PAWL_HOME: home } });
  onTestFinished(async () => await app.close());
  writeFileSync(at("audit"), "");
  const executor = `command: ${programLine("skill-program.ts")} ${control}`;
  const notes: string[] = [];
  const plans: string[] = [];
  const request = {
    signal: new AbortController().signal,
    onNote: (note: string) => notes.push(note),
    confirm: async (plan: string) => {
      plans.push(plan);
      return await Promise.resolve(true);
    },
  };
  return {
    root,
    home,
    app,
    executor,
    notes,
    plans,
    plan: (outcomes) => writeFileSync(at("plan.json"), JSON.stringify(outcomes)),
    milestones: (...milestones) => writeFileSync(at("milestones.json"), JSON.stringify(milestones)),
    hold: (skill) => writeFileSync(at(`hold-${skill}`), ""),
    release: (skill) => rmSync(at(`hold-${skill}`)),
    calls: (what = "end") =>
      readFileSync(at("audit"), "utf8")
        .split("\n")
        .flatMap((line) => (line.startsWith(`${what} `) ? [line.slice(what.length + 1)] : [])),
    isWorking: () => {
      try {
        return process.kill(Number(readFileSync(at("pid"), "utf8")), 0);
      } catch {
        return false;
      }
    },
    file: (path) => readFileSync(join(root, path), "utf8"),
    status: () => JSON.parse(readFileSync(statusFile(root), "utf8")) as SessionDocument,
    start: async (intent = "Build a shop", more = {}) =>
      await startLifecycle(app, { ...request, intent, executor, ...more }),
    execute: async (more = {}) => await executeLifecycle(app, { ...request, ...more }),
  };
}

/** No repository: git takes half of the work of a call, and only some tests are about trees. */
export function folderProject(files: Readonly<Record<string, unknown>>): LifecycleTestProject {
  const project = lifecycleProject();
  writeProject(project.root, files);
  return project;
}

/** The status.json of the only session, or of the last one by name. */
export function statusFile(root: string): string {
  const dir = join(root, ".workflow/.ralph");
  const names = existsSync(dir) ? readdirSync(dir).toSorted() : [];
  return join(dir, names.at(-1) ?? "none", "status.json");
}

/** Files of a project, by path; what is no text is written as JSON. */
export function writeProject(root: string, files: Readonly<Record<string, unknown>>): void {
  for (const [name, content] of Object.entries(files)) {
    mkdirSync(dirname(join(root, name)), { recursive: true });
    writeFileSync(join(root, name), typeof content === "string" ? content : JSON.stringify(content));
  }
}

/** A project that has a roadmap and stands before its first phase. */
export function planned(
  milestones: readonly Milestone[] = [{ id: "M1", name: "First", status: "active", phases: [1] }],
  artifacts: readonly unknown[] = [],
): Readonly<Record<string, string>> {
  const state = { current_milestone: milestones[0]?.id, milestones, artifacts };
  return { ".workflow/roadmap.md": "# Roadmap\n", ".workflow/state.json": JSON.stringify(state) };
}
