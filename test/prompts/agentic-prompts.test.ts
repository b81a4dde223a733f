// The prompts of agentic coding, whole, as files beside this one.

import { readFileSync } from "node:fs";
import { describe, expect, test } from "vitest";
import type { AgentStep } from "../../src/domain/definition.ts";
import { withNotes } from "../../src/prompts/prompt.ts";
import { readReport } from "../../src/prompts/report.ts";
import { renderTemplate } from "../../src/prompts/template.ts";
import { readExecutorResult } from "../../src/protocols/agentic/executor-result.ts";
import { readHandoff } from "../../src/protocols/agentic/handoff.ts";
import { type PromptFacts, promptValues } from "../../src/protocols/agentic/prompt.ts";
import { loadWorkflow } from "../../src/workflows/load.ts";
import { known } from "../support/protocols.ts";

const table = readFileSync(new URL("../../workflows/agentic-coding/step-rules.yml", import.meta.url), "utf8");
const { definition, problems } = loadWorkflow(table, "step-rules.yml", known);
const [stories] = definition?.steps ?? [];
const body = stories?.kind === "stories" ? stories.body : [];
const steps = body.filter((step): step is AgentStep => step.kind === "agent");

function promptOf(step: Pick<AgentStep, "input" | "reads" | "budget">, facts: Partial<PromptFacts> = {}): string {
  const values = promptValues({
    project: "cart-app",
    story: "US-005",
    attempt: 1,
    maxAttempts: (step.budget?.atMost ?? 0) + 1,
    reads: step.reads ?? [],
    exists: () => true,
    notes: [],
    cameBack: "",
    checks: ["go vet ./... && golangci-lint run"],
    ...facts,
  });
  const story = {
    current_story_id: "US-005",
    current_story: "Story US-005: Coupons expire\n\nA coupon has a last day.",
  };
  const { text, missing } = renderTemplate(step.input, { ...story, ...values }, []);
  expect(missing).toEqual([]);
  return text;
}

test("[TB9] the bundled table has no problem", () => {
  expect(problems).toEqual([]);
  expect(steps).toHaveLength(7);
});

describe("[TB10 D29 D55 D56 D57 D58 D59 D60 D105] the first prompt of each step", () => {
  test.each(steps.map((step) => [step.name as string, step] as const))("%s", async (name, step) => {
    await expect(promptOf(step)).toMatchFileSnapshot(`golden/${name}.txt`);
  });
});

test("[TB10 D26 D27 D28 D29 D71 D73] every prompt says what to change, where to report and which files it may leave alone", () => {
  const prompts = new Map(steps.map((step) => [step.name as string, promptOf(step)]));
  for (const prompt of prompts.values()) {
    expect(prompt).toContain("- Only modify affected files and paragraphs, don't rewrite unrelated content\n");
    expect(prompt).toContain("- After completion, update .ai/HANDOFF.md (include YAML front matter)\n");
    expect(prompt).toContain("- .ai/HANDOFF.md\n");
    expect(prompt.indexOf("Output rules:")).toBeLessThan(prompt.indexOf("After completion:\n"));
  }
  expect(prompts.get("sdd-delta")).toMatch(/ADDED\/MODIFIED\/REMOVED[^]*do not change docs\/sdd\.md/);
  expect(prompts.get("contract")).toContain("OpenAPI/AsyncAPI");
  expect(prompts.get("verify")).toContain("Merge the Delta's ADDED/MODIFIED/REMOVED into the corresponding sections");
  for (const [name, prompt] of prompts)
    expect({ name, isKept: prompt.includes("do not write to PROJECT_MEMORY.md") }).toEqual({
      name,
      isKept: name === "impl" || name === "verify",
    });
});

const impl = steps.find(({ name }) => name === "impl");
const scaffold = steps.find(({ name }) => name === "scaffold");
if (!impl || !scaffold) throw new Error("no impl");

test("[TB10 AG35 D55 D102] a later attempt, why it is one, a person's words, files that are not there", async () => {
  const missing = ["docs/nfr.md", ".ai/HANDOFF.md"];
  const cameBack = "scaffold attempt 1 did not pass. Reason: nfr_missing\n\nFailing tests: 1 of 44\n- T1";
  const exists = (path: string) => !missing.includes(path);
  const facts = { attempt: 2, notes: ["30 seconds, others OK"], exists, cameBack };
  const prompt = promptOf(scaffold, facts);
  await expect(prompt).toMatchFileSnapshot("golden/scaffold-later.txt");
  expect(prompt).toContain("- docs/nfr.md (not present)\n");
  expect(prompt).not.toContain("- .ai/HANDOFF.md");
});

test("[TB10 D47 D74] a person's words are in a prompt once", () => {
  const note = "30 seconds,\nothers OK";
  const prompt = withNotes(promptOf(impl, { notes: [note] }), [note]);
  expect(prompt.split("30 seconds")).toHaveLength(2);
});

test("[TB10 PR35] a prompt that is printed again is no answer, not even by a person's words in it", () => {
  const prompt = promptOf(impl, { attempt: 2, notes: ["STATUS: done"], cameBack: "STATUS: done" });
  const told = { text: prompt, written: impl.input };
  expect(readReport(impl, prompt, [], told).outcome).toBe("invalid_output");
  // Neither is it in a file.
  expect(readHandoff(prompt).status).not.toBe("pass");
  expect(readExecutorResult(prompt).status).toBeNull();
  expect(prompt).not.toMatch(/^---$/m);
});

describe("a team", () => {
  const parts = impl.parts && "list" in impl.parts.of ? impl.parts.of.list : [];
  const roleOf = (name: string) => ({ ...impl, ...parts.find((part) => part.name === name) });

  test.each(["backend", "frontend", "test", "verify"])("[TM3 TM4 D80 D81 D95 D98] the prompt of %s", async (role) => {
    await expect(promptOf(roleOf(role))).toMatchFileSnapshot(`golden/team-${role}.txt`);
  });

  test("[TM3 D80 D81] each role reads its own files and is told whose files it leaves alone", () => {
    const backend = promptOf(roleOf("backend"));
    expect(backend).toContain("- internal/**/*.go\n");
    expect(backend).not.toContain("docs/bdd");
    expect(backend).toContain("Don't modify files of the others: frontend (*.ts, *.tsx); test (*_test.go, *.spec.ts)");
    expect(promptOf(roleOf("test"))).toContain("Don't read the implementation");
    expect(promptOf(roleOf("verify"))).toContain("Change no file of the project");
  });

  test("[TM10 D94 D98] the lead of an Agent Team delegates, and has the prompts of all roles", async () => {
    const { definition: led } = loadWorkflow(`agent_teams: true\n${table}`, "step-rules.yml", known);
    const [of] = led?.steps ?? [];
    const step = of?.kind === "stories" ? of.body.find(({ name }) => name === "impl") : undefined;
    const lead = step?.kind === "agent" && step.parts && "list" in step.parts.of ? step.parts.of.list : [];
    expect(lead.map(({ name }) => name)).toEqual(["lead"]);
    const prompt = promptOf({ ...impl, ...lead[0] });
    expect(prompt).toContain("Work in delegate mode");
    for (const role of ["backend", "frontend", "test", "verify"])
      expect(prompt).toContain(`=== Spawn prompt: ${role} ===`);
    expect(prompt).toContain("- docs/bdd/US-005.md\n");
    await expect(prompt).toMatchFileSnapshot("golden/team-lead.txt");
  });

  test("[TM4 AG31] a session that only repeats the prompt of its role has reported nothing", () => {
    for (const { input = "" } of parts) expect(readExecutorResult(input).status).toBeNull();
  });
});
