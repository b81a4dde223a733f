// Runs a DAG of stories as a PRD: recorded once, performed by `pawl worker` processes on one store, and checked at its end. Its agent
// waits a moment, looks whether the work of all that its story depends on is there, and writes a file.

import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { closeSync, mkdirSync, openSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { isDeepStrictEqual } from "node:util";
import { Application } from "../../src/application/application.ts";
import { runProject } from "../../src/application/starting/stories-given.ts";
import type { Event } from "../../src/domain/event.ts";
import { replay } from "../../src/engine/evolve.ts";
import { packageFile } from "../../src/system/package-root.ts";
import type { DagStory } from "./dag.ts";
import { log, makeRepository, runGit } from "./repository.ts";
import { until } from "./until.ts";

export interface DagWork {
  /** Empty; the site is made in it. */
  readonly dir: string;
  /** Of a new store on a server. */
  readonly store: string;
  readonly dag: readonly DagStory[];
  readonly workers: number;
  /** Of each worker. */
  readonly slots: number;
  /** How long the run may take. */
  readonly limitMs: number;
}

export interface DagEnd {
  /** From the record of the run to its end. */
  readonly makespanMs: number;
  /** The attempts of each story, by its id, together. */
  readonly attemptMs: ReadonlyMap<string, number>;
  /** In which at least one story was being integrated. */
  readonly integratingMs: number;
  /** What is not as it must be; empty: it ended right. */
  readonly violations: readonly string[];
}

type Stored = readonly { readonly event: Event }[];

export async function runDag({ dir, store, dag, workers, slots, limitMs }: DagWork): Promise<DagEnd> {
  const site = makeSite(dir, dag, workers * slots);
  const env = { ...process.env, PAWL_HOME: site.home, PAWL_STORE: store };
  const app = new Application({ cwd: dir, env });
  const children: ChildProcess[] = [];
  try {
    const { repo, workflow, executor } = site;
    await runProject(app, site.prd, { protocol: "ralph", repo, workflow, executor });
    const output = openSync(join(dir, "workers.log"), "a");
    for (let count = 0; count < workers; count += 1)
      children.push(
        spawn(process.execPath, [packageFile("bin", "pawl"), "worker", "--slots", String(slots)], {
          cwd: dir,
          env,
          stdio: ["ignore", output, output],
        }),
      );
    closeSync(output);
    const { parts } = await app.read();
    const over = async () => (await parts.store.listRuns({ statuses: ["done", "failed", "held"], limit: 1 }))[0];
    const summary = await until(over, limitMs);
    await until(async () => (await parts.dispatch.drivers()).length === 0);
    const stored = await parts.store.events(summary.id, 0, 10_000_000);
    const replayed = replay(stored.map(({ event }) => event));
    const violations = [
      ...(summary.status === "done" ? [] : [`the run is ${summary.status}`]),
      ...(isDeepStrictEqual(replayed, await parts.store.wholeRun(summary.id))
        ? []
        : ["its log does not replay to its rows"]),
      ...eventViolations(stored, dag),
      ...gitViolations(repo, dag),
      ...startViolations(site.started, dag),
    ];
    return { ...timesOf(stored), violations };
  } finally {
    for (const child of children) await stopped(child);
    await app.close();
  }
}

function makeSite(dir: string, dag: readonly DagStory[], atOnce: number) {
  const [home, needs, started] = [join(dir, "home"), join(dir, "needs"), join(dir, "started")];
  for (const folder of [home, needs]) mkdirSync(folder, { recursive: true, mode: 0o700 });
  writeFileSync(join(home, "config.yml"), `concurrency: { agents: ${atOnce} }\n`);
  const write = (name: string, text: string) => {
    writeFileSync(join(dir, name), text);
    return join(dir, name);
  };
  for (const { id, dependsOn, seconds } of dag)
    writeFileSync(join(needs, id), `${seconds}\n${dependsOn.map((each) => `${each}\n`).join("")}`);
  const userStories = dag.map(({ id, level, dependsOn }) => ({
    id,
    title: level,
    acceptanceCriteria: ["its file is there"],
    depends_on: dependsOn,
  }));
  const workflow = `pawl: 1
protocol: ralph
id: dag
agents: { worker: {} }
steps:
  - id: stories
    stories: { workspace: worktree, concurrency: ${atOnce} }
    body:
      - { id: coding, agent: worker, summary: true, on_error: fail, input: "{{current_story}}" }
      - { id: land, integrate: { message: "{{story}}: {{title}}" } }
`;
  const agent = `cat > /dev/null
echo "$PAWL_STORY" >> '${started}'
{ read -r seconds; while read -r need; do [ -e "made/$need" ] || { echo "$need is not there"; exit 1; }; done; } < '${needs}'/"$PAWL_STORY"
sleep "$seconds"
mkdir -p made && echo "$PAWL_STORY" > "made/$PAWL_STORY"
printf 'SUMMARY\\nmade\\n'
`;
  return {
    home,
    started,
    repo: makeRepository({ "README.md": "# a survey\n" }, { dir: join(dir, "repo") }),
    prd: write("prd.json", JSON.stringify({ project: "Survey", userStories })),
    workflow: write("dag.yml", workflow),
    executor: `command: sh ${write("agent.sh", agent)}`,
  };
}

/** Each story has one attempt of each step, is done once, and begins after what it depends on is done. */
function eventViolations(stored: Stored, dag: readonly DagStory[]): readonly string[] {
  const found: string[] = [];
  const needs = new Map(dag.map(({ id, dependsOn }) => [id, dependsOn]));
  const done = new Set<string>();
  const dispatched = new Map<string, number>();
  for (const { event } of stored) {
    if (event.type === "attempt_dispatched" && event.story !== null) {
      const attempt = `${event.story} ${event.name}`;
      dispatched.set(attempt, (dispatched.get(attempt) ?? 0) + 1);
      const early = (needs.get(event.story) ?? []).filter((each) => !done.has(each));
      if (early.length > 0) found.push(`${attempt} began before ${early.join(", ")}`);
    }
    if (event.type === "attempt_ended" && event.outcome !== "completed")
      found.push(`an attempt of ${event.story} ended as ${event.outcome}: ${event.why}`);
    if (event.type === "story_changed" && event.status === "done") {
      if (done.has(event.of)) found.push(`${event.of} was done twice`);
      done.add(event.of);
    }
  }
  for (const { id } of dag) {
    if (!done.has(id)) found.push(`${id} is not done`);
    for (const step of ["coding", "land"]) {
      const times = dispatched.get(`${id} ${step}`) ?? 0;
      if (times !== 1) found.push(`${id} ${step} has ${times} attempts`);
    }
  }
  return found;
}

/** One commit for each story on the base, each after those of what it depends on, and nothing else. */
function gitViolations(repo: string, dag: readonly DagStory[]): readonly string[] {
  const subjects = log(repo, "main").toReversed().slice(1);
  const places = new Map(subjects.map((subject, index) => [subject.split(":")[0] ?? "", index]));
  const found = subjects.length === dag.length ? [] : [`main has ${subjects.length} commits for ${dag.length} stories`];
  for (const { id, dependsOn } of dag) {
    const place = places.get(id);
    if (place === undefined) found.push(`${id} has no commit`);
    else if (dependsOn.some((each) => (places.get(each) ?? Number.POSITIVE_INFINITY) > place))
      found.push(`the commit of ${id} is before one that it depends on`);
  }
  const files = new Set(runGit(repo, "ls-tree", "-r", "--name-only", "main").split("\n"));
  const missing = dag.filter(({ id }) => !files.has(`made/${id}`));
  if (missing.length > 0) found.push(`main lacks the files of ${missing.length} stories`);
  if (runGit(repo, "worktree", "list").split("\n").length !== 1) found.push("trees are left");
  return found;
}

/** Agents themselves wrote what they began. */
function startViolations(file: string, dag: readonly DagStory[]): readonly string[] {
  const ids = readFileSync(file, "utf8").trim().split("\n").toSorted();
  const wanted = dag.map(({ id }) => id).toSorted();
  return isDeepStrictEqual(ids, wanted) ? [] : [`${ids.length} agents began for ${wanted.length} stories`];
}

function timesOf(stored: Stored): Omit<DagEnd, "violations"> {
  const begun = new Map<string, { readonly at: number; readonly isLanding: boolean }>();
  const attemptMs = new Map<string, number>();
  let [landing, landingSince, integratingMs] = [0, 0, 0];
  for (const { event } of stored) {
    if (event.type === "attempt_dispatched") {
      const isLanding = event.name === "land";
      begun.set(event.attempt, { at: event.at, isLanding });
      if (isLanding && landing++ === 0) landingSince = event.at;
    }
    if (event.type !== "attempt_ended" || event.story === null) continue;
    const { at, isLanding } = begun.get(event.attempt) ?? { at: event.at, isLanding: false };
    attemptMs.set(event.story, (attemptMs.get(event.story) ?? 0) + event.at - at);
    if (isLanding && --landing === 0) integratingMs += event.at - landingSince;
  }
  const [first, last] = [stored[0]?.event.at ?? 0, stored.at(-1)?.event.at ?? 0];
  return { makespanMs: last - first, attemptMs, integratingMs };
}

async function stopped(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  child.kill("SIGTERM");
  await once(child, "exit");
}
