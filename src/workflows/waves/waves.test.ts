// What a table of stages becomes: which neighbours form a wave, in the chain and in what routes insert, and where routes lead then.

import { readFileSync } from "node:fs";
import { describe, expect, test } from "vitest";
import { known } from "../../../test/support/protocols.ts";
import type { AgentStep, StepDefinition } from "../../domain/definition.ts";
import { loadWorkflow } from "../load.ts";

const hold = '{ gate: "What now?", options: { again: again, stop: fail } }';

/** A stage of the body, with more fields. */
const stage = (id: string, more = "") =>
  `      - { id: ${id}, agent: skill, input: "${id} {{phase}}", summary: true, on: { rejected: ${hold} }, on_error: ${hold}${more && `, ${more}`} }`;

const decision = (on = `fix: { gate: "?", options: { stop: fail } }`) => `      - id: post
        decision: verification
        waits: true
        on: { proceed: next, ${on}, unknown: ${hold} }
        on_error: ${hold}`;

const table = (...stages: readonly string[]) => `pawl: 1
protocol: lifecycle
id: stages
context: { mode: quick }
agents:
  skill: { name: Skill }
steps:
  - id: locate
    decision: locate
    on: { brainstorm: ${hold}, init: ${hold}, roadmap: ${hold}, phases: next, audit: next, complete: next, unknown: ${hold} }
    on_error: ${hold}
  - id: phases
    stories: {}
    body:
${stages.join("\n")}
`;

function bodyOf(...stages: readonly string[]): readonly StepDefinition[] {
  const { definition, problems } = loadWorkflow(table(...stages), "workflow.yml", known);
  const errors = problems.filter(({ severity }) => severity === "error");
  if (definition === null) throw new Error(JSON.stringify(errors, null, 2));
  return definition.steps.flatMap((step) => (step.kind === "stories" ? step.body : []));
}

function refusedIn(...stages: readonly string[]): readonly string[] {
  return loadWorkflow(table(...stages), "workflow.yml", known).problems.flatMap(({ severity, message }) =>
    severity === "error" ? [message] : [],
  );
}

const partsIn = (step: StepDefinition | undefined) => {
  const of = (step as AgentStep | undefined)?.parts?.of;
  return of !== undefined && "list" in of ? of.list.map(({ name }) => name as string) : [];
};

/** Each step of a chain: its name, or the names of its wave. */
const waves = (...stages: readonly string[]) =>
  bodyOf(...stages)
    .filter(({ spare }) => spare !== true)
    .map((step) => (partsIn(step).length === 0 ? step.name : partsIn(step)));

describe("a wave", () => {
  test("[LW1 E11 E48] has the neighbours that are no barriers and do not depend on each other", () => {
    expect(waves(stage("lint"), stage("types"), stage("audit"))).toEqual([["lint", "types", "audit"]]);
    const [wave] = bodyOf(stage("lint", 'timeout: 1m, reads: ["a.md"]'), stage("types"));
    expect(wave).toMatchObject({
      name: "lint-and-types",
      title: "lint, types",
      summary: true,
      parts: {
        need: "all",
        others: "finish",
        rejected: "alone",
        of: {
          list: [
            { name: "lint", agent: "skill", input: "lint {{phase}}", wallMs: 60_000, reads: ["a.md"] },
            { name: "types", agent: "skill", input: "types {{phase}}" },
          ],
        },
      },
    });
  });

  test.each([
    ["a barrier", [stage("a"), stage("b", "barrier: true"), stage("c"), stage("d")], ["a", "b", ["c", "d"]]],
    ["a dependent step", [stage("a"), stage("b", "dependent: true"), stage("c")], ["a", ["b", "c"]]],
    ["a decision", [stage("a"), decision(), stage("b"), stage("c")], ["a", "post", ["b", "c"]]],
    [
      "a command",
      [stage("a"), `      - { id: lint, command: "true", on: { rejected: fail } }`, stage("b")],
      ["a", "lint", "b"],
    ],
    ["a step that asks first", [stage("a"), stage("b", "waits: true")], ["a", "b"]],
    ["a step that gives a key to others", [stage("a"), stage("b", "produces: [x]")], ["a", "b"]],
    ["a condition", [stage("a"), stage("b", "if: { mode: quick }")], ["a", "b"]],
    ["a step that leads elsewhere", [stage("a"), stage("b").replace("stop: fail", "stop: next")], ["a", "b"]],
  ])("[LW1 E11 E48] ends at %s", (_what, stages, expected) => {
    expect(waves(...stages)).toEqual(expected);
  });

  test("[LW1] spare steps stand in no wave of the chain", () => {
    const body = bodyOf(
      stage("a"),
      stage("fix", "spare: true"),
      stage("b"),
      decision("fix: { insert: [fix], at_most: 1, then: fail }"),
    );
    expect(body.map(({ name }) => name)).toEqual(["a-and-b", "fix", "post"]);
  });

  test("[LW1 E48] the seed's table has none", () => {
    const text = readFileSync(new URL("../../../workflows/lifecycle/workflow.yml", import.meta.url), "utf8");
    const { definition } = loadWorkflow(text, "workflow.yml", known);
    const steps = definition?.steps.flatMap((step) => (step.kind === "stories" ? [step, ...step.body] : [step])) ?? [];
    expect(steps.length).toBeGreaterThan(20);
    expect(steps.filter((step) => "parts" in step)).toEqual([]);
  });
});

describe("routes and waves", () => {
  const fix = (steps: string) => decision(`fix: { insert: [${steps}], at_most: 2, then: fail }`);
  const inserted = (body: readonly StepDefinition[]) => {
    const post = body.find(({ name }) => name === "post");
    const route = post?.kind === "decision" ? post.on["=fix"]?.route : undefined;
    return route?.to === "insert" ? route.steps : [];
  };

  test("[LW2 E48] what a route inserts forms the wave of the chain, another one, or none", () => {
    const same = bodyOf(stage("a"), stage("b"), fix("debug, a, b"), stage("debug", "spare: true, barrier: true"));
    expect(inserted(same)).toEqual(["debug", "a-and-b"]);
    expect(same.map(({ name }) => name)).toEqual(["a-and-b", "post", "debug"]);
    const other = bodyOf(stage("a"), stage("b"), stage("c"), fix("debug, a, c"), stage("debug", "spare: true"));
    expect(inserted(other)).toEqual(["debug-and-a-and-c"]);
    expect(other.find(({ name }) => name === "debug-and-a-and-c")).toMatchObject({ spare: true });
    const alone = bodyOf(stage("a"), stage("b"), fix("b"));
    expect(inserted(alone)).toEqual(["b"]);
    expect(alone.map(({ name, spare }) => [name, spare])).toEqual([
      ["a-and-b", undefined],
      ["b", true],
      ["post", undefined],
    ]);
  });

  test("[LW3] a route to its first step leads to the wave; one into its middle is refused", () => {
    const back = (to: string) => decision(`fix: { back_to: ${to}, at_most: 2, then: fail }`);
    const post = bodyOf(stage("a"), stage("b"), back("a")).find(({ name }) => name === "post");
    expect(post).toMatchObject({ on: { "=fix": { route: { to: "back_to", step: "a-and-b" } } } });
    expect(refusedIn(stage("a"), stage("b"), back("b"))).toContain(
      "Step 'post': 'b' runs in one wave with 'a', so nothing leads to it alone",
    );
  });

  test("[LW4] a step whose rejection leads to another step keeps that route for the whole wave", () => {
    const sends = (id: string) =>
      stage(id).replace(`rejected: ${hold}`, "rejected: { back_to: plan, at_most: 1, then: fail }");
    const [, wave] = bodyOf(stage("plan", "barrier: true"), sends("a"), sends("b"));
    expect(wave).toMatchObject({
      parts: { need: "all" },
      on: { rejected: { route: { to: "back_to", step: "plan" } } },
    });
    expect((wave as AgentStep).parts?.rejected).toBeUndefined();
  });

  test("[LW1] long names are counted instead", () => {
    const names = ["a", "b", "c"].map((letter) => letter.repeat(30));
    const [wave] = bodyOf(...names.map((name) => stage(name)));
    expect(wave?.name).toBe(`${"a".repeat(30)}-and-2-more`);
  });
});

test("[LW5] `dependent` is refused where no steps run at once", () => {
  const text =
    "pawl: 1\nid: x\nagents: { a: {} }\nsteps:\n  - { id: one, agent: a, input: x }\n  - { id: two, agent: a, input: x, dependent: true }\n";
  const { problems } = loadWorkflow(text, "workflow.yml", known);
  expect(problems.map(({ message }) => message)).toContain(
    "Step 'two': `dependent` has no effect: the steps of this file never run at once",
  );
});
