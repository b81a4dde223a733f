// What can be wrong before and while a PRD runs: the file, the repository, its hooks and filters, the paths that Pawl uses. Each
// problem gets a clear message and its documented exit code, prints no stack trace, and loses nothing.

import { chmodSync, existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { type Called, expectCode, newSite, pawl } from "../support/pawl.ts";
import { type PrdSite, prdSite, writePrd } from "../support/prd.ts";
import {
  commitFile,
  configureUser,
  fingerprint,
  log,
  makeRepository,
  runGit,
  writeFiles,
} from "../support/repository.ts";

const stories = [{ id: "US-001" }, { id: "US-002" }];
const short = JSON.stringify(
  ["step-003", "step-004", "step-007", "step-008", "step-009"].map((target_step_id) => ({
    operation: "skip",
    target_step_id,
    reason: "small",
  })),
);
/** Uncommitted work is integrated, too; hooks of the project do not run. */
const acts = { planning: `edits '${short}'`, coding: 'echo work > "$PAWL_STORY.txt"' };
const bothDone = ["feat(ralph): US-001 - Title of US-001", "feat(ralph): US-002 - Title of US-002"];

/** A person cannot act on a stack trace. */
function expectWords(called: Called, code: number, ...words: readonly string[]): void {
  expectCode(called, code);
  expect(called.stderr).not.toMatch(/DEFECT|^\s+at /m);
  for (const word of words) expect(called.stderr).toContain(word);
  expect(called.stderr.includes("hint: ")).toBe(code > 1);
}

test("[C14 C15 RA7 RA8 RA9] each mistake in a PRD is reported with its position, and nothing is recorded", async () => {
  const site = prdSite([]);
  const named = (id: string, more = "") => `{"id": "${id}", "title": "t"${more}}`;
  const cases: readonly (readonly [text: string, ...words: string[]])[] = [
    ['{"userStories": [\n  {"id": "A",, "title": "x"}\n]}', "prd.json:2:14", "not valid JSON"],
    ["", "is empty"],
    ["[]", "has no stories"],
    [
      `[${named("A")},\n${named("A")}, ${named("a/b")}, ${named("a b")},\n${named("../x")}, ${named("B", ', "depends_on": ["Z"]')}, {"title": "no id"}]`,
      'prd.json:2:1: the id "A" is given twice',
      '"a/b" cannot be',
      '"a b" cannot be',
      '"../x" cannot be',
      'B depends on "Z", which is not in the file',
    ],
    [`[${named("A", ', "depends_on": ["A"]')}]`, "A depends on itself"],
    [`[${named("A", ', "depends_on": ["B"]')}, ${named("B", ', "depends_on": ["A"]')}]`, "A -> B -> A"],
  ];
  const before = fingerprint(site.repo);
  for (const [text, ...words] of cases) {
    writeFileSync(site.prd, text);
    expectWords(await site.run(), 2, ...words);
  }
  expectWords(await site.pawl("prd", "check", site.prd), 2, "A -> B -> A");
  expectWords(await site.pawl("prd", "run", site.path("nowhere.json")), 5, "nowhere.json");
  expect(fingerprint(site.repo)).toEqual(before);
  expect(await site.json(["runs"])).toEqual({ runs: [] });
});

test("[RA6] criteria given as one string are read as a list, with a note", async () => {
  const site = prdSite([{ id: "US-001", acceptanceCriteria: "- One\n- Two" }], { acts });
  const called = await site.run();
  expectWords(called, 0, "US-001: the acceptance criteria are a string, not a list");
  expect(site.prompt("US-001", "step-001")).toMatch(/1\. One\n\s+2\. Two/);
});

test("[C3 RA9] two thousand stories are checked and recorded", async () => {
  const many = Array.from({ length: 2_000 }, (_, index) => ({
    id: `S-${index}`,
    ...(index % 10 === 0 ? {} : { depends_on: [`S-${index - 1}`] }),
  }));
  const site = prdSite(many);
  const { stories: seen } = await site.json<{ stories: { wave: number }[] }>(["prd", "check", site.prd]);
  expect([seen.length, Math.max(...seen.map(({ wave }) => wave))]).toEqual([2_000, 10]);
  expectWords(await site.run("--detach"), 0);
  expect((await site.status("1")).stories).toHaveLength(2_000);
  expect(Object.keys(site.state().stories)).toHaveLength(2_000);
});

test("[CM7 X34] a base, a repository or a folder that cannot be used is reported before anything is recorded", async () => {
  const site = prdSite(stories);
  expectWords(await site.run("--base", "nope"), 2, 'there is no branch, tag or commit "nope"');
  runGit(site.repo, "tag", "v1");
  expectWords(await site.run("--base", "v1"), 2, "v1 is not a local branch", "git branch NAME v1");
  runGit(site.repo, "checkout", "--quiet", "--detach");
  expectWords(await site.run(), 2, "HEAD is detached", "--base BRANCH");
  runGit(site.repo, "checkout", "--quiet", "main");

  const dir = (name: string) => site.path(name);
  mkdirSync(dir("nothing"));
  expectWords(await site.run("--repo", dir("nothing")), 4, "is not a git repository");
  expectWords(await site.run("--repo", dir("nowhere")), 4, "does not exist");
  expectWords(await site.run("--repo", makeRepository({}, { dir: dir("empty") })), 4, "has no commits yet");
  runGit(site.repo, "clone", "--quiet", "--bare", site.repo, dir("bare"));
  expectWords(await site.run("--repo", dir("bare")), 4, "is bare", "--shared DIR");

  writeFileSync(dir("file"), "mine");
  expectWords(await site.run("--shared", dir("file")), 2, "it is not a directory", "--shared DIR");
  expectWords(await site.run("--shared", "/sys/pawl"), 2, "/sys/pawl");
  expectWords(await site.pawl("scratch", "append", "--shared", dir("file"), "text"), 2, "it is not a directory");
  expect(await site.json(["runs"])).toEqual({ runs: [] });
  expect(readFileSync(dir("file"), "utf8")).toBe("mine");
  expect(runGit(site.repo, "status", "--porcelain")).toBe("");
});

test("[C87 C90] a bare repository, a shallow one, one with submodules and one with a detached HEAD work", async () => {
  const site = newSite();
  const other = makeRepository({ "lib.txt": "lib\n" }, { dir: site.path("lib") });
  const allow = ["-c", "protocol.file.allow=always"];
  runGit(site.repo, ...allow, "submodule", "--quiet", "add", other, "lib");
  runGit(site.repo, "commit", "--quiet", "--message=submodule");
  runGit(site.repo, "clone", "--quiet", "--bare", site.repo, site.path("bare"));
  runGit(site.repo, "clone", "--quiet", "--depth=1", `file://${site.repo}`, site.path("shallow"));
  configureUser(site.path("shallow"));
  writeFileSync(
    site.path("bare", "config"),
    `${readFileSync(site.path("bare", "config"), "utf8")}[user]\n\tname = T\n\temail = t@example.invalid\n`,
  );
  const setup = `workspace:\n  setup: ["git ${allow.join(" ")} submodule --quiet update --init"]\n`;
  writeFiles(site.repo, { ".pawl/config.yml": setup });
  runGit(site.repo, "checkout", "--quiet", "--detach");

  const one = prdSite([{ id: "US-001" }], { site, acts: { ...acts, coding: 'ls lib > "$PAWL_STORY.txt"' } });
  for (const [repo, more, listed] of [
    [site.repo, ["--base", "main"], "lib.txt"],
    [site.path("bare"), ["--shared", site.path("shared")], ""],
    [site.path("shallow"), [], ""],
  ] as const) {
    writePrd(one.prd, [{ id: "US-001" }]);
    const called = await one.run("--repo", repo, ...more);
    expectWords(called, 0);
    expect(log(repo, "main")[0]).toBe("feat(ralph): US-001 - Title of US-001");
    expect(runGit(repo, "show", "main:US-001.txt")).toBe(listed);
    expect(runGit(repo, "ls-tree", "main", "lib")).toContain("160000 commit");
    expect(runGit(repo, "worktree", "list").split("\n")).toHaveLength(1);
  }
  expect(runGit(site.repo, "rev-parse", "--abbrev-ref", "HEAD")).toBe("HEAD");
});

test("[WS1 C90] hooks of the repository that fail or hang are not run and do not stop a story", async () => {
  const site = prdSite(stories, { acts });
  const ran = site.path("hook-ran");
  const hooks = {
    fails: ["pre-commit", "commit-msg", "pre-rebase", "post-rewrite"],
    hangs: ["post-checkout", "post-merge", "reference-transaction"],
  };
  for (const [kind, names] of Object.entries(hooks)) {
    for (const name of names)
      writeHook(site, name, `echo ${name} >> '${ran}'; ${kind === "fails" ? "exit 1" : "sleep 600"}`);
  }
  expectWords(await site.run("--agents", "2"), 0);
  expect(existsSync(ran)).toBe(false);
  rmSync(join(site.repo, ".git/hooks"), { recursive: true });
  expect(log(site.repo, "main").toSorted()).toEqual([...bothDone, "first"]);
  expect(runGit(site.repo, "status", "--porcelain")).toBe("");
});

test("[C79 C82 DR11] a filter that fails, as LFS does where it is not installed, fails the story with git's message; a retry works once the filter does", async () => {
  const site = prdSite([{ id: "US-001" }], { acts });
  commitFile(site.repo, ".gitattributes", "*.bin filter=large\n");
  commitFile(site.repo, "a.bin", "pointer\n");
  const file = join(site.home, ".gitconfig");
  const set = (smudge: string) => runGit(site.repo, "config", "--file", file, "filter.large.smudge", smudge);
  runGit(site.repo, "config", "--file", file, "filter.large.required", "true");
  runGit(site.repo, "config", "--file", file, "filter.large.clean", "cat");
  set("false");
  expectWords(await site.run(), 1, "external filter 'false' failed");
  expect(runGit(site.repo, "worktree", "list").split("\n")).toHaveLength(1);
  expect(log(site.repo, "main")).not.toContain(bothDone[0]);
  set("cat");
  expectCode(await site.pawl("retry", "1"), 0);
  expectWords(await site.pawl("resume", "1"), 0);
  expect(log(site.repo, "main")[0]).toBe(bothDone[0]);
});

test("[C87 DR11] a directory in the place of a tree is not touched, the other stories continue, and a retry works once it is removed", async () => {
  const site = prdSite(stories, { acts });
  const { run } = await site.json<{ run: { id: string } }>([
    "prd",
    "run",
    site.prd,
    "--executor",
    site.executor,
    "--detach",
  ]);
  const place = join(site.home, "worktrees", `${run.id}-1`);
  writeFiles(place, { "precious.txt": "mine\n" });
  expectWords(await site.pawl("resume", "1"), 1, "is left as it is");
  expect((await site.pawl("events", "1")).stdout).toContain("something is there already");
  expect(readFileSync(join(place, "precious.txt"), "utf8")).toBe("mine\n");
  expect(log(site.repo, "main")).toEqual([bothDone[1], "first"]);
  expect(runGit(site.repo, "worktree", "list").split("\n")).toHaveLength(1);
  rmSync(place, { recursive: true });
  expectCode(await site.pawl("retry", "1"), 0);
  expectWords(await site.pawl("resume", "1"), 0);
  expect(log(site.repo, "main")).toEqual([bothDone[0], bothDone[1], "first"]);
});

test.skipIf(process.getuid?.() === 0)(
  "[CM7] a shared folder that cannot be written is reported before anything is recorded (skipped for root, who may write anywhere)",
  async () => {
    const site = prdSite(stories);
    const dir = site.path("read-only");
    mkdirSync(dir);
    chmodSync(dir, 0o500);
    expectWords(await site.run("--shared", dir), 2, "EACCES", "--shared DIR");
    expect(await site.json(["runs"])).toEqual({ runs: [] });
  },
);

test("[CM7] a wrong executor or option is reported before anything is recorded", async () => {
  const site = prdSite(stories);
  const call = (...args: readonly string[]) =>
    pawl(["prd", "run", site.prd, ...args], { home: site.home, cwd: site.repo });
  expectWords(await call(), 4, "no executor is configured");
  expectWords(await call("--executor", "command: no-such-program"), 4, "no-such-program");
  expectWords(await site.run("--agents", "many"), 2, "--agents");
  expectWords(await site.run("--workflow", "feature-dev"), 2, "feature-dev");
  expect(await site.json(["runs"])).toEqual({ runs: [] });
});

function writeHook(site: PrdSite, name: string, shell: string): void {
  writeFiles(site.repo, { [`.git/hooks/${name}`]: `#!/bin/sh\n${shell}\n` });
  chmodSync(join(site.repo, ".git/hooks", name), 0o755);
}
