// What the package contains: feature-dev, its role files and its skill; and what `workflow check` says about files.

import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { expect, test } from "vitest";
import { newSite, type Site, writeAt } from "../support/pawl.ts";
import { done, plan, story, writeScript } from "../support/scripts.ts";
import { lineWorkflow, loopWorkflow } from "../support/workflows.ts";

const root = fileURLToPath(new URL("../../workflows/feature-dev/", import.meta.url));
/** Texts may break into lines anywhere. */
const read = (path: string) => readFileSync(join(root, path), "utf8").replace(/\s+/g, " ");
const agents = ["planner", "developer", "verifier", "tester", "reviewer"];

function expectAll(text: string, wanted: readonly (string | RegExp)[]): void {
  for (const each of wanted) expect(text).toMatch(each instanceof RegExp ? each : new RegExp(escape(each), "i"));
}

function escape(text: string): string {
  return text.replace(/[.*+?^${}()|[\]\\]/g, "\\$&");
}

test("[A78 A82] every agent has its three role files, and the planner's identity is as required", () => {
  for (const agent of agents)
    for (const name of ["AGENTS.md", "SOUL.md", "IDENTITY.md"])
      expect(join(root, "agents", agent, name)).toSatisfy(existsSync);
  expect(readFileSync(join(root, "agents/planner/IDENTITY.md"), "utf8").trim()).toBe(
    "# Identity\nName: Planner\nRole: Decomposes tasks into user stories",
  );
});

test("[A79 A80 A81] the planner is told to explore, to size, order and limit stories, and to make them verifiable", () => {
  expectAll(read("agents/planner/AGENTS.md"), [
    "Explore the codebase before decomposing",
    "One story = one context window",
    "Dependencies First",
    /Schema[^]*Backend[^]*Frontend/,
    "Must Be Verifiable",
    "Typecheck passes",
    "Right-sized stories",
    "Too big",
    "Add a column and its migration",
    "Build the entire dashboard",
    /2[–-]3 sentences/,
    "Verify in browser",
    "At most 20 stories",
    /STATUS: done[^]*REPO:[^]*BRANCH:[^]*STORIES_JSON:/,
  ]);
  expectAll(read("agents/planner/SOUL.md"), [
    "analytical",
    "thorough",
    "take time to understand the codebase",
    "not a coder",
    "dependencies",
    "risk",
    "incremental delivery",
  ]);
});

test("[A83 A84 A85 A69] the developer is told what one session covers, what the log looks like, and what belongs in AGENTS.md", () => {
  expectAll(read("agents/developer/AGENTS.md"), [
    "Story-Based Execution",
    "ONE user story per session",
    /Read `progress\.txt`[^]*Codebase Patterns[^]*Check the branch[^]*Implement the story[^]*Run quality checks/,
    /Commit: `feat: <story-id> - <story-title>`[^]*Append to `progress\.txt`[^]*Update Codebase Patterns[^]*Update `AGENTS\.md`/,
    /# Progress Log Run: <run-id> Task: <task> Started: <timestamp> ## Codebase Patterns/,
    "## <timestamp> - <story-id>: <title>",
    "**Learnings:**",
    "## Codebase Knowledge",
    /how to run (the )?tests/,
    "gotchas",
    "reusable",
  ]);
});

test("[A86] the verifier is told to verify one story, what to check, and how to answer", () => {
  expectAll(read("agents/verifier/AGENTS.md"), [
    "Per-Story Verification",
    "ONE story at a time",
    "TODOs or placeholders",
    "Each acceptance criterion",
    "No obvious incomplete work",
    "Typecheck passes",
    "Verify in browser",
    "{{progress}}",
    /STATUS: done VERIFIED:/,
    /STATUS: retry ISSUES:/,
  ]);
});

test("[A89 A60] the skill documents the pipeline, automatic decomposition, an example, the commands and the polling", () => {
  expectAll(read("SKILL.md"), [
    "plan → implement ⟳ verify (per story) → test → pr → review",
    "Decomposition is automatic",
    "pawl step stories",
    "5 minutes",
    "pawl step claim feature-dev/planner",
    /step claim[^]*step complete[^]*step fail/,
    "## Example",
  ]);
});

test("[A87 A88 A2 A59] feature-dev is version 4 and sound, has its agents and steps, and a poll every five minutes", async () => {
  const site = newSite();
  expect(await site.pawl("workflow", "check", "feature-dev")).toMatchObject({ code: 0, stdout: "" });
  interface Step {
    name: string;
    agent?: string;
    input: string;
    expects: string;
    body?: Step[];
  }
  interface Shown {
    definition: { pollEveryMs: number; agents: Record<string, unknown>; steps: Step[] };
  }
  const { definition } = await site.json<Shown>(["workflow", "show", "feature-dev"]);
  expect(Object.keys(definition.agents)).toEqual(agents);
  const performed = definition.steps.flatMap((step) => step.body ?? [step]);
  expect(performed.map(({ name, agent }) => `${name}:${agent}`)).toEqual([
    "plan:planner",
    "implement:developer",
    "verify:verifier",
    "test:tester",
    "pr:developer",
    "review:reviewer",
  ]);
  for (const { expects, input } of performed) {
    expect(expects).toBe("STATUS: done");
    expect(input).toContain("STATUS: done");
  }
  for (const { input } of performed.slice(1)) expect(input).toContain("{{progress}}");
  expect(performed[0]?.input).toContain("at most 20");
  expect(readFileSync(join(root, "workflow.yml"), "utf8")).toMatch(/^version: 4$/m);
  expect(definition.pollEveryMs).toBe(300_000);

  const own = writeAt(site, "often.yml", `${lineWorkflow}cron: { interval_ms: 60000 }\n`);
  expect((await site.json<Shown>(["workflow", "show", own])).definition.pollEveryMs).toBe(60_000);
  expect((await site.pawl("workflow", "show", "feature-dev")).stdout).toMatch(/plan[^]*implement[^]*verify[^]*review/);
});

const loop = "{ over: stories, completion: all_done, verify_each: true, verify_step: verify }";
const wrong: readonly (readonly [ids: string, file: string, told: RegExp])[] = [
  ["A53", loopWorkflow.replace(`    loop: ${loop}\n`, ""), /'implement' has type loop but no loop/],
  ["A54", loopWorkflow.replace("over: stories", "over: files"), /'implement' loop\.over must be "stories"/],
  ["A55", loopWorkflow.replace("all_done", "any_done"), /'implement' loop\.completion must be "all_done"/],
  [
    "A56",
    loopWorkflow.replace(", verify_step: verify", ""),
    /'implement' has loop\.verify_each but no loop\.verify_step/,
  ],
  ["A56", loopWorkflow.replace("verify_step: verify", "verify_step: nobody"), /verify_step 'nobody' not found/],
  ["A56", loopWorkflow.replace("verify_step: verify", "verify_step: implement"), /cannot be the loop itself/],
  ["A56", loopWorkflow.replace("verify_step: verify", "verify_step: plan"), /'plan' must come after the loop/],
  ["A58", loopWorkflow.replace("    type: loop\n", ""), /'implement' has loop but its type is not loop/],
  ["A19", lineWorkflow.replace("  - id: b\n    agent: two\n", "  - id: b\n"), /agent/],
  ["A19", lineWorkflow.replace(/ {4}input: "CHANGES=.*\n/, ""), /input/],
];

test("[A18 A19 A53 A54 A55 A56 A57 A58 CM15] check names the step, the line and what was expected; both spellings are accepted", async () => {
  const site = newSite();
  const checked = await Promise.all(
    wrong.map(([, file], index) => site.pawl("workflow", "check", writeAt(site, `wrong-${index}.yml`, file))),
  );
  for (const [index, [ids, , told]] of wrong.entries()) {
    expect({ ids, code: checked[index]?.code }).toEqual({ ids, code: 2 });
    expect(checked[index]?.stdout).toMatch(told);
    expect(checked[index]?.stdout).toMatch(/wrong-\d+\.yml:\d+/);
  }
  const camel = loopWorkflow.replace("verify_each", "verifyEach").replace("verify_step", "verifyStep");
  const shown = async (name: string, text: string) =>
    (await site.json<{ definition: unknown }>(["workflow", "show", writeAt(site, name, text)])).definition;
  expect(await shown("camel.yml", camel)).toEqual(await shown("snake.yml", loopWorkflow));
});

test("[CM16] simulate plays a run from a script without git and prints its path; schema prints the schema", async () => {
  const site = newSite();
  const acts = {
    plan: [{ say: plan([story("US-001")]) }],
    implement: [{ say: done }],
    verify: [{ attempt: 1, say: "STATUS: retry\nISSUES: no" }, { say: done }],
    publish: [{ say: done }],
  };
  const file = writeAt(site, "loop.yml", loopWorkflow);
  const played = await simulate(site, file, writeScript(site, acts));
  expect(played.code).toBe(0);
  expect(played.stdout).toMatch(/US-001 verify rejected: no[^]*US-001 implement \(attempt 2\)[^]*run done/);
  const { publish: _, ...short } = acts;
  expect(await simulate(site, file, writeScript(site, short))).toMatchObject({ code: 2 });
  expect(await site.json(["runs"])).toEqual({ runs: [] });
  expect(await site.json(["workflow", "schema"])).toMatchObject({ title: "Pawl workflow" });
});

async function simulate(site: Site, file: string, script: string) {
  return await site.pawl("workflow", "simulate", file, "--script", script);
}
