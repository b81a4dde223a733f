// `pawl story` and `pawl revert` from the command line: what people see, exit codes, the PRD, and a revert that is killed in the middle.

import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { expect, test } from "vitest";
import { expectCode, startPawl } from "../support/pawl.ts";
import { begun, integrated, newRalph, slowGit } from "../support/ralph.ts";
import { log, runGit } from "../support/repository.ts";
import { until } from "../support/until.ts";

const tiny = `
pawl: 1
protocol: ralph
id: tiny-ralph
agents: { worker: {} }
steps:
  - id: stories
    stories: { workspace: worktree, concurrency: 1 }
    on_story_failed: continue
    body:
      - { id: coding, agent: worker, summary: true, input: "{{current_story}}" }
      - { id: land, integrate: { message: "feat(ralph): {{story}} - {{title}}" } }
`;

test("[SC1 SC2 SC3 SC4 SC5 SC6] story add, edit, move, skip and drop while another story is at work, and the file run again", async () => {
  const ids = ["A", "B", "C", "D", "E"];
  const ralph = newRalph(
    ids.map((id) => ({ id })),
    { workflow: tiny, agent: "A/coding) await_file go; echo A > A.txt; commit ;;" },
  );
  const run = ralph.startRun();
  await until(() => begun(ralph.journal()).includes("A/coding"));
  const story = async (code: number, ...args: readonly string[]) => {
    const called = await ralph.pawl("story", ...args);
    expectCode(called, code);
    return called.stderr;
  };
  const evil = "Find\u001B[31m\u0007\u202E\n it";
  expect(await story(0, "add", "1", "--id", "F", "--title", evil, "--after", "C", "--priority", "3")).toBe(
    "F is added. Not started, in this order: F, B, C, D, E\n",
  );
  expect(await story(6, "add", "1", "--id", "f", "--title", "Twice")).toContain("story f is there already");
  expect(await story(2, "add", "1", "--id", "G", "--title", "G", "--priority", "")).toContain("a priority is a number");
  expect(await story(2, "edit", "1", "B", "--description", "x", "--file", ralph.prd)).toContain("both --description");
  expect(await story(2, "edit", "1", "B")).toContain("nothing to change was given");
  expect(await story(0, "edit", "1", "B", "--title", "Sort", "--criteria", "newest first")).toContain(
    "B has other words",
  );
  expect(await story(0, "move", "1", "D", "--before", "B")).toContain("F, D, B, C, E");
  expect(await story(2, "move", "1", "D", "--first", "--after", "B")).toContain("one of --first, --before and --after");
  expect(await story(5, "move", "1", "D", "--after", "b")).toContain("did you mean B?");
  expect(await story(0, "skip", "1", "C", "--reason", "not now")).toContain("C is left out");
  expect(await story(0, "drop", "1", "E")).toContain("E counts as failed");
  for (const args of [
    ["edit", "1", "A", "--title", "x"],
    ["move", "1", "A", "--first"],
    ["skip", "1", "A"],
  ])
    expect(await story(6, ...args)).toContain("story A is running");

  ralph.release("go");
  expectCode(await run.ended, 1);
  expect(integrated(ralph.repo)).toEqual(["A", "F", "D", "B"]);
  expect(log(ralph.repo)).toEqual(expect.arrayContaining(["feat(ralph): F - Find [31m it", "feat(ralph): B - Sort"]));
  const passes = () =>
    (JSON.parse(readFileSync(ralph.prd, "utf8")) as { userStories: { id: string; passes: boolean }[] }).userStories
      .filter((each) => each.passes)
      .map(({ id }) => id);
  expect(passes()).toEqual(["A", "B", "D"]);
  expect((await ralph.pawl("stories", "1")).stdout).toMatch(/^C \[done\] .*\(left out by a person\)$/m);
  expect((await ralph.pawl("status", "1")).stdout).toContain("4 of 6 stories done, 1 left out or taken back");
  expect(await story(6, "skip", "1", "B")).toContain("nothing was changed");

  // What was dropped is tried again with its run; what was left out waits for the next run of the file.
  expectCode(await ralph.pawl("retry", "1"), 0);
  expectCode(await ralph.run(), 0);
  expect(passes()).toEqual(["A", "B", "D", "E"]);
  expectCode(await ralph.run(), 0);
  expect(integrated(ralph.repo)).toEqual(["A", "F", "D", "B", "E", "C"]);
  expect(passes()).toEqual(ids);
});

// Before: the files are written and the branch is not moved. After: the branch is moved, and neither its index nor the record.
test.each([
  ["before", "*update-ref*--stdin*) kill -9 $PPID; exit 1 ;;"],
  ["after", '*update-ref*--stdin*) PATH=${PATH#*:} git "$@"; kill -9 $PPID; exit 1 ;;'],
])(
  "[RV1 RV7] revert is killed %s the branch moves: the next try ends with one commit and every file of the user",
  async (when, kill) => {
    const ralph = newRalph([{ id: "A" }, { id: "B" }], { workflow: tiny });
    expectCode(await ralph.run(), 0);
    const before = log(ralph.repo);
    writeFileSync(`${ralph.repo}/mine.txt`, "mine\n");
    const options = { home: ralph.home, cwd: ralph.repo, env: slowGit(kill) };
    const killed = startPawl(["revert", "1", "A"], options);
    await killed.ended;
    expect(killed.child.signalCode).toBe("SIGKILL");
    expect(log(ralph.repo).length - before.length).toBe(when === "before" ? 0 : 1);

    expectCode(await ralph.pawl("revert", "1", "A"), 0);
    expect(log(ralph.repo)).toEqual(['Revert "feat(ralph): A - Title of A"', ...before]);
    expect(runGit(ralph.repo, "status", "--porcelain")).toBe("?? mine.txt");
    expect([existsSync(`${ralph.repo}/A.txt`), readFileSync(`${ralph.repo}/mine.txt`, "utf8")]).toEqual([
      false,
      "mine\n",
    ]);
    expectCode(await ralph.pawl("revert", "1", "A"), 6);
  },
);
