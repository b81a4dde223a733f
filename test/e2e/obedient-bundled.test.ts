// Plays every bundled workflow to its end with an agent that obeys its prompt to the letter, and rejects once wherever it may.

import { mkdirSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { expectCode, newSite, type Site, type StatusDocument, statuses, writeAt } from "../support/pawl.ts";
import { programLine } from "../support/program-words.ts";
import { prdText } from "../support/ralph.ts";
import { log, runGit } from "../support/repository.ts";

const program = programLine("obedient.ts");

function agent(site: Site): string {
  const dir = site.path("rejected");
  mkdirSync(dir);
  return `command: ${program} reject ${dir}`;
}

async function outcomesOf(site: Site): Promise<readonly string[]> {
  const events = await site.events("1");
  return events.filter(({ type }) => type === "attempt_ended").map((event) => String(event["outcome"]));
}

test("[PR37] feature-dev", async () => {
  const site = newSite();
  const called = await site.pawl("run", "feature-dev", "Add a page", "--executor", agent(site), "--json");
  expectCode(called, 0);
  const status = JSON.parse(called.stdout) as StatusDocument;
  expect(statuses(status.stories)).toMatch(/^US-001:done,FIX-/);
  expect(new Set(await outcomesOf(site))).toEqual(new Set(["completed"]));
});

test("[PR37 B23] compound-engineering-loop: each writes what it is told to, and none fails for it", async () => {
  const site = newSite();
  const called = await site.pawl("run", "compound-engineering-loop", "Add a page", "--executor", agent(site), "--json");
  expectCode(called, 0);
  const { run } = JSON.parse(called.stdout) as StatusDocument;
  expect(new Set(await outcomesOf(site))).toEqual(new Set(["completed"]));
  const files = runGit(site.repo, "ls-tree", "-r", "--name-only", run.branch ?? "");
  for (const folder of ["docs/brainstorms/", "docs/plans/", "docs/solutions/", "todos/"])
    expect(files).toContain(folder);
});

test("[PR37 IN3 IN4] parallel-review, by itself and in nightly-audit, with agents and role files of its own", async () => {
  const site = newSite();
  expectCode(await site.pawl("run", "parallel-review", "Look at it", "--executor", agent(site)), 0);
  expectCode(await site.pawl("run", "nightly-audit", "Audit", "--executor", `command: ${program}`), 0);
  const events = [...(await site.events("1")), ...(await site.events("2"))];
  const performed = events.filter(({ type }) => type === "attempt_ended").map((event) => String(event["outcome"]));
  expect(new Set(performed)).toEqual(new Set(["completed"]));
  const names = events.filter(({ type }) => type === "attempt_dispatched").map((event) => String(event["name"]));
  expect(names.filter((name) => name.startsWith("opinion."))).toHaveLength(5);
});

test("[PR37 IN8] release: the review is one line of its status, and a person is asked before the notes", async () => {
  const site = newSite();
  expectCode(await site.pawl("run", "release", "Release it", "--executor", agent(site)), 3);
  const held = await site.pawl("status", "1");
  expect(held.stdout).toMatch(/✓ opinion +done +3\/3/);
  expectCode(await site.pawl("approve", "1"), 0);
  expectCode(await site.pawl("resume", "1"), 0);
  expect(new Set(await outcomesOf(site))).toEqual(new Set(["completed"]));
});

test("[PR37] dynamic-ralph", async () => {
  const site = newSite();
  const prd = writeAt(site, "prd.json", prdText([{ id: "fix-001" }]));
  expectCode(await site.pawl("prd", "run", prd, "--executor", agent(site)), 0);
  expect(new Set(await outcomesOf(site))).toEqual(new Set(["completed"]));
  expect(log(site.repo, "main").filter((subject) => subject.startsWith("feat(ralph)"))).toHaveLength(1);
});

test("[PR37 TB9 TB10 D10 D47 D61] agentic-coding: stops at the review, takes its note to the next session alone, and ends", async () => {
  const site = newSite();
  const prompts = site.path("prompts");
  mkdirSync(prompts);
  const script = writeAt(
    site,
    "agent.sh",
    `tee ${prompts}/$PAWL_STEP | ${program}
`,
  );
  expectCode(await site.pawl("run", "agentic-coding", "Coupons expire", "--executor", `command: sh ${script}`), 3);
  expect(readdirSync(prompts).toSorted()).toEqual(["bdd", "contract", "sdd-delta"]);
  expectCode(await site.pawl("approve", "1", "--note", "30 seconds, others OK"), 0);
  expectCode(await site.pawl("resume", "1"), 0);
  expect(await outcomesOf(site)).toEqual(Array.from({ length: 8 }, () => "completed"));
  const prompt = (step: string) => readFileSync(join(prompts, step), "utf8");
  expect(prompt("scaffold").split("30 seconds, others OK")).toHaveLength(2);
  expect(prompt("scaffold")).toContain(
    "=== Human Instruction ===\n30 seconds, others OK\n==========================\n",
  );
  expect(prompt("impl")).not.toContain("30 seconds");
  expect(prompt("bdd")).toContain("- PROJECT_CONTEXT.md (not present)\n");
});
