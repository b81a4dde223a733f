import { describe, expect, test } from "vitest";
import { performedSteps } from "../check/templates.ts";
import { loadWorkflow } from "../load.ts";
import { drawWorkflow } from "../picture.ts";
import { resolveCommands } from "./project.ts";

const load = (checks: string) =>
  loadWorkflow(`pawl: 1\nid: x\nagents: { dev: {} }\nsteps:\n  - { id: a, agent: dev, checks: ${checks} }\n`, "w.yml");

const lowered = (checks: string) => {
  const { definition, problems } = load(checks);
  if (!definition) throw new Error(JSON.stringify(problems));
  return definition;
};

describe("[WF75 D63 D64] checks as maps", () => {
  test("a text is a command that must pass; a map keeps what it says", () => {
    const checks =
      "[make, { run: go test -json, must: fail, reads: go-json, as: tests }, { run: project.lint, as: lint }]";
    expect(performedSteps(lowered(checks).steps)[0]?.checks).toEqual([
      { run: "make" },
      { run: "go test -json", must: "fail", reads: "go-json", as: "tests" },
      { run: "project.lint", as: "lint" },
    ]);
  });

  test("the project's commands are also found inside maps", () => {
    const resolved = resolveCommands(lowered("[{ run: project.test, must: fail }, { run: project.lint, as: lint }]"), {
      lint: null,
      test: "go test ./...",
    });
    expect(performedSteps(resolved.definition.steps)[0]?.checks).toEqual([{ run: "go test ./...", must: "fail" }]);
    expect(resolved.notes).toEqual([expect.stringContaining("`project.lint` is not configured")]);
  });

  test("[WF76] the configured form of test results holds where a check says none", () => {
    const project = { lint: null, test: "pytest", testResults: { reads: "junit", file: "r.xml" } } as const;
    const checks = "[project.test, { run: project.test, must: fail }, { run: project.test, reads: tap }, make]";
    expect(performedSteps(resolveCommands(lowered(checks), project).definition.steps)[0]?.checks).toEqual([
      { run: "pytest", reads: "junit", file: "r.xml" },
      { run: "pytest", reads: "junit", file: "r.xml", must: "fail" },
      { run: "pytest", reads: "tap" },
      { run: "make" },
    ]);
  });

  test.each([
    ["[{ run: x, file: r.xml }]", "`file` has no effect without `reads`"],
    ["[{ run: x, reads: junit, file: ../r.xml }]", "is not inside the step's tree"],
    ["[{ run: x, reads: junit, file: /tmp/r.xml }]", "is not inside the step's tree"],
    ["[{ run: x, must: fail, as: lint }]", "this check is a lint"],
    ["[{ run: 'x {{y}}' }]", "nothing in a command is replaced"],
    ["[{ run: x, reads: xunit }]", "reads"],
    ["[{ must: fail }]", "run"],
    ["[{ run: x, mus: fail }]", "mus"],
  ])("%s is refused", (checks, said) => {
    const { definition, problems } = load(checks);
    expect(definition).toBeNull();
    expect(JSON.stringify(problems)).toContain(said);
  });

  test("a test that must fail is refused where nothing is written", () => {
    const text = `pawl: 1\nid: x\nagents: { dev: {} }\nsteps:\n  - id: s\n    stories: { workspace: worktree }\n    body:\n      - { id: b, agent: dev }\n      - { id: i, integrate: true, checks: [{ run: t, must: fail }] }\n`;
    expect(JSON.stringify(loadWorkflow(text, "w.yml").problems)).toContain(
      "`must: fail` has no effect on an integrate",
    );
  });

  test("[WF59] the picture says what a check must do and how it is read", () => {
    expect(drawWorkflow(lowered("[{ run: t, must: fail, reads: junit, file: r.xml }]"))).toContain(
      "check, must fail: t (junit in r.xml)",
    );
  });

  test("a word that stands for nothing is told inside a map, too", () => {
    expect(load("[{ run: project.tests }]").problems).toMatchObject([{ hint: "did you mean `project.test`?" }]);
  });
});
