// Stories in parallel on real git: what reaches the base, in which order, which stories run at the same time, and what is left.

import { readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { expectCode, pawl, statuses } from "../support/pawl.ts";
import {
  begun,
  commitFiles,
  configure,
  expectGreen,
  expectNothingLeft,
  integrated,
  mostAtOnce,
  newRalph,
  type PrdStory,
  slowGit,
} from "../support/ralph.ts";
import { log, runGit, writeFiles } from "../support/repository.ts";
import { until } from "../support/until.ts";

/** A story's id by its number. */
function id(number: number): string {
  return `US-${String(number).padStart(3, "0")}`;
}

// 1 leads to 4 and 5, both to 6; 6 leads to 10 and 11, both to 12.
const dependencies: Readonly<Record<number, readonly number[]>> = {
  4: [1],
  5: [1],
  6: [4, 5],
  10: [6],
  11: [6],
  12: [10, 11],
};

const twelve: readonly PrdStory[] = Array.from({ length: 12 }, (_, index) => ({
  id: id(index + 1),
  title: `Part ${index + 1}`,
  depends_on: (dependencies[index + 1] ?? []).map(id),
}));

const needed = twelve
  .filter(({ depends_on = [] }) => depends_on.length > 0)
  .map(
    (story) =>
      `  ${story.id}) for name in ${story.depends_on?.join(" ")}; do test -s parts/$name.txt || exit 1; done ;;`,
  )
  .join("\n");

// 2 with 3, and 10 with 11, change the same line; none of them begins to code before the other has its tree.
// The first four continue only when all of them run: with fewer at once, none would ever end.
const twelveAgent = `
*/planning)
  mkdir -p "$PAWL_SHARED/workflow_edits"
  skip() { printf '{"operation":"skip","target_step_id":"%s","reason":"small"}' "$1"; }
  printf '[%s,%s,%s]' "$(skip step-003)" "$(skip step-004)" "$(skip step-009)" > "$PAWL_SHARED/workflow_edits/$PAWL_STORY.json" ;;
*/coding)
  case "$PAWL_STORY" in
${needed}
  esac
  case "$PAWL_STORY" in
  US-001 | US-007) await_begun 4 coding ;;
  US-002) await_begun 4 coding; sed -i 's/^first:/& two/' shared.txt ;;
  US-003) await_begun 4 coding; sed -i 's/^first:/& three/' shared.txt ;;
  US-010) until grep -q '^begin US-011 coding' "$S/journal"; do sleep 0.05; done; sed -i 's/^second:/& ten/' shared.txt ;;
  US-011) until grep -q '^begin US-010 coding' "$S/journal"; do sleep 0.05; done; sed -i 's/^second:/& eleven/' shared.txt ;;
  esac
  mkdir -p parts; echo "$PAWL_STORY" > "parts/$PAWL_STORY.txt"; commit ;;
*/rebase_resolve)
  keep_both
  one_line() { echo "$1:$(sed -n "s/^$1://p" shared.txt | tr ' ' '\\n' | sort -u | tr '\\n' ' ')"; }
  { one_line first; echo; echo; echo; one_line second; } > shared.new && mv shared.new shared.txt
  commit ;;
`;

// A careless merge leaves the same line twice.
const twelveSuite = `
set -e
test "$(grep -c '^first:' shared.txt)" = 1
test "$(grep -c '^second:' shared.txt)" = 1
for file in parts/*.txt; do grep -qx "$(basename "$file" .txt)" "$file"; done
`;

test("[C1 C86 C90 C91 C92 C97 RC15] twelve stories with a diamond, four agents, two pairs that change the same line: one green commit each, and nothing else is left", async () => {
  const ralph = newRalph(twelve, { workflow: null, agent: twelveAgent, prd: "repo/prd.json" });
  commitFiles(ralph, {
    "shared.txt": "first:\n\n\n\nsecond:\n",
    "suite.sh": twelveSuite,
    "parts/base.txt": "base\n",
  });
  const before = runGit(ralph.repo, "rev-parse", "HEAD");
  const prd = readFileSync(ralph.prd, "utf8");
  expectCode(await ralph.run("--agents", "4", "--test", "sh suite.sh"), 0);

  expect(log(ralph.repo, `${before}..main`).toSorted()).toEqual(
    twelve.map((story) => `feat(ralph): ${story.id} - ${story.title}`).toSorted(),
  );
  expect(runGit(ralph.repo, "rev-list", "--merges", "main")).toBe("");
  const order = integrated(ralph.repo);
  for (const { id: story, depends_on = [] } of twelve)
    for (const other of depends_on) expect(order.indexOf(other)).toBeLessThan(order.indexOf(story));
  expectGreen(ralph.repo, `${before}..main`);
  const shared = readFileSync(`${ralph.repo}/shared.txt`, "utf8");
  for (const word of ["two", "three", "ten", "eleven"]) expect(shared).toContain(` ${word}`);

  const journal = ralph.journal();
  expect(mostAtOnce(journal)).toBe(4);
  for (const { id: story } of twelve) expect(mostAtOnce(journal.filter((entry) => entry.story === story))).toBe(1);
  const resolved = begun(journal).filter((step) => step.endsWith("/rebase_resolve"));
  expect(resolved).toHaveLength(2);
  for (const step of resolved) {
    const { steps } = ralph.story(step.split("/", 1)[0] ?? "");
    expect(steps.slice(-2).map(({ type, status }) => `${type} ${status}`)).toEqual([
      "rebase_resolve completed",
      "final_review completed",
    ]);
    expect(begun(journal).filter((other) => other === step.replace("rebase_resolve", "final_review"))).toHaveLength(2);
  }
  expect(begun(journal)).toHaveLength(12 * 7 + 2 * 2);

  expect(readFileSync(ralph.prd, "utf8")).toBe(prd.replaceAll('"passes": false', '"passes": true'));
  expect(runGit(ralph.repo, "status", "--porcelain")).toBe(" M prd.json");
  await expectNothingLeft(ralph);
});

test("[C90 C91 C110] a story whose suite fails only together with the others' work is resolved before it reaches the base", async () => {
  // One renames what the other begins to use: git sees no conflict.
  const ralph = newRalph([{ id: "US-001" }, { id: "US-002" }], {
    agent: `
US-001/coding) await_begun 2 coding; sed -i 's/hello/greet/' lib.sh use-*.sh; commit ;;
US-002/coding) await_begun 2 coding; echo '. ./lib.sh; hello' > use-new.sh; commit ;;
*/rebase_resolve) git rebase -q main; sed -i 's/hello/greet/' lib.sh use-*.sh; commit ;;`,
  });
  commitFiles(ralph, {
    "lib.sh": "hello() { true; }\n",
    "use-old.sh": ". ./lib.sh; hello\n",
    "suite.sh": "set -e; for file in use-*.sh; do sh $file; done\n",
  });
  expectCode(await ralph.run("--agents", "2", "--test", "sh suite.sh"), 0);
  expect(integrated(ralph.repo).toSorted()).toEqual(["US-001", "US-002"]);
  expectGreen(ralph.repo, "main~2..main");
  expect(begun(ralph.journal()).filter((step) => step.endsWith("/rebase_resolve"))).toHaveLength(1);
  const [red] = (await ralph.events()).filter(({ type, verdict }) => type === "attempt_ended" && isRedCheck(verdict));
  expect(String(red?.["why"])).toContain("a check is red");
  await expectNothingLeft(ralph);
});

function isRedCheck(verdict: unknown): boolean {
  return JSON.stringify(verdict) === JSON.stringify({ kind: "rejected", reason: "checks" });
}

test("[C82 C93 C94 C95 C107] a failed story blocks what depends on it and nothing else, with exit code 1; retry unblocks it", async () => {
  const stories = [
    { id: "US-001" },
    { id: "US-002", depends_on: ["US-001"] },
    { id: "US-003", depends_on: ["US-002"] },
    { id: "US-004" },
    { id: "US-005", depends_on: ["US-004"] },
  ];
  const ralph = newRalph(stories, { agent: `US-001/coding) [ -e "$S/mended" ] || exit 1; echo 1 > one.txt ;;` });
  const failed = await ralph.run("--agents", "2");
  expectCode(failed, 1);
  expect(failed.stderr).toContain("US-001");
  expect(statuses((await ralph.status()).stories)).toBe(
    "US-001:failed,US-002:blocked,US-003:blocked,US-004:done,US-005:done",
  );
  expect([ralph.story("US-001").status, ralph.story("US-003").status]).toEqual(["failed", "blocked"]);
  expect(integrated(ralph.repo)).toEqual(["US-004", "US-005"]);

  ralph.release("mended");
  expectCode(await ralph.pawl("retry", "1", "--story", "US-001"), 0);
  expectCode(await ralph.pawl("resume", "1"), 0);
  expect(integrated(ralph.repo)).toEqual(["US-004", "US-005", "US-001", "US-002", "US-003"]);
  expect(begun(ralph.journal()).filter((step) => step === "US-004/coding")).toHaveLength(1);
  await expectNothingLeft(ralph);
});

test("[C84 ST3 ST13] of the stories that can begin, the lowest priority begins; those that touch the same paths wait for each other while there is other work", async () => {
  const ralph = newRalph(
    [
      { id: "US-001", priority: 3, touches: ["src/b/**"] },
      { id: "US-002", priority: 1, touches: ["src/a"] },
      { id: "US-003", priority: 2, touches: ["src/a/one.ts"] },
      { id: "US-004", priority: 0, depends_on: ["US-001"] },
    ],
    { agent: "US-002/coding) await_begun 2 coding; commit ;;" },
  );
  expectCode(await ralph.run("--agents", "2"), 0);
  const coded = begun(ralph.journal()).filter((step) => step.endsWith("/coding"));
  expect(coded.slice(0, 2).toSorted()).toEqual(["US-001/coding", "US-002/coding"]);

  const alone = newRalph(
    [
      { id: "US-001", touches: ["src/a"] },
      { id: "US-002", touches: ["src/a"] },
    ],
    { agent: "*/coding) await_begun 2 coding; commit ;;" },
  );
  expectCode(await alone.run("--agents", "2"), 0);
  expect(mostAtOnce(alone.journal())).toBe(2);
});

test("[C78 C87 C89 PF8] each slot has its own name, ports and variables; files from setup and copied files are there, and in no commit", async () => {
  const ralph = newRalph([{ id: "US-001" }, { id: "US-002" }, { id: "US-003", depends_on: ["US-001", "US-002"] }], {
    agent: `
*/coding)
  [ "$PAWL_STORY" = US-003 ] || await_begun 2 coding
  grep -q secret .env && grep -q local config/my.local.yml && grep -q installed deps/log && [ -e made ] || exit 1
  echo "$COMPOSE_PROJECT_NAME $PAWL_SLOT $PAWL_PORT $PAWL_PORTS $DATABASE_URL" > "$S/env-$PAWL_STORY"
  git branch --show-current > "$S/branch-$PAWL_STORY"
  echo work > "$PAWL_STORY.txt"; commit ;;`,
  });
  commitFiles(ralph, { ".gitignore": "deps/\n" });
  writeFiles(ralph.repo, { ".env": "secret=1\n", "config/my.local.yml": "local: true\n" });
  configure(
    ralph,
    `
workspace:
  setup: ["mkdir -p deps && echo installed >> deps/log", "touch made"]
  copy: [.env, "config/*.local.yml"]
  ports: 2
  env: { DATABASE_URL: "postgres://localhost/app_{{slot}}" }
`,
  );
  expectCode(await ralph.run("--agents", "2"), 0);
  const told = (story: string) =>
    readFileSync(ralph.path(`env-${story}`), "utf8")
      .trim()
      .split(" ");
  const [one, two] = [told("US-001"), told("US-002")];
  for (const [project, slot, port, ports = "", database] of [one, two]) {
    expect(project).toBe(`ralph_agent_${slot}`);
    expect(database).toBe(`postgres://localhost/app_${slot}`);
    expect(ports.split(",")).toHaveLength(2);
    expect(ports.split(",")[0]).toBe(port);
  }
  expect(new Set([...(one[3] ?? "").split(","), ...(two[3] ?? "").split(",")]).size).toBe(4);
  expect(new Set([one[1], two[1]])).toEqual(new Set(["1", "2"]));
  expect(readFileSync(ralph.path("branch-US-001"), "utf8")).toBe("ralph/US-001\n");
  const files = [".gitignore", "README.md", "US-001.txt", "US-002.txt", "US-003.txt"];
  expect(runGit(ralph.repo, "ls-tree", "-r", "--name-only", "main").split("\n")).toEqual(files);
  await expectNothingLeft(ralph);
});

test("[DR9] a run waits for a tree that is still being made; a run that fails before all of them are made leaves none", async () => {
  const ralph = newRalph([{ id: "US-001" }, { id: "US-002", depends_on: ["US-001"] }], {
    agent: `US-001/planning) [ -e "$S/mended" ] || exit 1 ;;`,
  });
  const env = slowGit("*worktree*add*-1*) sleep 0.3 ;; *worktree*add*-2*) sleep 1.5 ;;");
  expectCode(await pawl([...ralph.args, "--agents", "2"], { home: ralph.home, cwd: ralph.repo, env }), 1);
  expect(ralph.story("US-001").steps[0]).toMatchObject({
    type: "planning",
    error: expect.stringContaining("exit code 1"),
  });
  expect(runGit(ralph.repo, "worktree", "list").split("\n")).toHaveLength(1);

  ralph.release("mended");
  expectCode(await ralph.pawl("retry", "1"), 0);
  expectCode(await pawl(["resume", "1"], { home: ralph.home, cwd: ralph.repo, env }), 0);
  expect(integrated(ralph.repo)).toEqual(["US-001", "US-002"]);
  await expectNothingLeft(ralph);
});

test("[DR10] with low disk space a story that has begun continues, no other begins, and a warning says so; with more space they begin", async () => {
  const ralph = newRalph([{ id: "US-001" }, { id: "US-002" }], {
    agent: `US-001/coding) : > "$S/coding"; await_file go; echo 1 > one.txt ;;`,
  });
  const first = ralph.startRun("--agents", "1");
  await until(() => ralph.isThere("coding"));
  first.child.kill("SIGINT");
  expectCode(await first.ended, 130);

  configure(ralph, "workspace: { min_free: 900TB }\n");
  ralph.release("go");
  const full = ralph.start("resume", "1");
  await until(() => integrated(ralph.repo).includes("US-001"));
  await until(() => full.stderr().includes("no new story begins"));
  expect((await ralph.status()).run.status).toBe("running");
  expect(begun(ralph.journal()).filter((step) => step.startsWith("US-002"))).toEqual([]);
  const why = (await ralph.pawl("why", "1")).stdout;
  expect(why).toMatch(/^US-002: \w+ waits for disk space: only \d+ MB are free .*workspace\.min_free/);
  full.child.kill("SIGINT");
  expectCode(await full.ended, 130);
  expect(full.stderr().match(/no new story begins/g)).toHaveLength(1);

  configure(ralph, "workspace: { min_free: 0 }\n");
  expectCode(await ralph.pawl("resume", "1"), 0);
  expect(integrated(ralph.repo)).toEqual(["US-001", "US-002"]);
});

test("[CM164] of a run that works on, why names each open question and how to answer it", async () => {
  const ralph = newRalph([{ id: "US-001" }, { id: "US-002" }], {
    agent: `*/coding) : > "$S/$PAWL_STORY"; await_file go; echo "$PAWL_STORY" > "$PAWL_STORY.txt" ;;`,
  });
  const driver = ralph.startRun("--agents", "2");
  await until(() => ralph.isThere("US-001") && ralph.isThere("US-002"));
  expectCode(await ralph.pawl("stop", "1", "--story", "US-001"), 0);
  const lines = async () => (await ralph.pawl("why", "1")).stdout.split("\n");
  await expect.poll(async () => (await lines()).filter((line) => line.startsWith("? "))).toHaveLength(1);
  const [doing = "", question = "", cause = "", answer = ""] = await lines();
  expect(doing).toContain("US-002: coding is running");
  expect(question).toContain("coding");
  expect(cause).toBe("  because a person stopped it");
  const [, gate = "", options = ""] = /^ {2}pawl answer (\S+) (\S+)$/.exec(answer) ?? [];
  ralph.release("go");
  expectCode(await ralph.pawl("answer", gate, options.split("|")[0] ?? ""), 0);
  expectCode(await driver.ended, 0);
});
