// Runs antfarm's own workflow files, unmodified, to the end: pushed with a script and with a program, and pulled by agents that
// poll as antfarm's do. Each with roles that approve at once, and with roles that reject once.

import { existsSync, mkdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { beforeEach, expect, test } from "vitest";
import { type Asked, askedOf, followInstructions, type Memory } from "../support/antfarm-agent.ts";
import { expectCode, newSite, type Site, type StatusDocument, statuses } from "../support/pawl.ts";
import { programLine } from "../support/program-words.ts";
import { complete, peek, tryClaim } from "../support/pulling.ts";
import { fingerprint, log, runGit } from "../support/repository.ts";
import { type Acts, plan, story, writeScript } from "../support/scripts.ts";

const samples = fileURLToPath(new URL("../../../shared/samples/antfarm/workflows", import.meta.url));
beforeEach(({ skip }) => skip(!existsSync(samples), "antfarm's workflow files are not beside the repository"));

const agentProgram = programLine("antfarm-agent.ts");
const file = (workflow: "feature-dev" | "bug-fix") => join(samples, workflow, "workflow.yml");

const featureSteps = "plan:done,setup:done,implement:done,test:done,pr:done,review:done";
const bugSteps = "triage:done,investigate:done,setup:done,fix:done,verify:done,pr:done";

/** The order in which the roles must have been called. */
const featurePath = "plan setup implement verify implement verify test pr review";
const featureDetour = [
  "plan setup implement verify implement verify implement verify test",
  "implement verify test pr review",
  "implement verify test pr review",
].join(" ");
const bugDetour = "triage investigate setup-fix fix verify-fix fix verify-fix pr-fix";

function memoryOf(site: Site, rejects: boolean): Memory {
  const dir = site.path("memory");
  mkdirSync(dir);
  return { dir, rejects, checkout: site.repo };
}

function rolesOf(asked: readonly Asked[]): string {
  return asked.map(({ role }) => role).join(" ");
}

function inputsOf(asked: readonly Asked[], role: Asked["role"]): readonly string[] {
  return asked.filter((each) => each.role === role).map(({ input }) => input);
}

/** The program gets its prompt on stdin, in the tree that it works in. */
async function push(site: Site, workflow: "feature-dev" | "bug-fix", memory: Memory) {
  const before = fingerprint(site.repo);
  const words = `command: ${agentProgram} ${memory.dir} ${memory.rejects ? "reject" : ""}`;
  const called = await site.pawl("run", file(workflow), "Two files", "--executor", words, "--json");
  expectCode(called, 0);
  const after = fingerprint(site.repo);
  expect({ ...after, branches: "", ".git/info/exclude": "" }).toEqual({
    ...before,
    branches: "",
    ".git/info/exclude": "",
  });
  return { status: JSON.parse(called.stdout) as StatusDocument, asked: askedOf(memory) };
}

/** Looks for work as antfarm's cron jobs do: each agent in turn, without the token. */
async function poll(site: Site, workflow: "feature-dev" | "bug-fix", memory: Memory, turns: string, peeks = false) {
  await site.pawl("run", file(workflow), "Two files", "--detach");
  for (const agent of turns.split(" ").map((turn) => `${workflow}_${turn}`)) {
    const claimed = !peeks || (await peek(site, agent)) === "HAS_WORK" ? await tryClaim(site, agent) : null;
    if (!claimed) continue;
    const reported = await complete(site, claimed, followInstructions(claimed.input, memory));
    expect(reported).toMatchObject({ accepted: true, advanced: true });
  }
  return { status: await site.status(), asked: askedOf(memory) };
}

test("[A1 A4 A5 A11 A12 A75 antfarm W M] feature-dev runs to the end with a program that follows its instructions", async () => {
  const site = newSite();
  const { status, asked } = await push(site, "feature-dev", memoryOf(site, false));

  expect(rolesOf(asked)).toBe(featurePath);
  expect(new Set(asked.map((each) => each.process)).size).toBe(asked.length);
  expect(statuses(status.steps)).toBe(featureSteps);
  expect(statuses(status.stories)).toBe("US-001:done,US-002:done");
  expect(status.run).toMatchObject({ status: "done", branch: "feature-files", workflow: "feature-dev" });
  expect(log(site.repo, "main..feature-files")).toEqual(["feat: US-002 - Add us-002", "feat: US-001 - Add us-001"]);
  expect(asked.map(({ input }) => input).join()).not.toContain("[missing:");

  // What the planner says about REPO stays data, and the log that the developer keeps in its tree is shared and kept.
  const tree = join(site.home, "worktrees", status.run.id);

  for (const role of ["setup", "implement", "verify", "test"] as const)
    for (const input of inputsOf(asked, role)) expect(input).toContain(`REPO: ${tree}\n`);
  expect(existsSync(tree)).toBe(false);
  expect(inputsOf(asked, "verify")[0]).toContain("learned from US-001");
  expect(inputsOf(asked, "review")[0]).toContain("learned from US-002");
  const archive = join(site.home, "agents/feature-dev/developer/archive", status.run.id, "progress.txt");
  expect(readFileSync(archive, "utf8")).toContain("learned from US-002");
  expect(runGit(site.repo, "ls-tree", "--name-only", "feature-files")).not.toContain("progress");
});

test("[A6 A9 A36 A43 antfarm W] every rejection of feature-dev is acted on, with a program", async () => {
  const site = newSite();
  const { status, asked } = await push(site, "feature-dev", memoryOf(site, true));

  expect(rolesOf(asked)).toBe(featureDetour);
  expect(statuses(status.stories)).toBe("US-001:done,US-002:done,FIX-1:done,FIX-2:done");
  expect(statuses(status.steps)).toBe(featureSteps);
  expectFeedback(inputsOf(asked, "implement"));
});

/** First US-001 again with the verifier's issues, then US-002, then one story for each role that reviewed the whole. */
function expectFeedback(inputs: readonly string[]): void {
  const stories = inputs.map((input) => /^Story (\S+):/m.exec(input)?.[1]);
  expect(stories).toEqual(["US-001", "US-001", "US-002", "FIX-1", "FIX-2"]);
  const [first, again, second, fixOne, fixTwo] = inputs;
  expect(first).not.toContain("the file says too little");
  expect(again).toContain("- the file says too little\n- there is no test");
  expect(second).not.toContain("the file says too little");
  expect(fixOne).toContain("the two files contradict each other");
  expect(fixTwo).toContain("name the files better");
  expect(fixTwo).not.toContain("the two files contradict each other");
}

test("[antfarm W2 A] bug-fix runs to the end, and what its verifier rejects is fixed again, with a program", async () => {
  const site = newSite();
  const { status, asked } = await push(site, "bug-fix", memoryOf(site, true));

  expect(rolesOf(asked)).toBe(bugDetour);
  expect(statuses(status.steps)).toBe(bugSteps);
  const [first, again] = inputsOf(asked, "fix");
  expect(first).toContain("VERIFY FEEDBACK (if retrying):\n\n");
  expect(again).toContain("- the regression test would pass without the fix");
  expect(asked.map(({ input }) => input).join()).not.toContain("[missing:");
  expect(log(site.repo, "main..bugfix-sum")).toEqual(["fix: the sum of 1 and 1", "fix: the sum of 1 and 1"]);
});

/** The order in which the agents wake up; some of them find no work. */
const featureTurns = "reviewer planner setup developer verifier developer verifier tester developer verifier reviewer";
const detourTurns = [
  "planner developer setup developer verifier developer verifier developer verifier tester",
  "developer verifier tester developer reviewer developer verifier tester developer reviewer",
].join(" ");
const bugTurns = "triager investigator fixer setup fixer verifier pr fixer verifier pr";

test("[A21 A62 X23 antfarm W N] agents that poll pull feature-dev to the end", async () => {
  const site = newSite();
  const { status, asked } = await poll(site, "feature-dev", memoryOf(site, false), featureTurns, true);

  expect(rolesOf(asked)).toBe(featurePath);
  expect(statuses(status.steps)).toBe(featureSteps);
  expect(status.run).toMatchObject({ status: "done", branch: "feature-files" });
  expect(log(site.repo, "main..feature-files")).toHaveLength(2);
  for (const input of inputsOf(asked, "implement")) expect(input).toContain(join(site.home, "worktrees"));
});

test("[A6 A9 A43 antfarm W] agents that poll act on every rejection of feature-dev", async () => {
  const site = newSite();
  const { status, asked } = await poll(site, "feature-dev", memoryOf(site, true), detourTurns);

  expect(rolesOf(asked)).toBe(featureDetour);
  expect(statuses(status.stories)).toBe("US-001:done,US-002:done,FIX-1:done,FIX-2:done");
  expect(status.run.status).toBe("done");
  expectFeedback(inputsOf(asked, "implement"));
});

test("[antfarm W2 A] agents that poll pull bug-fix to the end and act on its rejection", async () => {
  const site = newSite();
  const { status, asked } = await poll(site, "bug-fix", memoryOf(site, true), bugTurns);

  expect(rolesOf(asked)).toBe(bugDetour);
  expect(statuses(status.steps)).toBe(bugSteps);
  expect(status.run).toMatchObject({ status: "done", branch: "bugfix-sum" });
});

const setup = { run: ["git checkout -q -b scripted-work"], say: "STATUS: done\nBUILD_CMD: true\nTEST_CMD: true" };
const work = {
  write: { "{{story}}.txt": "{{attempt}}" },
  commit: "feat: {{story}}",
  say: "STATUS: done\nCHANGES: {{story}}",
};

const featureActs: Acts = {
  plan: [{ say: plan([story("US-001"), story("US-002")], "REPO: /somewhere/else\nBRANCH: scripted-work\n") }],
  setup: [setup],
  implement: [work],
  verify: [
    { story: "US-002", attempt: 1, say: "STATUS: retry\nISSUES:\n- too short" },
    { say: "STATUS: done\nVERIFIED: yes" },
  ],
  test: [{ attempt: 1, say: "STATUS: retry\nFAILURES:\n- red in CI" }, { say: "STATUS: done\nRESULTS: green" }],
  pr: [{ say: "STATUS: done\nPR: https://example.invalid/pull/9" }],
  review: [
    { attempt: 1, say: "STATUS: retry\nDECISION: changes_requested\nFEEDBACK:\n- spelling" },
    { say: "STATUS: done\nDECISION: approved" },
  ],
};

test("[A6 A9 A43 antfarm W] feature-dev runs to the end from a script, every rejection acted on", async () => {
  const site = newSite();
  const script = writeScript(site, featureActs);
  const status = await site.json<StatusDocument>(["run", file("feature-dev"), "Two files", "--script", script]);

  expect(statuses(status.steps)).toBe(featureSteps);
  expect(status.stories.map(({ id, status: word, attempts }) => `${id}:${word}:${attempts}`)).toEqual([
    "US-001:done:1",
    "US-002:done:2",
    "FIX-1:done:1",
    "FIX-2:done:1",
  ]);
  expect(status.steps.find(({ id }) => id === "test")?.attempts).toBe(3);
  const prompt = (name: string) => readFileSync(join(site.home, "logs", status.run.id, `${name}.prompt.md`), "utf8");
  expect(prompt("US-002-implement-2")).toContain("- too short");
  expect(prompt("FIX-1-implement-1")).toContain("red in CI");
  expect(prompt("FIX-2-implement-1")).toContain("spelling");
});

test("[antfarm W2 A] bug-fix runs to the end from a script, its rejection acted on", async () => {
  const site = newSite();
  const script = writeScript(site, {
    triage: [{ say: "STATUS: done\nREPO: /somewhere/else\nBRANCH: scripted-work\nSEVERITY: low" }],
    investigate: [{ say: "STATUS: done\nROOT_CAUSE: a typo\nFIX_APPROACH: correct it" }],
    setup: [setup],
    fix: [{ ...work, write: { "fix.txt": "{{attempt}}" }, commit: "fix: typo, attempt {{attempt}}" }],
    verify: [{ attempt: 1, say: "STATUS: retry\nISSUES: not minimal" }, { say: "STATUS: done\nVERIFIED: yes" }],
    pr: [{ say: "STATUS: done\nPR: none" }],
  });
  const status = await site.json<StatusDocument>(["run", file("bug-fix"), "A typo", "--script", script]);

  expect(statuses(status.steps)).toBe(bugSteps);
  expect(log(site.repo, "main..scripted-work")).toEqual(["fix: typo, attempt 2", "fix: typo, attempt 1"]);
});
