// An attempt in a sandbox, from the command line: what it cannot read and move, and that its work counts all the same.

import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { expectCode, newSite, pawl, type StatusDocument, writeAt } from "../support/pawl.ts";
import { runGit } from "../support/repository.ts";
import { problem, visibleDir } from "../support/sandboxes.ts";

const workflow = `pawl: 1
id: boxed
agents: { dev: {} }
steps: [{ id: work, agent: dev, input: "work" }]
`;

test.skipIf(problem !== null)(
  "[EX97 EX98] an agent in a sandbox reads no store and moves no branch of the user",
  async () => {
    const site = newSite();
    const stored = visibleDir();
    const store = join(stored, "mine.db");
    runGit(site.repo, "branch", "keep");
    runGit(site.repo, "pack-refs", "--all");
    const before = runGit(site.repo, "for-each-ref", "refs/heads");
    const tries = [
      `cat '${store}'`,
      `cat '${store}-wal'`,
      `cat "$PAWL_SHARED/config.yml"`,
      `ls "$PAWL_SHARED/logs"`,
      "git update-ref refs/heads/main HEAD",
      "git branch -D keep",
      "git branch mine",
    ];
    writeFileSync(
      site.path("agent.sh"),
      `echo work > work.txt && git add . && git -c user.name=A -c user.email=a@example.invalid commit -q -m work || exit 1
${tries.map((text, index) => `{ ${text} | grep -q . || test "$(git rev-parse main)" = "$(git rev-parse HEAD)"; } 2> /dev/null && exit ${index + 10}`).join("\n")}
git branch | cat >&2
echo "STATUS: done"
`,
    );
    writeFileSync(
      join(site.home, "config.yml"),
      `executors: { box: { command: [sh, ${site.path("agent.sh")}], sandbox: bwrap } }\n`,
    );
    const args = ["run", writeAt(site, "boxed.yml", workflow), "a task", "--executor", "box", "--json"];
    const run = await pawl([...args, "--store", `sqlite:${store}`], { home: site.home, cwd: site.repo });
    expectCode(run, 0);
    const { steps } = JSON.parse(run.stdout) as StatusDocument;
    expect(steps.map(({ attempts, notes }) => [attempts, notes])).toEqual([[1, []]]);
    const after = runGit(site.repo, "for-each-ref", "refs/heads").split("\n");
    expect(after.filter((line) => !line.includes("refs/heads/pawl/")).join("\n")).toBe(before);
    expect(runGit(site.repo, "log", "--format=%s", "pawl/1-a-task")).toBe("work\nfirst");
  },
);

test.skipIf(problem === null)(`sandboxes were not tried: ${problem?.what}`, () => {
  expect(problem).not.toBeNull();
});
