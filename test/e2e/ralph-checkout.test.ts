// The user's own checkout while stories are integrated. It stays as it was, byte for byte, whatever its state and however the run
// fails. Pawl brings it up to date only where that loses nothing.

import { existsSync, readdirSync, readFileSync, statSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { expectCode } from "../support/pawl.ts";
import {
  begun,
  branches,
  expectNothingLeft,
  impatientWorkflow,
  integrated,
  newRalph,
  processesOf,
  type Ralph,
} from "../support/ralph.ts";
import { commitFile, fingerprint, runGit, writeFiles } from "../support/repository.ts";
import { until } from "../support/until.ts";

// 1 succeeds and 2 builds on it; 3 fails after it has changed files, 4 is silent, 5 always conflicts with 1.
const hostile = `
US-001/coding)
  until grep -q '^begin US-005 coding' "$S/journal"; do sleep 0.05; done
  echo one > line.txt; echo work > US-001.txt; commit ;;
US-001/final_review) : > "$S/reviewing"; await_file go ;;
US-002/coding) test -s US-001.txt || exit 1; echo work > US-002.txt; commit ;;
US-003/coding) echo broken > line.txt; commit; echo more >> line.txt; echo new > new.txt; exit 1 ;;
US-004/planning) echo half > half.txt; : > "$S/silent"; sleep 600 ;;
US-005/coding) echo five > line.txt; commit ;;
US-005/final_review) until grep -q '^begin US-002 coding' "$S/journal"; do sleep 0.05; done ;;
US-005/rebase_resolve) true ;;`;

function newHostile(): Ralph {
  const stories = [
    { id: "US-001" },
    { id: "US-002", depends_on: ["US-001"] },
    { id: "US-003" },
    { id: "US-004" },
    { id: "US-005" },
  ];
  const ralph = newRalph(stories, { agent: hostile, shared: "../shared", workflow: impatientWorkflow });
  commitFile(ralph.repo, "line.txt", "zero\n");
  commitFile(ralph.repo, "kept.txt", "kept\n");
  commitFile(ralph.repo, ".gitignore", "*.local\ncache/\n");
  return ralph;
}

/** The driver is killed in the middle; another one resumes, and everything that can fail does. */
async function failEveryWay(ralph: Ralph, ...more: readonly string[]): Promise<string> {
  const first = ralph.startRun("--agents", "5", ...more);
  await until(() => ralph.isThere("reviewing") && ralph.isThere("silent"));
  first.child.kill("SIGKILL");
  await first.ended;
  ralph.release("go");
  const second = await ralph.run();
  expectCode(second, 1);
  const ends = ["US-001", "US-002", "US-003", "US-004", "US-005"].map((id) => ralph.story(id).status);
  expect(ends).toEqual(["completed", "completed", "failed", "failed", "failed"]);
  expect(begun(ralph.journal()).filter((step) => step === "US-005/rebase_resolve")).toHaveLength(2);
  expect(await processesOf(ralph)).toBe(0);
  expect(runGit(ralph.repo, "fsck", "--strict", "--no-dangling")).toBe("");
  expect(runGit(ralph.repo, "worktree", "list").split("\n")).toHaveLength(1);
  return second.stderr;
}

/** Every kind of uncommitted file that a person may have. */
function makeMess(repo: string): void {
  writeFiles(repo, { "README.md": "stashed\n" });
  runGit(repo, "stash", "push", "--quiet");
  writeFiles(repo, { "line.txt": "mine\n", "staged.txt": "staged\n", "both.txt": "staged\n" });
  runGit(repo, "add", "staged.txt", "both.txt");
  runGit(repo, "rm", "--quiet", "--cached", "kept.txt");
  writeFiles(repo, {
    "both.txt": "staged, then changed\n",
    "untracked.txt": "untracked\n",
    "mine.local": "ignored\n",
    "cache/deep/file": "ignored\n",
  });
}

/** The fingerprint, and an operation that git is in the middle of. Branches are checked separately. */
function whole(repo: string): Readonly<Record<string, string>> {
  const { branches: _, ...seen } = fingerprint(repo);
  const operation = join(repo, ".git/rebase-merge");
  const names = existsSync(operation) ? readdirSync(operation, { recursive: true, encoding: "utf8" }) : [];
  const files = names.filter((name) => statSync(join(operation, name)).isFile());
  return { ...seen, ...Object.fromEntries(files.map((name) => [name, readFileSync(join(operation, name), "utf8")])) };
}

const aside = "pawl/1-a-project";
/** Failed work is kept for a retry. */
const leftForRetry = ["ralph/US-003", "ralph/US-004", "ralph/US-005"];

test("[C79 C90 C110 WS1] changed, staged, untracked and ignored files on the base: not a byte changes; the work waits on a branch, and dependants have it", async () => {
  const ralph = newHostile();
  makeMess(ralph.repo);
  const [before, tip] = [whole(ralph.repo), runGit(ralph.repo, "rev-parse", "main")];
  const said = await failEveryWay(ralph);
  expect(whole(ralph.repo)).toEqual(before);
  expect(runGit(ralph.repo, "rev-parse", "main")).toBe(tip);
  expect(branches(ralph.repo)).toEqual(["main", aside, ...leftForRetry]);
  expect(integrated(ralph.repo, aside)).toEqual(["US-001", "US-002"]);
  expect(said).toMatch(/main could not be moved \(.*uncommitted.*git merge pawl\/1-a-project/);

  runGit(ralph.repo, "reset", "--quiet", "--hard");
  runGit(ralph.repo, "merge", "--quiet", "--ff-only", aside);
  expect(integrated(ralph.repo)).toEqual(["US-001", "US-002"]);
});

test("[C79 C90 C110 WS1] another branch checked out, with changes: the base moves, the checkout does not", async () => {
  const ralph = newHostile();
  runGit(ralph.repo, "checkout", "--quiet", "-b", "mine");
  commitFile(ralph.repo, "line.txt", "on my branch\n");
  makeMess(ralph.repo);
  const before = whole(ralph.repo);
  await failEveryWay(ralph, "--base", "main");
  expect(whole(ralph.repo)).toEqual(before);
  expect(branches(ralph.repo)).toEqual(["main", "mine", ...leftForRetry]);
  expect(integrated(ralph.repo)).toEqual(["US-001", "US-002"]);
  expect(runGit(ralph.repo, "show", "main:line.txt")).toBe("one");
});

test("[C79 C90 C110 WS1] the base in the middle of a rebase: it can be finished or aborted as if Pawl had not run", async () => {
  const ralph = newHostile();
  runGit(ralph.repo, "checkout", "--quiet", "-b", "other", "HEAD~1");
  commitFile(ralph.repo, "line.txt", "theirs\n");
  runGit(ralph.repo, "checkout", "--quiet", "main");
  const tip = commitFile(ralph.repo, "line.txt", "ours\n");
  expect(() => runGit(ralph.repo, "rebase", "--quiet", "other")).toThrow(/CONFLICT|could not apply/);
  writeFiles(ralph.repo, { "untracked.txt": "untracked\n" });
  const before = whole(ralph.repo);
  const said = await failEveryWay(ralph, "--base", "main");
  expect(whole(ralph.repo)).toEqual(before);
  expect(said).toMatch(/main could not be moved \(.*in the middle of a rebase/);
  runGit(ralph.repo, "rebase", "--abort");
  expect(runGit(ralph.repo, "rev-parse", "HEAD")).toBe(tip);
  expect(runGit(ralph.repo, "status", "--porcelain")).toBe("?? untracked.txt");
  expect(integrated(ralph.repo, aside)).toEqual(["US-001", "US-002"]);
});

test("[C90 C92] a clean checkout of the base is brought up to date, and untracked and ignored files in it stay", async () => {
  const ralph = newRalph([{ id: "US-001" }, { id: "US-002", depends_on: ["US-001"] }], { shared: "../shared" });
  commitFile(ralph.repo, ".gitignore", "*.local\n");
  writeFiles(ralph.repo, { "untracked.txt": "untracked\n", "mine.local": "ignored\n" });
  const before = fingerprint(ralph.repo);
  const ran = await ralph.run();
  expectCode(ran, 0);
  expect(ran.stderr).toContain("The work is on branch main.");
  const after = fingerprint(ralph.repo);
  for (const name of ["README.md", "untracked.txt", "mine.local", ".git/HEAD", ".git/config", ".git/info/exclude"])
    expect({ [name]: after[name] }).toEqual({ [name]: before[name] });
  expect(readFileSync(join(ralph.repo, "US-002.txt"), "utf8")).toBe("work on US-002\n");
  expect(runGit(ralph.repo, "status", "--porcelain")).toBe("?? untracked.txt");
  await expectNothingLeft(ralph);
});

test("[C90] a story does not overwrite an ignored file of the user's: the work waits on a branch", async () => {
  const ralph = newRalph([{ id: "US-001" }], {
    agent: "US-001/coding) echo theirs > my.local; git add -f my.local; commit ;;",
    shared: "../shared",
  });
  commitFile(ralph.repo, ".gitignore", "*.local\n");
  writeFiles(ralph.repo, { "my.local": "mine\n" });
  const before = whole(ralph.repo);
  const ran = await ralph.run();
  expectCode(ran, 0);
  expect(whole(ralph.repo)).toEqual(before);
  expect(ran.stderr).toMatch(/my\.local exists and is not in git/);
  expect(ran.stderr).toContain(`The work is on branch ${aside}.`);
  expect(integrated(ralph.repo, aside)).toEqual(["US-001"]);
  await expectNothingLeft(ralph, ["main", aside]);
});

test("[C90 C92] a commit that the user makes on the base meanwhile stays; the story being integrated is checked again on top of it", async () => {
  const ralph = newRalph([{ id: "US-001" }, { id: "US-002", depends_on: ["US-001"] }], { shared: "../shared" });
  const dir = ralph.path();
  // The first check belongs to the review, the second to the integration.
  const suite = `ls *.txt > '${dir}'/seen-$(ls '${dir}' | grep -c ^seen-); [ ! -e '${dir}/seen-1' ] || [ -e '${dir}/go' ] || {
    : > '${dir}/integrating'; until [ -e '${dir}/go' ]; do sleep 0.05; done; }`;
  const driver = ralph.startRun("--test", suite);
  await until(() => ralph.isThere("integrating"));
  const mine = commitFile(ralph.repo, "mine.txt", "mine\n");
  ralph.release("go");
  expectCode(await driver.ended, 0);
  expect(runGit(ralph.repo, "rev-parse", "main~2")).toBe(mine);
  expect(integrated(ralph.repo)).toEqual(["US-001", "US-002"]);
  expect(readFileSync(ralph.path("seen-1"), "utf8")).toBe("US-001.txt\n");
  expect(readFileSync(ralph.path("seen-2"), "utf8")).toBe("US-001.txt\nmine.txt\n");
  expect(begun(ralph.journal()).filter((step) => step.endsWith("/rebase_resolve"))).toEqual([]);
  await expectNothingLeft(ralph);
});
