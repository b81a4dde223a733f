// The scene of a chaos test: a store, a repository, a workflow and agents that misbehave, all in one directory, and what a finished
// run must look like. Agents are shell scripts, so that each is fast and each of its git commands is a process that a kill can
// interrupt.

import { execFileSync } from "node:child_process";
import { createHash } from "node:crypto";
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, realpathSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

export interface Scene {
  readonly dir: string;
  readonly home: string;
  readonly repo: string;
  readonly workflow: string;
  readonly script: string;
  readonly act: string;
  /** Agents write a line here before and after everything they do: an audit log independent of the store. */
  readonly audit: string;
  readonly storeFile: string;
  /** What the user's checkout looked like before anything ran. */
  readonly checkout: string;
}

export const pawl = fileURLToPath(new URL("../../bin/pawl", import.meta.url));

/** The stories of every run, in order. `rejected`: the verifier sends it back once. */
export const stories = [
  { id: "US-001", title: "Leave a background process", rejected: false },
  { id: "US-002", title: "Be sent back once", rejected: true },
  { id: "US-003", title: "Leave a session of its own", rejected: false },
  { id: "US-004", title: "Be sent back once more", rejected: true },
  { id: "US-005", title: "Come last", rejected: false },
] as const;

export const subjectOf = (story: { id: string; title: string }) => `feat: ${story.id} - ${story.title}`;

/** All files of a finished run's branch. */
export function expectedFiles(): Readonly<Record<string, string>> {
  return {
    "README.md": "# a project\n",
    "ledger.txt": stories.map(({ id }) => `${id}\n`).join(""),
    ...Object.fromEntries(stories.map(({ id }) => [`work/${id}.txt`, `${id} final\n`])),
  };
}

export function makeScene(): Scene {
  const dir = realpathSync(mkdtempSync(join(tmpdir(), "pawl-chaos-")));
  const at = (name: string) => join(dir, name);
  mkdirSync(at("repo"));
  writeFileSync(at("workflow.yml"), workflow);
  writeFileSync(at("act.sh"), actions);
  writeFileSync(at("script.yml"), scriptFor(at("act.sh"), dir));
  writeFileSync(at("audit.log"), "");
  const repo = at("repo");
  git(repo, "init", "--quiet", "--template=", "--initial-branch=main");
  writeFileSync(
    join(repo, ".git/config"),
    `${readFileSync(join(repo, ".git/config"), "utf8")}[user]\n\tname = User\n\temail = user@example.invalid\n`,
  );
  writeFileSync(join(repo, "README.md"), "# a project\n");
  git(repo, "add", "--all");
  git(repo, "commit", "--quiet", "--message=first");
  // Uncommitted work of the user's, which must not change.
  writeFileSync(join(repo, "notes.txt"), "not yet committed\n");
  writeFileSync(join(repo, "README.md"), "# a project, being changed\n");
  return {
    dir,
    home: at("home"),
    repo,
    workflow: at("workflow.yml"),
    script: at("script.yml"),
    act: at("act.sh"),
    audit: at("audit.log"),
    storeFile: join(at("home"), "pawl.db"),
    checkout: checkoutOf(repo),
  };
}

/** What a user sees of the checkout: files, index, HEAD, main. Branches of runs are not in it. */
export function checkoutOf(repo: string): string {
  const hash = createHash("sha256");
  for (const name of readdirSync(repo).toSorted()) {
    if (name !== ".git") hash.update(`${name}\0${readFileSync(join(repo, name), "utf8")}\0`);
  }
  for (const name of ["HEAD", "index", "config"]) hash.update(readFileSync(join(repo, ".git", name)));
  hash.update(git(repo, "rev-parse", "main"));
  hash.update(git(repo, "--no-optional-locks", "status", "--porcelain=v2"));
  hash.update(git(repo, "stash", "list"));
  return hash.digest("hex");
}

export function git(cwd: string, ...args: readonly string[]): string {
  const env = { ...process.env, LC_ALL: "C", GIT_TERMINAL_PROMPT: "0" };
  return execFileSync("git", args, { cwd, env, encoding: "utf8", stdio: ["ignore", "pipe", "pipe"] });
}

// The budget is exactly what the plan needs: one extra rejection fails the run. Agents that are killed have failed: they run again, in
// the tree that they began with.
const killed = "on_error: { again, at_most: 1000, then: fail }";
const workflow = `pawl: 1
id: chaos
caps: { lost: 1000 }
workspace: { on_failure: reset }
agents: { planner: {}, developer: {}, verifier: {} }
steps:
  - id: plan
    agent: planner
    ${killed}
    input: "{{task}}"
  - id: implement
    stories: {}
    story_budget: { at_most: 1, then: fail }
    body:
      - id: implement
        agent: developer
        input: "{{current_story}} {{verify_feedback}}"
        ${killed}
      - id: verify
        agent: verifier
        input: "{{current_story}}"
        on: { rejected: { back_to: implement } }
        ${killed}
  - id: inspect
    command: test -z "$(git status --porcelain)" && test "$(wc -l < ledger.txt)" -eq ${stories.length}
    on: { rejected: { fail: "the tree is not as the stories left it" } }
    ${killed}
`;

const isRejected = stories
  .filter(({ rejected }) => rejected)
  .map(({ id }) => id)
  .join("|");

// Whether a story was rejected before is read from the tree, never from the number of the attempt: attempts may be lost. An
// agent whose driver died can run for longer than it takes to start another driver.
const actions = `set -eu
scene=$1
note() { echo "$1 $PAWL_ATTEMPT_ID $PAWL_RUN \${PAWL_STORY:-run} $PAWL_STEP" >> "$scene/audit.log"; }
chance=$(printf %s "$PAWL_ATTEMPT_ID" | cksum | cut -d' ' -f1)
pause() { sleep "0.$(printf %03d $((17 + chance % 84)))"; }
commit() { git -c user.name=Agent -c user.email=agent@example.invalid commit --quiet "$@"; }
note begin
pause
case $PAWL_STEP in
plan)
  echo 'STATUS: done'
  echo 'STORIES_JSON: ${JSON.stringify(stories.map(({ id, title }) => ({ id, title, description: "as it says", acceptanceCriteria: ["its file is final"] })))}'
  ;;
implement)
  subject="feat: $PAWL_STORY - $PAWL_STORY_TITLE"
  case $PAWL_STORY in ${isRejected}) state=draft ;; *) state=final ;; esac
  mkdir -p work
  if [ $((chance % 4)) -eq 0 ]; then sleep 1.5; fi
  if [ $state = draft ] && [ "$(git log -1 --format=%s)" = "$subject" ]; then
    echo "$PAWL_STORY final" > "work/$PAWL_STORY.txt"
    note amend
    pause
    git add --all
    commit --amend --no-edit
  else
    echo "$PAWL_STORY $state" > "work/$PAWL_STORY.txt"
    echo "$PAWL_STORY" >> ledger.txt
    note commit
    pause
    git add --all
    commit --message="$subject"
  fi
  case $PAWL_STORY in
  US-001 | US-005) sleep 600 & ;;
  US-003)
    (setsid sh -c 'sleep 2.5; echo late > late.txt; exec sleep 600' > /dev/null 2>&1 &)
    ;;
  esac
  pause
  note end
  echo 'STATUS: done'
  ;;
verify)
  if [ -n "$(git status --porcelain)" ]; then
    echo 'STATUS: retry'
    echo "ISSUES: the tree is not clean: $(git status --porcelain)"
  elif grep -q draft "work/$PAWL_STORY.txt"; then
    echo 'STATUS: retry'
    echo 'ISSUES: it is a draft'
  else
    echo 'STATUS: done'
  fi
  note end
  ;;
esac
`;

function scriptFor(act: string, dir: string): string {
  const run = JSON.stringify([`sh ${act} ${dir}`]);
  return `steps:\n${["plan", "implement", "verify"]
    .map((step, index) => `  ${step}:\n    - delay: ${[50, 120, 60][index]}\n      run: ${run}\n`)
    .join("")}`;
}
