// A chaos campaign with a person and careless agents: while stories are integrated, a person commits, resets and rebases in the checkout
// of the base, and agents break the git files of their trees. Afterwards every commit is where its author left it.

import { execFileSync, spawn } from "node:child_process";
import { existsSync, mkdirSync, mkdtempSync, readdirSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { type Choose, chooser } from "../../support/random-run.ts";
import { configureUser } from "../../support/repository.ts";
import { slips } from "../../support/slips.ts";
import { Person } from "./person.ts";

export interface MeddlingOptions {
  readonly runs: number;
  readonly seed: number;
  readonly say: (line: string) => void;
}

export interface MeddlingSummary {
  readonly violations: readonly string[];
  readonly dir: string;
  readonly seed: number;
  readonly slips: number;
  /** How often the person did what. */
  readonly acts: Readonly<Record<string, number>>;
}

const program = fileURLToPath(new URL("../../../bin/pawl", import.meta.url));
const stories = Array.from({ length: 6 }, (_, index) => `US-${index + 1}`);

export async function meddlingCampaign({ runs, seed, say }: MeddlingOptions): Promise<MeddlingSummary> {
  const dir = realpathSync(mkdtempSync(join(tmpdir(), "pawl-chaos-meddling-")));
  const violations: string[] = [];
  const acts: Record<string, number> = {};
  let slipped = 0;
  for (let run = 0; run < runs && violations.length === 0; run += 1) {
    const choose = chooser(seed * 1_000 + run);
    const scene = makeScene(join(dir, String(run)), choose);
    slipped += scene.slips;
    const person = new Person(scene.repo, choose);
    const { code, said } = await drive(scene, person);
    violations.push(...check(scene, person, code, said).map((text) => `run ${run}: ${text}`));
    for (const [act, count] of Object.entries(person.acts)) acts[act] = (acts[act] ?? 0) + count;
    if (violations.length > 0) writeFileSync(join(scene.dir, "said"), said);
    else rmSync(scene.dir, { recursive: true, force: true });
    say(`  run ${run}: ${scene.slips} slips, ${JSON.stringify(person.acts)}`);
  }
  return { violations, dir, seed, slips: slipped, acts };
}

interface Scene {
  readonly dir: string;
  readonly repo: string;
  readonly home: string;
  /** The number of stories whose agent breaks its tree once. */
  readonly slips: number;
}

function makeScene(dir: string, choose: Choose): Scene {
  const [repo, home, slipDir] = [join(dir, "repo"), join(dir, "home"), join(dir, "slips")];
  for (const name of [repo, home, slipDir]) mkdirSync(name, { recursive: true });
  execFileSync("git", ["init", "--quiet", "--template=", "--initial-branch=main"], { cwd: repo });
  configureUser(repo);
  for (const name of ["first", "second", "third"]) {
    writeFileSync(join(repo, `${name}.txt`), `${name}\n`);
    execFileSync("git", ["add", "--all"], { cwd: repo });
    execFileSync("git", ["commit", "--quiet", "--message", name], { cwd: repo });
  }
  const careless = stories.filter(() => choose(2) === 0);
  for (const story of careless) writeFileSync(join(slipDir, story), slips[choose(slips.length)]?.[1] ?? "");
  writeFileSync(join(dir, "agent.sh"), agentFor(slipDir));
  writeFileSync(join(dir, "workflow.yml"), workflow);
  return { dir, repo, home, slips: careless.length };
}

const workflow = `pawl: 1
id: meddled
name: Meddled
agents: { worker: {} }
steps:
  - { id: plan, agent: worker, input: "plan. Reply with STATUS: done" }
  - id: all
    stories: { workspace: worktree, concurrency: 3 }
    body:
      - { id: work, agent: worker, input: "{{current_story}} Reply with STATUS: done" }
      - { id: look, agent: worker, input: "look. Reply with STATUS: done" }
      - { id: land, integrate: true, checks: ["sleep 0.1"] }
`;

/** Each story adds a file of its own, and its agent may break its tree once, after its work or during the step behind it. */
function agentFor(slipDir: string): string {
  const planned = stories.map((id) => ({ id, title: id, description: "d", acceptanceCriteria: ["c"] }));
  return `cat >/dev/null
case $PAWL_STEP in
  plan) printf '%s\\n' 'STORIES_JSON: ${JSON.stringify(planned)}' ;;
  work) echo "$PAWL_STORY" >"$PAWL_STORY.txt"; git add -A; git commit -qm "work of $PAWL_STORY"; echo more >"$PAWL_STORY.more" ;;
esac
slip=${slipDir}/$PAWL_STORY
if [ -n "$PAWL_STORY" ] && [ -e "$slip" ]; then mv "$slip" "$slip.done"; ( eval "$(cat "$slip.done")" ) >/dev/null 2>&1; fi
echo "STATUS: done"
`;
}

async function drive(scene: Scene, person: Person): Promise<{ readonly code: number | null; readonly said: string }> {
  const executor = `command: bash ${join(scene.dir, "agent.sh")}`;
  const args = [program, "run", join(scene.dir, "workflow.yml"), "build it", "--executor", executor];
  const { PATH, TMPDIR } = process.env;
  const env = {
    PATH,
    ...(TMPDIR ? { TMPDIR } : {}),
    HOME: scene.home,
    PAWL_HOME: scene.home,
    GIT_CONFIG_NOSYSTEM: "1",
  };
  const child = spawn(process.execPath, args, { cwd: scene.repo, env, stdio: ["ignore", "pipe", "pipe"] });
  let said = "";
  for (const stream of [child.stdout, child.stderr]) stream.setEncoding("utf8").on("data", (text) => (said += text));
  let code: number | null | undefined;
  const ended = new Promise<void>((resolve) => {
    child.on("close", (exit) => {
      code = exit;
      resolve();
    });
  });
  while (code === undefined) {
    // Not before the run has its base.
    if (existsSync(join(scene.home, "worktrees"))) await person.meddle();
    await Promise.race([sleep(person.restMs()), ended]);
  }
  return { code, said };
}

function check(scene: Scene, person: Person, code: number | null, said: string): readonly string[] {
  const { repo, home } = scene;
  const git = (...args: string[]) => execFileSync("git", args, { cwd: repo, encoding: "utf8" }).trimEnd();
  const found: string[] = [...person.troubles];
  if (code !== 0) found.push(`pawl ended with ${code}`);
  const onMain = new Set(git("ls-tree", "--name-only", "main").split("\n"));
  const elsewhere = new Set(
    git("for-each-ref", "--format=%(refname)", "refs/heads/pawl")
      .split("\n")
      .filter((ref) => ref !== "")
      .flatMap((ref) => git("ls-tree", "--name-only", ref).split("\n")),
  );
  for (const file of person.takenOut) if (onMain.has(file)) found.push(`${file} was taken out and came back`);
  for (const file of person.kept) if (!onMain.has(file)) found.push(`${file} of the person is gone`);
  for (const story of stories) {
    const files = [`${story}.txt`, `${story}.more`];
    const isOut = files.some((file) => person.takenOut.has(file));
    if (isOut && !said.includes(story)) found.push(`that ${story} was taken out was not said`);
    const isSomewhere = files.every((file) => onMain.has(file) || elsewhere.has(file));
    if (!isOut && !isSomewhere) found.push(`${story} is nowhere`);
  }
  const locks = readdirSync(join(repo, ".git"), { recursive: true, encoding: "utf8" }).filter((name) =>
    /\.lock$|^pawl/.test(name),
  );
  if (locks.length > 0) found.push(`left in .git: ${locks.join(", ")}`);
  const trees = git("worktree", "list").split("\n").length;
  if (trees !== 1) found.push(`git lists ${trees} worktrees`);
  const left = readdirSync(join(home, "worktrees")).filter((name) => !name.endsWith(".lock"));
  if (left.length > 0) found.push(`left in the directory of worktrees: ${left.join(", ")}`);
  const refs = git("for-each-ref", "--format=%(refname)", "refs/pawl");
  if (refs !== "") found.push(`refs are left: ${refs.replaceAll("\n", ", ")}`);
  if (git("status", "--porcelain") !== "") found.push(`the checkout is not clean: ${git("status", "--porcelain")}`);
  git("fsck", "--no-dangling");
  return found;
}
