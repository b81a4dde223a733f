// A chaos campaign at the ends of runs: each driver is killed between the end of its run and the closing, and the next command is one
// that only looks. After it nothing of the run is left to do.

import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  realpathSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { setTimeout as sleep } from "node:timers/promises";
import { chooser } from "../../support/random-run.ts";
import { Driver, type End } from "../driver.ts";
import { git } from "../scene.ts";

export interface EndsOptions {
  /** Drivers that must have been killed with something left to do. */
  readonly kills: number;
  readonly seed: number;
  readonly say: (line: string) => void;
}

export interface EndsSummary {
  readonly violations: readonly string[];
  readonly dir: string;
  readonly seed: number;
  readonly runs: number;
  /** Kills that left something to do, by the command that did it. */
  readonly kills: Readonly<Record<string, number>>;
}

interface Scene {
  readonly dir: string;
  readonly home: string;
  readonly repo: string;
  readonly storeFile: string;
  /** The command that starts the run, and that finds nothing to do later. */
  readonly start: readonly string[];
}

const stories = ["US-001", "US-002"];
const lookers = ["runs", "status", "prd run"] as const;
/** A driver may be faster than its killer; then the run does not count. */
const runsPerKill = 10;

export async function endsCampaign({ kills, seed, say }: EndsOptions): Promise<EndsSummary> {
  const dir = realpathSync(mkdtempSync(join(tmpdir(), "pawl-chaos-ends-")));
  const choose = chooser(seed);
  const violations: string[] = [];
  const counts: Record<string, number> = {};
  let [runs, done] = [0, 0];
  while (done < kills && violations.length === 0) {
    if (runs >= kills * runsPerKill) violations.push(`only ${done} of ${runs} drivers were killed in time`);
    const scene = makeScene(join(dir, String(runs)));
    runs += 1;
    const looker = lookers[done % lookers.length] ?? "runs";
    const left = await killAtTheEnd(scene, choose(3) * choose(40));
    const found = await lookAndCheck(scene, looker);
    violations.push(...found.map((text) => `run ${runs}, then \`pawl ${looker}\` (left: ${left}): ${text}`));
    say(`  run ${runs}: left ${left || "nothing"}, then ${looker}`);
    if (left !== "") {
      done += 1;
      counts[looker] = (counts[looker] ?? 0) + 1;
    }
    if (found.length === 0) rmSync(scene.dir, { recursive: true, force: true });
  }
  return { violations, dir, seed, runs, kills: counts };
}

/** Returns what the driver has left to do, in words; nothing if it was faster. */
async function killAtTheEnd(scene: Scene, afterMs: number): Promise<string> {
  const driver = new Driver(scene, scene.start);
  while (!driver.isOver && !isDone(scene)) await sleep(2);
  await driver.endsWithin(afterMs);
  const end = await driver.kill();
  if (!end.killed) assertEnded(end, scene.start);
  return leftOf(scene).join(", ");
}

/** The command as often as it takes for messages: it does not wait for receivers that are slow. Everything else is done by the first. */
async function lookAndCheck(scene: Scene, looker: (typeof lookers)[number]): Promise<readonly string[]> {
  const args = { runs: ["runs"], status: ["status", "1"], "prd run": scene.start }[looker];
  for (let looks = 1; ; looks += 1) {
    assertEnded(await new Driver(scene, args).end(), args);
    const left = leftOf(scene);
    const onlyMessages = left.every((what) => what === "messages");
    if (left.length > 0 && onlyMessages && looks < 20) {
      await sleep(200);
      continue;
    }
    return [...left.map((what) => `${what} stay`), ...wrongIn(scene)];
  }
}

function assertEnded({ code, hung, complaints }: End, args: readonly string[]): void {
  if (code !== 0 || hung) throw new Error(`\`pawl ${args.join(" ")}\` ended with ${code}:\n${complaints}`);
}

function leftOf({ home, repo, storeFile }: Scene): readonly string[] {
  const trees = existsSync(join(home, "worktrees")) ? readdirSync(join(home, "worktrees")) : [];
  const entries = git(repo, "worktree", "list", "--porcelain").match(/^worktree /gm) ?? [];
  const effects = read(storeFile, "select effect from outbox").map(({ effect }) => JSON.parse(String(effect)).type);
  const isMessage = (type: unknown) => type === "deliver" || type === "notify";
  return [
    ...(trees.length > 0 ? [`trees (${trees.join(" ")})`] : []),
    ...(entries.length > 1 ? ["entries of trees"] : []),
    ...(git(repo, "for-each-ref", "refs/pawl") === "" ? [] : ["refs"]),
    ...(effects.some((type) => !isMessage(type)) ? ["effects"] : []),
    ...(effects.some(isMessage) ? ["messages"] : []),
  ];
}

/** Each story is on the base once, and each message was received. */
function wrongIn({ dir, repo, storeFile }: Scene): readonly string[] {
  const files = git(repo, "log", "--format=", "--name-only", "--diff-filter=A", "main").split("\n");
  const twice = stories.filter((story) => files.filter((file) => file === `${story}.txt`).length !== 1);
  const received = existsSync(join(dir, "received")) ? readFileSync(join(dir, "received"), "utf8") : "";
  const runs = read(storeFile, "select id from runs").length;
  return [
    ...twice.map((story) => `${story} is not on the base once`),
    ...(received.includes(`"event":"run_done"`) ? [] : ["nobody was told that the run is done"]),
    ...(runs === 1 ? [] : [`there are ${runs} runs`]),
  ];
}

function isDone({ storeFile }: Scene): boolean {
  return read(storeFile, "select status from runs").some(({ status }) => status === "done");
}

/** Directly, without Pawl's own code; nothing while there is no store. */
function read(file: string, query: string): readonly Record<string, unknown>[] {
  let database: DatabaseSync | null = null;
  try {
    database = new DatabaseSync(file, { readOnly: true });
    return database.prepare(query).all();
  } catch {
    return [];
  } finally {
    database?.close();
  }
}

function makeScene(dir: string): Scene {
  const [home, repo] = [join(dir, "home"), join(dir, "repo")];
  for (const path of [home, repo]) mkdirSync(path, { recursive: true, mode: 0o700 });
  git(repo, "init", "--quiet", "--template=", "--initial-branch=main");
  git(repo, "config", "user.name", "User");
  git(repo, "config", "user.email", "user@example.invalid");
  git(repo, "commit", "--quiet", "--allow-empty", "--message=first");
  const receive = JSON.stringify(["sh", "-c", `cat >> ${join(dir, "received")}`]);
  writeFileSync(
    join(home, "config.yml"),
    `notify: [{ kind: command, name: file, command: ${receive}, on: [run_done] }]\n`,
  );
  writeFileSync(join(dir, "act.sh"), `echo "$PAWL_STORY" > "$PAWL_STORY.txt"; git add --all\n${answer}`);
  writeFileSync(join(dir, "prd.json"), JSON.stringify({ project: "ends", userStories: stories.map(storyOf) }));
  const executor = `command: sh ${join(dir, "act.sh")}`;
  const start = ["prd", "run", join(dir, "prd.json"), "--repo", repo, "--agents", "2", "--executor", executor];
  return { dir, home, repo, storeFile: join(home, "pawl.db"), start };
}

const answer = `git -c user.name=Agent -c user.email=agent@example.invalid commit --quiet --message="$PAWL_STORY"; echo STATUS: done\n`;

function storyOf(id: string, index: number): object {
  const title = `Write ${id}`;
  return { id, title, description: title, acceptanceCriteria: [title], priority: index + 1, passes: false };
}
