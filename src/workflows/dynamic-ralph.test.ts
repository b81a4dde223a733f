// The bundled dynamic-ralph: its steps, what each is told, and where it leads.

import { existsSync, readFileSync } from "node:fs";
import { describe, expect, test } from "vitest";
import { known } from "../../test/support/protocols.ts";
import type { AgentStep, IntegrateStep, StoriesStep } from "../domain/definition.ts";
import { placeholdersIn } from "../domain/template.ts";
import { loadWorkflow } from "./load.ts";
import { drawWorkflow } from "./picture.ts";

const folder = new URL("../../workflows/dynamic-ralph/", import.meta.url);
const { definition, problems, notes } = loadWorkflow(
  readFileSync(new URL("workflow.yml", folder), "utf8"),
  "workflow.yml",
  known,
);
const stories = definition?.steps[0] as StoriesStep;
const agentSteps = stories.body.filter((step): step is AgentStep => step.kind === "agent");
const types = agentSteps.filter((step) => !step.spare);
const stepOf = (name: string) => agentSteps.find((step) => step.name === name) as AgentStep;
const integrate = stories.body.at(-1) as IntegrateStep;

describe("[WF60] the bundled dynamic-ralph", () => {
  test("loads without a problem, and its role file is there", () => {
    expect({ problems, notes }).toEqual({ problems: [], notes: [] });
    expect(definition).toMatchObject({ protocol: "ralph", workspace: { onFailure: "reset" } });
    const files = Object.values(definition?.agents ?? {}).flatMap((agent) => Object.values(agent.files));
    expect(files.map((file) => existsSync(new URL(file, folder)))).toEqual([true]);
  });

  test("[C18 C101] ten types of steps in the order and with the descriptions of the format", () => {
    expect(types.map(({ name, title }) => [name, title])).toEqual([
      ["context_gathering", "Explore codebase, DB schema, docs, and related code"],
      ["planning", "Produce implementation plan based on gathered context"],
      ["architecture", "Design code structure and identify files to modify"],
      ["test_architecture", "Design test strategy and identify test files"],
      ["coding", "Implement the changes"],
      ["linting", "Run formatters and lint checks"],
      ["initial_testing", "Run tests and identify failures"],
      ["review", "Self-review against acceptance criteria"],
      ["prune_tests", "Remove redundant tests"],
      ["final_review", "Final verification and commit"],
    ]);
    expect(stories.ids).toBe("numbers");
  });

  test("[C75 C29] the time of each", () => {
    expect(agentSteps.map(({ wallMs }) => (wallMs ?? 0) / 60_000)).toEqual([15, 10, 10, 10, 30, 5, 20, 10, 10, 15, 15]);
  });

  test("[C45 C55 C57] who may edit, what is never skipped, what stays last", () => {
    expect(agentSteps.filter(({ editable }) => editable).map(({ name }) => name)).toEqual([
      "planning",
      "architecture",
      "test_architecture",
      "coding",
      "initial_testing",
      "review",
      "final_review",
    ]);
    expect(agentSteps.filter(({ mandatory }) => mandatory).map(({ name }) => name)).toEqual([
      "linting",
      "final_review",
    ]);
    expect(agentSteps.filter(({ last }) => last).map(({ name }) => name)).toEqual(["final_review"]);
    expect(stepOf("linting").follows).toEqual(["coding"]);
    expect([stories.maxSteps, stories.restarts]).toEqual([30, 3]);
  });

  test("[C31 C79 C107] a failed step fails its story, and no other", () => {
    for (const { onError } of agentSteps) expect(onError).toMatchObject({ route: { to: "fail" }, limit: null });
    expect(stories.storyBudget).toMatchObject({ atMost: 0, then: { to: "fail" } });
    expect(stories.onStoryFailed).toBe("continue");
  });

  test("[C86 C87 C89] several stories at once, each in a tree, with services of its own", () => {
    expect(stories).toMatchObject({ concurrency: 4, workspace: "worktree", branchPrefix: "ralph/" });
    expect(definition?.workspace.env).toEqual({ COMPOSE_PROJECT_NAME: "ralph_agent_{{slot}}" });
  });

  test("[C90 C91] a story becomes one commit; what does not fit is resolved and reviewed again", () => {
    expect(integrate).toMatchObject({ kind: "integrate", message: "feat(ralph): {{story}} - {{title}}" });
    expect(integrate.checks).toEqual([{ run: "project.lint" }, { run: "project.test" }]);
    for (const key of ["rejected:conflict", "rejected:checks"] as const) {
      expect(integrate.on[key]).toMatchObject({
        route: { to: "insert", steps: ["rebase_resolve"], before: "final_review" },
        limit: { atMost: 20, then: { to: "fail" } },
      });
    }
    expect(integrate.on.rejected?.route.to).toBe("fail");
    expect(integrate.onError).toMatchObject({ route: { to: "again" }, limit: { atMost: 5, then: { to: "fail" } } });
    expect(stepOf("rebase_resolve")).toMatchObject({ spare: true });
  });

  test.each(["review", "final_review"])("[PR33] what %s rejects is coded again, with what it found", (name) => {
    const limit = { atMost: 2, then: { to: "fail" } };
    expect(stepOf(name).on.rejected).toMatchObject({ route: { to: "back_to", step: "coding" }, limit });
  });

  test("[C28] what the final review calls done is checked, and goes back to it with what was red", () => {
    const review = stepOf("final_review");
    expect(review.checks).toEqual([{ run: "project.lint" }, { run: "project.test" }]);
    const limit = { atMost: 2, then: { to: "fail" } };
    expect(review.on["rejected:checks"]).toMatchObject({ route: { to: "again" }, limit });
    expect(review.input).toContain("{{feedback}}");
  });
});

describe("[WF60] what each step is told", () => {
  test.each(agentSteps.map((step) => [step.name, step] as const))("[C1 C4 C11 C18 C72] %s", (_, step) => {
    const keys = placeholdersIn(step.input).map(({ key }) => key);
    const parts = ["task", "current_story", "step_description", "step_notes", "scratch", "story_scratch"];
    expect(keys).toEqual(expect.arrayContaining(parts));
    expect(parts.map((key) => keys.indexOf(key))).toEqual(
      parts.map((key) => keys.indexOf(key)).toSorted((left, right) => left - right),
    );
    for (const heading of ["You receive: ", "You produce: ", "Key instructions:", "Done when: ", "Do not: "])
      expect(step.input).toContain(`- ${heading}`);
    expect(step.input.slice(-700)).toContain("End your response with a SUMMARY section (3-5 lines)");
    expect(step.summary).toBe(true);
    // Only who may change the chain sees it, with the way to do so.
    for (const key of ["step_list", "edit_help"]) expect(keys.includes(key)).toBe(step.editable === true);
  });

  test.each([
    ["architecture", "{{layer_rule}}"],
    ["coding", "{{tool_hints}}"],
    ["linting", "{{lint_command}}"],
    ["initial_testing", "{{test_command}}"],
    ["review", "cite the file and the line"],
    ["review", "{{layer_rule}}"],
    ["final_review", "{{lint_command}}"],
    ["final_review", "{{test_command}}"],
    ["rebase_resolve", "git rebase {{base}}"],
    ["rebase_resolve", "{{feedback}}"],
  ])("[C21 C23 C24 C25 C26 C28 C91] %s: %s", (name, text) => {
    expect(stepOf(name).input.replace(/\s+/g, " ")).toContain(text);
  });

  test("reads well where nothing is configured", () => {
    for (const key of ["lint_command", "test_command", "layer_rule", "tool_hints"])
      expect(definition?.context[key]?.length).toBeGreaterThan(40);
  });

  test("names nothing of the project that the format was first written for", () => {
    for (const { input } of agentSteps)
      expect(input).not.toMatch(/uv run|pre-commit|run_agent_tests|alembic|api -> core/i);
  });
});

test("[WF59] its picture shows the spare step, the flags, and how stories run", () => {
  const picture = definition ? drawWorkflow(definition) : "";
  expect(picture).toContain("● stories  stories, 4 at a time, each in a tree of its own, on ralph/STORY");
  expect(picture).toContain("○ rebase_resolve     agent ralph, 15m at most");
  expect(picture).toContain(
    "● integrate          one commit on the base: feat(ralph): {{story}} - {{title}}, 1h at most",
  );
  expect(picture).toContain("rejected conflict → first rebase_resolve, then all from final_review on, at most 20");
  expect(Math.max(...picture.split("\n").map((line) => line.length))).toBeLessThanOrEqual(100);
});
