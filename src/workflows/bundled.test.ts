// What holds for every bundled workflow: each step tells its agent a way to fail that it has, and each review can reject.

import { readdirSync, readFileSync } from "node:fs";
import { describe, expect, test } from "vitest";
import { findBundled } from "../../test/support/bundled.ts";
import { known } from "../../test/support/protocols.ts";
import type { AgentStep, StepDefinition } from "../domain/definition.ts";
import { loadWorkflow } from "./load.ts";

const folder = new URL("../../workflows/", import.meta.url);

function agentStepsOf(steps: readonly StepDefinition[]): readonly AgentStep[] {
  return steps.flatMap((step) =>
    step.kind === "stories" ? agentStepsOf(step.body) : step.kind === "agent" ? [step] : [],
  );
}

const bundled = readdirSync(folder).flatMap((id) => {
  const file = id === "agentic-coding" ? "step-rules.yml" : "workflow.yml";
  const text = readFileSync(new URL(`${id}/${file}`, folder), "utf8");
  const { definition } = loadWorkflow(text, file, known, { find: findBundled });
  return agentStepsOf(definition?.steps ?? []).map((step) => {
    // The prompts of a rules table are those of its protocol, and the input of a skill is its call: how to answer is in the role file.
    const roles = Object.values(definition?.agents[step.agent]?.files ?? {});
    const told =
      definition?.dialect === "rules" || definition?.protocol === "lifecycle"
        ? roles.map((role) => readFileSync(new URL(`${id}/${role}`, folder), "utf8")).join("\n")
        : step.input;
    return [`${id}: ${step.name}`, step, told] as const;
  });
});

describe("[PR33] every bundled step", () => {
  test.each(bundled)("%s: its agent is told how to fail", (_name, _step, told) => {
    const said = told.replace(/\s+/g, " ");
    expect(said).toContain("`STATUS: failed`");
    expect(said).toContain("`REASON:`");
  });

  // Skills judge in a result file, and a decision reads it.
  const judges = bundled.filter(
    ([name]) => /: .*(?:review|verify|test$)/.test(name) && !name.startsWith("lifecycle: "),
  );
  test.each(judges)("%s can reject", (_, step, told) => {
    const back = Object.values(step.on).filter((rule) => rule?.route.to === "back_to");
    expect(back).not.toEqual([]);
    const words = step.decide === null ? ["STATUS: retry"] : ["needs_fixes"];
    for (const word of words) expect(told).toContain(word);
  });
});

test("[PR33] no role file tells an agent to choose its exit code", () => {
  const roles = readdirSync(folder, { recursive: true, encoding: "utf8" }).filter((name) => name.endsWith("AGENTS.md"));
  expect(roles.length).toBeGreaterThan(10);
  for (const name of roles) {
    const text = readFileSync(new URL(name, folder), "utf8");
    expect(text).toContain("`STATUS: failed`");
    expect(text).not.toMatch(/exit code/i);
  }
});

test.each(["parallel-review", "release", "nightly-audit"])(
  "[IN12] %s loads without a problem, with its includes",
  (id) => {
    const text = readFileSync(new URL(`${id}/workflow.yml`, folder), "utf8");
    const { definition, problems } = loadWorkflow(text, `${id}/workflow.yml`, known, {
      plans: true,
      find: findBundled,
    });
    expect(problems).toEqual([]);
    expect(Object.values(definition?.includes ?? {}).map(({ workflow }) => workflow)).toEqual(
      id === "parallel-review" ? [] : ["parallel-review"],
    );
  },
);
