// The prompts of a PRD's agents, step by step: one run of two stories, the second of which conflicts with the first on the base, and
// every prompt as the agent read it.

import { readFileSync, rmSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { expectCode, newSite } from "../support/pawl.ts";
import { callsOf, type PrdSite, prdSite } from "../support/prd.ts";
import { commitFile, runGit } from "../support/repository.ts";

const types = [
  "context_gathering",
  "planning",
  "architecture",
  "test_architecture",
  "coding",
  "linting",
  "initial_testing",
  "review",
  "prune_tests",
  "final_review",
] as const;
const editable = new Set<string>([
  "planning",
  "architecture",
  "test_architecture",
  "coding",
  "initial_testing",
  "review",
  "final_review",
]);

/** Phrases from each type's own block: its purpose, when it is done, what it must not do. */
const said: Readonly<Record<(typeof types)[number], readonly string[]>> = {
  context_gathering: ["Explore only", "the relevant files with their paths", "Do not: decide, plan"],
  planning: ["what to change, in which order", "covers every acceptance criterion", "skip what it does not need"],
  architecture: ["Layers: api -> core -> common", "migration", "import dependencies"],
  test_architecture: ["independently of how the code will be written", "fixtures exist", "Do not: write the tests"],
  coding: ["Tools: prefix every command with `uv run`", "Commit on the current branch", "compiles or"],
  linting: ["Run the lint command: true # lint", "run it again until it is clean", "Commit the fixes"],
  initial_testing: ["true # test", "pass or fail per test", "root cause", "`coding` with what to fix"],
  review: ["file and", "error handling", "edge cases"],
  prune_tests: ["duplicate", "Do not:"],
  final_review: ["true # lint", "true # test", "before"],
};

const config = `project:
  lint: "true # lint"
  test: "true # test"
  layers: api -> core -> common
  hints: prefix every command with \`uv run\`
`;

let site: PrdSite;

beforeAll(async () => {
  const stories = [
    {
      id: "US-001",
      title: "Archive a profile",
      description: "A profile can be put away and brought back.",
      acceptanceCriteria: ["It can be archived", "It can be brought back"],
      priority: 1,
    },
    { id: "US-002", title: "Rename a profile", notes: "Asked for by support" },
  ];
  const plain = newSite();
  commitFile(plain.repo, ".pawl/config.yml", config);
  const isThere = `git -C '${plain.repo}' log --format=%s main | grep -q US-001`;
  site = prdSite(stories, {
    site: plain,
    acts: {
      coding: 'echo "$PAWL_STORY" > one-line.txt; git add -A; git commit -qm work',
      "US-001.context_gathering": 'echo "US-001 found a.py" >> "$PAWL_SHARED/scratch_US-001.md"',
      "US-002.context_gathering": 'echo "US-002 found b.py" >> "$PAWL_SHARED/scratch_US-002.md"',
      "US-002.planning": 'echo "All times are UTC" >> "$PAWL_SHARED/scratch.md"; echo "I forgot how to end."; exit 0',
      "US-002.step-010.1": `until ${isThere}; do sleep 0.05; done`,
      rebase_resolve: `git rebase -q main || { echo both > one-line.txt; git add -A; git rebase --continue; }`,
    },
  });
  expectCode(await site.run("--agents", "2"), 0);
});

afterAll(() => rmSync(site.path(), { recursive: true, force: true }));

test("[C1 C6 C18 C101] a story is ten calls of an agent, one for each type, in order", () => {
  const calls = callsOf(site).filter((call) => call.startsWith("US-001."));
  expect(calls).toEqual(types.map((type, index) => `US-001.${stepId(index)}.1 ${type}`));
  expect(site.story("US-001").steps.map(({ type }) => type)).toEqual(types);
});

test.each(types.map((type, index) => [type, stepId(index)] as const))(
  "[C4 C18 C19 C20 C21 C22 C23 C24 C25 C26 C27 C28 C72] %s has its own block, its criteria and its end",
  (type, id) => {
    const prompt = site.prompt("US-001", id);
    expect(prompt).toContain(`INSTRUCTIONS FOR THIS KIND OF STEP (${type}):`);
    for (const part of ["You receive:", "You produce:", "Key instructions:", "Done when:", "Do not:"])
      expect(prompt).toContain(`- ${part}`);
    for (const words of said[type]) expect(prompt).toContain(words);
    expect(prompt).toContain("End your response with a SUMMARY section (3-5 lines)");
    expect(prompt.split("INSTRUCTIONS FOR THIS KIND OF STEP")).toHaveLength(2);
  },
);

test.each(types.map((type, index) => [type, stepId(index), index] as const))(
  "[C4 C11 C72 RA38] %s gets the story, its own task, and the notes of all steps before it, in order",
  (_, id, index) => {
    const prompt = site.prompt("US-001", id);
    expect(prompt).toContain("A profile can be put away and brought back.");
    expect(prompt).toMatch(/1\. It can be archived\n\s+2\. It can be brought back/);
    const { description } = site.story("US-001").steps[index] ?? { description: "" };
    expect(prompt).toContain(`WHAT TO DO IN THIS STEP (${id}):\n${description}\n`);
    const notes = [...prompt.matchAll(/notes of US-001\.(step-\d+)\.1/g)].map(([, step]) => step);
    expect(notes).toEqual(types.slice(0, index).map((_each, before) => stepId(before)));
    expect(prompt.includes("US-001 found a.py")).toBe(index > 0);
    expect(prompt).not.toContain("US-002 found b.py");
  },
);

test.each(types.map((type, index) => [type, stepId(index)] as const))(
  "[C45 C72 RA39 RA40] %s sees the steps and how to change them if it may edit, and neither otherwise",
  (type, id) => {
    const prompt = site.prompt("US-001", id);
    const file = site.shared("workflow_edits", "US-001.json");
    expect(prompt.includes(file)).toBe(editable.has(type));
    expect(prompt.includes(`${id} ${type} [in_progress]`)).toBe(editable.has(type));
    if (!editable.has(type)) return;
    for (const word of ["add_after", "add_before", "split", "skip", "reorder", "edit_description", "restart"])
      expect(prompt).toContain(`"operation":"${word}"`);
    expect(prompt).toContain("A story has at most 30 steps.");
  },
);

test("[C9 C11] what one story writes to the global scratch file, others read", () => {
  expect(site.prompt("US-002", "step-003")).toContain("All times are UTC");
  expect(site.prompt("US-002", "step-003")).toContain("US-002 found b.py");
  expect(site.prompt("US-002", "step-003")).not.toContain("US-001 found a.py");
  expect(site.prompt("US-002", "step-001")).toContain("Asked for by support");
});

test("[C74 RA24] a SUMMARY becomes the notes; without one the end of the output does, with a remark", async () => {
  expect(site.story("US-001").steps[1]).toMatchObject({ notes: "notes of US-001.step-002.1" });
  expect(site.story("US-002").steps[1]).toMatchObject({ notes: "I forgot how to end." });
  expect(site.prompt("US-002", "step-003")).toContain("I forgot how to end.");
  const [ended] = (await site.events("1")).filter(
    ({ type, story, notes }) => type === "attempt_ended" && story === "US-002" && String(notes).includes("SUMMARY"),
  );
  expect(ended).toBeDefined();
});

test("[C29 C91 RA33] a story with a conflict gets a step that only Pawl adds, whose prompt names the conflict, and is reviewed again", () => {
  const { steps } = site.story("US-002");
  expect(steps.slice(-2).map(({ id, type }) => [id, type])).toEqual([
    ["step-011", "rebase_resolve"],
    ["step-010", "final_review"],
  ]);
  const prompt = site.prompt("US-002", "step-011");
  expect(prompt).toContain("INSTRUCTIONS FOR THIS KIND OF STEP (rebase_resolve):");
  expect(prompt).toContain("`git rebase main`");
  expect(prompt).toMatch(/WHAT WAS WRONG:\nThe work conflicts with main.*\n- one-line\.txt/);
  expect(prompt).not.toContain(site.shared("workflow_edits"));
  expect(site.prompt("US-002", "step-010", 2)).toContain("notes of US-002.step-011.1");
  expect(runGit(site.repo, "show", "main:one-line.txt")).toBe("both");
});

test("[C9 C108 RA18 CM22] ten processes append to a scratch file at once, and all ten entries are there, each whole", async () => {
  const texts = Array.from({ length: 10 }, (_, index) => `entry ${index}\nsecond line of ${index}`);
  const called = await Promise.all(texts.map((text) => site.pawl("scratch", "append", text)));
  for (const each of called) expectCode(each, 0);
  const written = readFileSync(site.shared("scratch.md"), "utf8");
  for (const text of texts) expect(written.split(text)).toHaveLength(2);
  expectCode(await site.pawl("scratch", "append", "--story", "US-009", "mine alone"), 0);
  expect(readFileSync(site.shared("scratch_US-009.md"), "utf8")).toBe("mine alone\n");
  const away = join(site.home, "elsewhere");
  expect(await site.json(["scratch", "append", "--shared", away, "there"])).toEqual({ file: join(away, "scratch.md") });
  expectCode(await site.pawl("scratch", "append", "--story", "../x", "out"), 2);
  expectCode(await site.pawl("scratch", "append", "  "), 2);
});

function stepId(index: number): string {
  return `step-${String(index + 1).padStart(3, "0")}`;
}
