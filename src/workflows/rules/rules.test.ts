import { existsSync, readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { describe, expect, test } from "vitest";
import { known as protocols } from "../../../test/support/protocols.ts";
import type { AgentStep, Definition, StepDefinition } from "../../domain/definition.ts";
import type { Route } from "../../domain/route.ts";
import { storyPath } from "../../domain/story-path.ts";
import { loadWorkflow } from "../load.ts";
import { checkCommands } from "./checks.ts";
import { commandsInRules, type EffectiveRules, rulesFor } from "./rules-for.ts";

const base = readFileSync(new URL("../../../workflows/agentic-coding/step-rules.yml", import.meta.url), "utf8");
const samples = fileURLToPath(new URL("../../../../shared/samples/agentic-coding-framework/", import.meta.url));
const absent = !existsSync(samples);
if (absent) console.warn(`skipped: the published tables are not at ${samples}`);

function effective(text: string | null): EffectiveRules {
  return rulesFor({ text, file: ".ai/step-rules.yaml", base }, protocols);
}

function definitionOf(text: string | null): Definition {
  const { definition, problems } = effective(text);
  expect(problems).toEqual([]);
  if (!definition) throw new Error("no definition");
  return definition;
}

function bodyOf(definition: Definition): readonly StepDefinition[] {
  const [stories] = definition.steps;
  if (stories?.kind !== "stories") throw new Error("no stories");
  return stories.body;
}

function stepOf(text: string | null, name: string): AgentStep {
  const step = bodyOf(definitionOf(text)).find((each) => each.name === name);
  if (step?.kind !== "agent") throw new Error(`no step ${name}`);
  return step;
}

function errorsOf(text: string): readonly string[] {
  const { problems, definition, table } = effective(text);
  expect([definition, table]).toEqual([null, null]);
  return problems.filter(({ severity }) => severity === "error").map(({ path, message }) => `${path}: ${message}`);
}

const brief = (route: Route | undefined) =>
  route === undefined ? "-" : "step" in route ? `${route.to} ${route.step}` : route.to;

function routesOf(step: StepDefinition): Readonly<Record<string, string>> {
  if (step.kind === "gate")
    return Object.fromEntries(Object.entries(step.options).map(([key, route]) => [key, brief(route)]));
  if (step.kind !== "agent") return {};
  return Object.fromEntries(Object.entries(step.on).map(([key, rule]) => [key, brief(rule?.route)]));
}

describe("the bundled table", () => {
  test("[TB9 TB3 TB4 D30 D31 D32 D33 D34 D35 D36 D37] its steps, their limits and where they lead", () => {
    const definition = definitionOf(null);
    expect(definition).toMatchObject({ id: "agentic-coding", dialect: "rules", protocol: "agentic" });
    const limits = bodyOf(definition).map((step) =>
      step.kind === "agent"
        ? [step.name, step.title, (step.budget?.atMost ?? -2) + 1, (step.wallMs ?? 0) / 60_000]
        : [step.name, step.title],
    );
    expect(limits).toEqual([
      ["bdd", "BDD", 3, 5],
      ["sdd-delta", "SDD Delta", 3, 5],
      ["contract", "Contract", 2, 5],
      ["review", "Review"],
      ["scaffold", "Test Scaffolding", 2, 5],
      ["impl", "Implementation", 5, 10],
      ["verify", "Verify", 2, 5],
      ["update-memory", "Update Memory", 2, 3],
      ["integrate", "Integrate"],
    ]);
    const routes = Object.fromEntries(bodyOf(definition).map((step) => [step.name, routesOf(step)]));
    expect(routes).toMatchObject({
      bdd: { passed: "next", rejected: "again" },
      review: {
        approve: "next",
        reject: "back_to bdd",
        "reject:needs_clarification": "back_to bdd",
        "reject:constitution_violation": "back_to sdd-delta",
        "reject:scope_warning": "back_to sdd-delta",
      },
      impl: {
        rejected: "again",
        "rejected:constitution_violation": "back_to sdd-delta",
        "rejected:needs_clarification": "back_to review",
        "rejected:scope_warning": "back_to review",
      },
      verify: { rejected: "back_to impl" },
    });
    expect(Object.keys(routes["review"] ?? {})[0]).toBe("approve");
  });

  test("[TB7 D30 D31 D32 D34 D35 D36 D37] what its sessions read and may write", () => {
    const bdd = "docs/bdd/US-{story}.md";
    const delta = "docs/deltas/US-{story}.md";
    const api = "docs/api/openapi.yaml";
    const handoff = ".ai/HANDOFF.md";
    const project = ["PROJECT_CONTEXT.md", "PROJECT_MEMORY.md"];
    const agents = bodyOf(definitionOf(null)).filter((step): step is AgentStep => step.kind === "agent");
    expect(Object.fromEntries(agents.map(({ name, reads, writes }) => [name, { reads, writes }]))).toEqual({
      bdd: { reads: [...project, handoff], writes: [bdd] },
      "sdd-delta": { reads: [...project, bdd, "docs/sdd.md", handoff], writes: [delta] },
      contract: { reads: ["docs/sdd.md", delta, api, handoff], writes: [api] },
      scaffold: { reads: [bdd, "docs/nfr.md", api, handoff], writes: ["*_test.go", "*.spec.ts"] },
      impl: { reads: ["docs/sdd.md", api, handoff], writes: ["*.go", "*.ts"] },
      verify: { reads: [bdd, delta, api, "docs/constitution.md", handoff], writes: ["docs/sdd.md"] },
      "update-memory": { reads: ["PROJECT_MEMORY.md", ".ai/STATE.json", handoff], writes: ["PROJECT_MEMORY.md"] },
    });
  });

  test("[TB5 D12 D48 D51] attempts count however they end, and a time-out asks", () => {
    const { budget, onError, onErrorBy } = stepOf(null, "impl");
    expect(budget).toMatchObject({ atMost: 4, errors: true, then: { to: "gate" } });
    expect(budget?.then).toHaveProperty("question", "{{current_story_id}} stuck at impl (5 attempts). What now?");
    expect(onError).toEqual({ route: { to: "again" }, limit: null });
    expect(onErrorBy?.timed_out?.route).toMatchObject({
      to: "gate",
      question: "{{current_story_id}}'s impl timed out (10 minutes). What now?",
    });
  });

  test("[TB6 D63 D67] tests and lint are the project's own; Go's only where there is a go.mod", () => {
    expect(stepOf(null, "bdd").checks).toEqual([]);
    expect(stepOf(null, "scaffold").checks).toEqual([{ run: "project.test", must: "fail", as: "tests" }]);
    expect(stepOf(null, "impl").checks).toEqual([
      { run: "project.test", as: "tests" },
      { run: "project.lint", as: "lint" },
    ]);
    expect(stepOf(null, "verify").checks).toEqual([{ run: "project.test", as: "tests" }]);
    const commands = checkCommands({ lint: null, test: null }, true);
    const go = rulesFor({ text: null, file: "x", base }, protocols, { commands }).definition;
    const impl = go && bodyOf(go).find(({ name }) => name === "impl");
    expect(impl).toMatchObject({
      checks: [
        { run: "go test ./... -json", reads: "go-json", as: "tests" },
        { run: "go vet ./... && golangci-lint run", as: "lint" },
      ],
    });
    expect(checkCommands({ lint: "npm run lint", test: null }, true).lint).toBe("project.lint");
    expect(checkCommands({ lint: null, test: null }, false).test).toEqual({ run: "project.test" });
  });

  test("[TB7 D61 D103] the hand-off is always read, and verify may write the design", () => {
    expect(stepOf(null, "update-memory")).toMatchObject({
      reads: ["PROJECT_MEMORY.md", ".ai/STATE.json", ".ai/HANDOFF.md"],
      writes: ["PROJECT_MEMORY.md"],
    });
    expect(stepOf(null, "bdd").reads).toEqual(["PROJECT_CONTEXT.md", "PROJECT_MEMORY.md", ".ai/HANDOFF.md"]);
    expect(stepOf(null, "verify").writes).toEqual(["docs/sdd.md"]);
  });

  test("[TB3 D50] a story that does not fit on its base goes back to impl, twice", () => {
    const integrate = bodyOf(definitionOf(null)).at(-1);
    expect(integrate).toMatchObject({
      kind: "integrate",
      on: { rejected: { route: { to: "back_to", step: "impl" }, limit: { atMost: 2, then: { to: "gate" } } } },
      checks: [{ run: "project.test", as: "tests" }],
    });
  });
});

describe("the published tables", () => {
  const load = (name: string) => effective(readFileSync(samples + name, "utf8"));

  test.skipIf(absent)("[TB9] version 0.6 gives the same routes as the bundled one", () => {
    const { definition, problems, notes } = load("from-seed/step-rules.protocol-v0.6.yaml");
    expect([problems, notes]).toEqual([[], []]);
    const routes = (each: Definition | null) => each && bodyOf(each).map((step) => [step.name, routesOf(step)]);
    expect(routes(definition)).toEqual(routes(definitionOf(null)));
  });

  test.skipIf(absent)(
    "[TB9 TB6 TB7] version 0.18 has a commit step, red tests and a check that names its story",
    () => {
      const { definition, problems, notes } = load("step-rules.protocol-v0.18.yaml");
      expect(problems).toEqual([]);
      expect(notes).toEqual([expect.stringContaining("`treat_failing_as_pass`: its tests must fail (red)")]);
      const body = definition === null ? [] : bodyOf(definition);
      expect(body.map(({ name }) => name).slice(6)).toEqual(["verify", "commit", "update-memory", "integrate"]);
      expect(body[0]).toMatchObject({
        checks: [{ run: `grep -q '## Behavior Delta' docs/deltas/"US-\${STORY#US-}".md`, as: "lint" }],
        env: { STORY: "{{current_story_id}}" },
      });
    },
  );

  test.skipIf(absent)("[TB9 TM2 TM3 D79 D80] the protocol's own teams load without a word", () => {
    expect(load("from-seed/step-rules.dispatch_mode.yaml")).toMatchObject({ problems: [], notes: [] });
    const fragment = readFileSync(`${samples}from-seed/step-rules.team_roles.yaml`, "utf8");
    const below = `steps:\n${fragment.replace(/^(?=.)/gm, "  ")}`;
    const { problems, notes, table, definition } = effective(below);
    expect([problems, notes]).toEqual([[], []]);
    expect(table?.steps["impl"]?.team_roles).toEqual(effective(null).table?.steps["impl"]?.team_roles);
    expect(definition && stepOf(below, "impl").parts).toEqual(stepOf(null, "impl").parts);
    expect(errorsOf(fragment)).toEqual(["impl: unknown key `impl`"]);
  });
});

describe("a project's own rules", () => {
  test("[TB2 D40] change what they name and nothing else", () => {
    const text =
      "steps:\n  impl:\n    post_check: eslint . && tsc --noEmit\n    max_attempts: 2\n    on_fail: { scope_warning: bdd }\n";
    const impl = stepOf(text, "impl");
    expect(impl.budget?.atMost).toBe(1);
    expect(impl.checks.at(-1)).toEqual({ run: "eslint . && tsc --noEmit", as: "lint" });
    expect(routesOf(impl)).toMatchObject({
      "rejected:scope_warning": "back_to bdd",
      "rejected:needs_clarification": "back_to review",
    });
    expect(stepOf(text, "verify")).toEqual(stepOf(null, "verify"));
    expect(effective(text).table?.steps["impl"]).toMatchObject({ max_attempts: 2, timeout_min: 10 });
    expect(stepOf("steps: { impl: { post_check: null } }", "impl").checks).toEqual([
      { run: "project.test", as: "tests" },
    ]);
    expect(definitionOf("# nothing yet\n")).toEqual(definitionOf(null));
  });

  test("[TB3 D41] put a step in between", () => {
    const text = `steps:
  verify: { next_on_pass: scan }
  scan: { title: Security scan, instruction: Look for leaks, next_on_pass: update-memory, post_check: npm audit, on_fail: { default: impl, nfr_missing: update-memory } }
`;
    const names = bodyOf(definitionOf(text)).map(({ name }) => name);
    expect(names.slice(-4)).toEqual(["verify", "scan", "update-memory", "integrate"]);
    expect(stepOf(text, "scan")).toMatchObject({
      budget: { atMost: 2 },
      wallMs: 300_000,
      checks: [{ run: "npm audit" }],
    });
    expect(routesOf(stepOf(text, "scan"))).toMatchObject({
      rejected: "back_to impl",
      "rejected:nfr_missing": "go_to update-memory",
    });
  });

  test("[TB1 TB2] a table with pawl_rules stands alone, and is recognised by what it has", () => {
    const table =
      "steps:\n  plan: { instruction: Plan it, next_on_pass: build }\n  build: { instruction: Build it, next_on_pass: done }\n";
    const alone = definitionOf(`pawl_rules: 1\nid: two\n${table}`);
    expect(alone.id).toBe("two");
    expect(bodyOf(alone).map(({ name }) => name)).toEqual(["plan", "build"]);
    expect(loadWorkflow(table, "other.yml", protocols).definition?.dialect).toBe("rules");
    expect(
      loadWorkflow("steps: { impl: { max_attempts: 1 } }", "a/step-rules.yaml", protocols, { rules: { base } })
        .definition?.id,
    ).toBe("agentic-coding");
    expect(loadWorkflow("steps: { impl: { max_attempts: 1 } }", "w.yml", protocols).definition).toBeNull();
  });

  test.each([
    ["an unknown key", "steps: { impl: { max_attemps: 3 } }", "steps.impl.max_attemps: unknown key `max_attemps`"],
    [
      "an unknown target",
      "steps: { impl: { next_on_pass: verfy } }",
      "steps.impl.next_on_pass: Step 'impl': `next_on_pass` names `verfy`, which is not a step",
    ],
    [
      "an unknown target of a reason",
      "steps: { impl: { on_fail: { scope_warning: revue } } }",
      "steps.impl.on_fail.scope_warning: Step 'impl': `on_fail.scope_warning` names `revue`, which is not a step",
    ],
    ["no attempts", "steps: { impl: { max_attempts: 0 } }", "steps.impl.max_attempts: `max_attempts` cannot be"],
    ["fewer than none", "steps: { impl: { timeout_min: -5 } }", "steps.impl.timeout_min: `timeout_min` cannot be"],
    ["no time", "steps: { impl: { timeout_min: 0 } }", "steps.impl.timeout_min: `timeout_min` cannot be"],
    ["half an attempt", "steps: { impl: { max_attempts: 1.5 } }", "steps.impl.max_attempts: `max_attempts` cannot be"],
    ["a step called done", "steps: { done: { next_on_pass: bdd } }", "steps.done: no step can be called `done`"],
    [
      "a circle",
      "steps: { update-memory: { next_on_pass: bdd } }",
      "steps.update-memory.next_on_pass: Step 'update-memory': `next_on_pass` leads in a circle: bdd → sdd-delta",
    ],
    [
      "two ways to a step",
      "steps: { contract: { next_on_pass: impl }, review: { next_on_pass: done } }",
      "steps.scaffold.next_on_pass: Step 'impl' is reached from two places",
    ],
    [
      "a failure that ends the story",
      "steps: { verify: { on_fail: { default: done } } }",
      "steps.verify.on_fail.default: Step 'verify': `on_fail.default` cannot lead to done",
    ],
    [
      "next_on_fail without effect",
      "steps: { verify: { next_on_fail: verify } }",
      "steps.verify.next_on_fail: Step 'verify': `next_on_fail: verify` has no effect",
    ],
    ["an empty step", "steps: { impl: }", "steps.impl: `impl` cannot be nothing"],
    ["a list of steps", "steps: [bdd]", "steps: `steps` cannot be a list"],
    [
      "a target that is a list",
      "steps: { impl: { on_fail: [bdd] } }",
      "steps.impl.on_fail: `on_fail` cannot be a list",
    ],
    [
      "a name that is no file name",
      "pawl_rules: 1\nsteps: { ../x: { instruction: x, next_on_pass: done } }",
      'the step id "../x" cannot be used',
    ],
  ])("[TB8 D40] refuse %s", (_, text, message) => {
    expect(errorsOf(text).join("\n")).toContain(message);
  });

  test("[TB8 D38] two steps that nothing leads to", () => {
    expect(
      errorsOf(
        "steps: { scan: { instruction: x, next_on_pass: never }, never: { instruction: x, next_on_pass: scan } }",
      ),
    ).toEqual([
      "steps.scan: Step 'scan' is reached by no `next_on_pass`",
      "steps.never: Step 'never' is reached by no `next_on_pass`",
    ]);
  });

  test("[TB8 D19] warn about a reason that no session reports", () => {
    const { problems, definition } = effective("steps: { impl: { on_fail: { scope_warnin: bdd } } }");
    expect(definition).not.toBeNull();
    expect(problems).toMatchObject([{ severity: "warning", line: 1, hint: "did you mean `scope_warning`?" }]);
  });

  test("[TB6] their commands are known before they are trusted, whatever else is wrong", () => {
    expect(
      commandsInRules("steps: { impl: { post_check: make lint, wrong: 1 }, verify: { post_check: null } }"),
    ).toEqual([{ key: "step-rules impl.post_check", command: "make lint" }]);
    expect(commandsInRules("steps: [")).toEqual([]);
  });

  test("[TB7 D39] a story's id is not doubled in a path", () => {
    expect(storyPath("docs/bdd/US-{story}.md", "US-007")).toBe("docs/bdd/US-007.md");
    expect(storyPath("docs/bdd/US-{story}.md", "7")).toBe("docs/bdd/US-7.md");
    expect(storyPath("{story}/US-{story}", "US-007")).toBe("US-007/US-007");
  });
});
