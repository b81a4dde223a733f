// The bundled lifecycle: its stages, what runs alone, where decisions lead, and that debug comes first.

import { existsSync, readFileSync } from "node:fs";
import { describe, expect, test } from "vitest";
import { known } from "../../test/support/protocols.ts";
import type { AgentStep, DecisionStep, StepDefinition, StoriesStep } from "../domain/definition.ts";
import type { Route } from "../domain/route.ts";
import { loadWorkflow } from "./load.ts";
import { drawWorkflow } from "./picture.ts";

const folder = new URL("../../workflows/lifecycle/", import.meta.url);
const text = readFileSync(new URL("workflow.yml", folder), "utf8");
const { definition, problems, notes } = loadWorkflow(text, "workflow.yml", known, { plans: true });
const phases = definition?.steps.find((step) => step.kind === "stories") as StoriesStep;
const steps: readonly StepDefinition[] = (definition?.steps ?? []).flatMap((step) =>
  step.kind === "stories" ? step.body : [step],
);
const agents = steps.filter((step): step is AgentStep => step.kind === "agent");
const decisions = steps.filter((step): step is DecisionStep => step.kind === "decision");
const routeOf = ({ on }: DecisionStep, value: string) => on[`=${value}`]?.route;
const inserted = (route: Route | undefined) => (route?.to === "insert" ? route.steps : []);

describe("[LD9] the bundled lifecycle", () => {
  test("[E76] loads without a problem, and each of its 14 skills has a role file", () => {
    expect({ problems, notes }).toEqual({ problems: [], notes: [] });
    const files = Object.values(definition?.agents ?? {}).flatMap((agent) => Object.values(agent.files));
    expect(files).toHaveLength(14);
    expect(files.filter((file) => !existsSync(new URL(file, folder)))).toEqual([]);
  });

  test("[E26 E10] has the seed's stages with their calls; five of them, and the plan of gaps, run alone", () => {
    const stages = agents.map(({ name, input, barrier = false }) => [name, input, barrier]);
    expect(stages).toEqual([
      ["brainstorm", 'maestro-brainstorm "{{intent}}"', true],
      ["init", "maestro-init", false],
      ["roadmap", 'maestro-roadmap "{{intent}}"', true],
      ["analyze", "maestro-analyze {{phase}}", true],
      ["plan", "maestro-plan {{phase}}", true],
      ["execute", "maestro-execute {{phase}}", true],
      ["verify", "maestro-verify {{phase}}", false],
      ["business-test", "quality-business-test {{phase}}", false],
      ["review", "quality-review {{phase}}", false],
      ["test-gen", "quality-test-gen {{phase}}", false],
      ["test", "quality-test {{phase}}", false],
      ["debug", 'quality-debug "{{gap_summary}}"', false],
      ["debug-business-test", "quality-debug --from-business-test {{phase}}", false],
      ["debug-uat", "quality-debug --from-uat {{phase}}", false],
      ["plan-gaps", "maestro-plan --gaps {{phase}}", true],
      ["milestone-audit", "maestro-milestone-audit", false],
      ["milestone-complete", "maestro-milestone-complete", false],
    ]);
  });

  test("[E9 E28 E38 E39 E40 E41] waits before its five decisions; each sends the work back twice, then to a person", () => {
    const waiting = decisions.filter(({ waits }) => waits);
    expect(waiting.map(({ name, reader }) => [name, reader])).toEqual([
      ["post-verify", "verification"],
      ["post-business-test", "business-test"],
      ["post-review", "review"],
      ["post-test", "uat"],
      ["post-milestone", "milestone"],
    ]);
    const loops = waiting.slice(0, 4).map((step) => [step.name, ...inserted(routeOf(step, "fix"))]);
    expect(loops).toEqual([
      ["post-verify", "debug", "plan-gaps", "execute", "verify"],
      ["post-business-test", "debug-business-test", "plan-gaps", "execute", "verify", "post-verify", "business-test"],
      ["post-review", "debug", "plan-gaps", "execute", "review"],
      [
        "post-test",
        "debug-uat",
        "plan-gaps",
        "execute",
        "verify",
        "post-verify",
        "business-test",
        "post-business-test",
        "review",
        "post-review",
        "test-gen",
        "test",
      ],
    ]);
    for (const step of waiting.slice(0, 4)) {
      const limit = step.on["=fix"]?.limit;
      expect(limit?.atMost).toBe(2);
      const fix = inserted(routeOf(step, "fix"));
      // What found the fault runs again when a person has mended it.
      expect(inserted(limit?.then)).toEqual([fix[0], "escalate", fix.at(-1)]);
    }
  });

  test("[E46] debug comes first, whatever failed", () => {
    const repairs = decisions.map((step) => inserted(routeOf(step, "fix"))).filter((list) => list.length > 0);
    expect(repairs.map(([first]) => first?.startsWith("debug"))).toEqual([true, true, true, true]);
  });

  test("[E20 E24] a phase goes to where it stands; what failed goes to the decision that reads it again", () => {
    const stand = phases.body[0] as DecisionStep;
    const targets = Object.entries(stand.on).map(([key, rule]) => {
      const route = rule?.route;
      return [key.slice(1), route?.to === "go_to" ? route.step : route?.to];
    });
    expect(Object.fromEntries(targets)).toMatchObject({
      analyze: "next",
      plan: "plan",
      "verify-failed": "post-verify",
      "review-failed": "post-review",
      "test-failed": "post-test",
      unknown: "gate",
    });
  });

  test("[WF107] what runs alone is said in the picture, and only agents and commands may", () => {
    expect(definition && drawWorkflow(definition)).toContain("runs alone; ends with a summary");
    const refused = text.replace("    decision: locate\n", "    decision: locate\n    barrier: true\n");
    expect(loadWorkflow(refused, "w.yml", known, { plans: true }).problems[0]?.message).toBe(
      "Step 'locate': `barrier` has no effect on a decision step",
    );
  });
});
