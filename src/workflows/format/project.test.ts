import { describe, expect, test } from "vitest";
import { known } from "../../../test/support/protocols.ts";
import { performedSteps } from "../check/templates.ts";
import { loadWorkflow } from "../load.ts";
import { resolveCommands } from "./project.ts";

const text = (checks: string, more = "") => `pawl: 1
id: x
${more}agents: { dev: {} }
steps:
  - { id: a, agent: dev, checks: ${checks} }
  - id: s
    stories: { workspace: worktree }
    body:
      - { id: b, agent: dev }
      - { id: i, integrate: true, checks: [project.test, "git diff --check", project.lint] }
`;

describe("[WF56 C24 C25] the project's own commands among checks", () => {
  const { definition, problems } = loadWorkflow(text("[make, project.lint]"), "w.yml");
  const checksWith = (lint: string | null, tests: string | null) => {
    if (!definition) throw new Error("it does not load");
    const resolved = resolveCommands(definition, { lint, test: tests });
    return {
      checks: performedSteps(resolved.definition.steps).map(({ checks }) => checks.map(({ run }) => run)),
      notes: resolved.notes,
    };
  };

  test("stay words until a run starts, also where stories are integrated", () => {
    expect(problems).toEqual([]);
    expect(checksWith("npm run lint", "npm test -- --run")).toEqual({
      checks: [["make", "npm run lint"], [], ["npm test -- --run", "git diff --check", "npm run lint"]],
      notes: [],
    });
  });

  test("what nobody configured is not checked, and that is said once", () => {
    const { checks, notes } = checksWith(null, "npm test");
    expect(checks).toEqual([["make"], [], ["npm test", "git diff --check"]]);
    expect(notes).toEqual([expect.stringContaining("`project.lint` is not configured")]);
    expect(checksWith("  ", null).notes).toHaveLength(2);
  });

  test("a command with braces or with a word of ours in it stays what it is", () => {
    const { checks } = checksWith("docker ps --format '{{.Names}}'", "run project.lint");
    expect(checks[2]).toEqual(["run project.lint", "git diff --check", "docker ps --format '{{.Names}}'"]);
  });

  test("nothing that an agent says reaches a shell: braces are refused", () => {
    const [problem] = loadWorkflow(text('["make {{target}}"]'), "w.yml").problems;
    expect(problem).toMatchObject({ severity: "error", path: "steps[0].checks[0]" });
    expect(problem?.message).toContain("nothing in a command is replaced");
  });

  test("a word that stands for nothing is told with the one that was meant", () => {
    const { definition: loaded, problems: told } = loadWorkflow(text("[project.tests]"), "w.yml");
    expect(loaded).not.toBeNull();
    expect(told).toMatchObject([
      { severity: "warning", path: "steps[0].checks[0]", hint: "did you mean `project.test`?" },
    ]);
  });
});

describe("[WF67] values in commands", () => {
  const load = (fields: string) => loadWorkflow(`pawl: 1\nid: x\nsteps:\n  - { id: a, ${fields} }\n`, "w.yml");

  test.each([
    ["command: 'git tag v{{version}}'", 'env: { VERSION: "{{version}}" }', 'git tag v"$VERSION"'],
    ["command: 'echo \"{{ a.b }} {{path}}\"'", 'A_B: "{{ a.b }}", V_PATH: "{{path}}"', 'echo "${A_B} ${V_PATH}"'],
  ])("a placeholder is refused with the form that works: %s", (field, env, command) => {
    const { definition, problems } = load(field);
    expect(definition).toBeNull();
    expect(problems).toMatchObject([{ severity: "error", path: "steps[0].command" }]);
    expect(problems[0]?.hint).toContain(env);
    expect(problems[0]?.hint).toContain(command);
  });

  test("other braces are text, and an escape is undone", () => {
    const { definition, problems } = load(`command: "docker ps --format '{{.Names}} \\\\{{end}}'"`);
    expect(problems).toEqual([]);
    expect(definition?.steps[0]).toMatchObject({ command: "docker ps --format '{{.Names}} {{end}}'" });
  });

  test("variables are templates under names that the author may choose", () => {
    const { definition, problems } = load('command: make, env: { V: "v{{task}}", N: 3 }');
    expect(problems).toEqual([]);
    expect(definition?.steps[0]).toMatchObject({ env: { V: "v{{task}}", N: "3" } });
    expect(load("command: make, env: { PATH: x }").problems[0]?.message).toContain("PATH: it decides");
    expect(load('command: make, env: { V: "{{tsak}}" }').problems[0]).toMatchObject({ path: "steps[0].env.V" });
    expect(load("gate: ok?, env: { V: x }").problems[0]?.message).toContain("has no effect on a gate step");
    const agents = "pawl: 1\nid: x\nagents: { d: {} }\nsteps: [{ id: a, agent: d, env: { V: x } }]\n";
    expect(loadWorkflow(agents, "w.yml").problems[0]?.message).toContain("the step runs no command");
  });
});

test("[WF56] a command step may be one of the project's commands; where it is not configured it says so and passes", () => {
  const { definition, problems } = loadWorkflow(
    "pawl: 1\nid: x\nsteps: [{ id: a, command: project.lint }, { id: b, command: project.test }]\n",
    "w.yml",
  );
  if (!definition) throw new Error(JSON.stringify(problems));
  const { definition: resolved, notes } = resolveCommands(definition, { lint: "npm run lint", test: null });
  expect(resolved.steps).toMatchObject([
    { command: "npm run lint" },
    { command: "echo 'project.test is not configured'" },
  ]);
  expect(notes).toEqual([expect.stringContaining("`project.test` is not configured")]);
  const typo = loadWorkflow("pawl: 1\nid: x\nsteps: [{ id: a, command: project.lnt }]\n", "w.yml");
  expect(typo.problems).toMatchObject([{ severity: "warning", path: "steps[0].command" }]);
});

describe("[WF57] keys of templates", () => {
  const warnings = (input: string, more = "") =>
    loadWorkflow(text("[]", more).replace("checks: []", `input: "${input}"`), "w.yml", known).problems.map(
      ({ message }) => message,
    );

  test("what the configuration says about the project is known everywhere", () => {
    expect(warnings("{{lint_command}} {{test_command}} {{layer_rule}} {{tool_hints}}")).toEqual([]);
  });

  test("what a step knows about its chain is known where the protocol is ralph's", () => {
    const input =
      "{{step_id}} {{step_type}} {{step_description}} {{step_notes}} {{scratch}} {{story_scratch}} {{step_list}} {{edit_help}} {{shared}} {{slot}}";
    expect(warnings(input, "protocol: ralph\n")).toEqual([]);
    expect(warnings(input)).toHaveLength(10);
  });
});

describe("[WF58 C78 C89] variables for whoever works in a story's tree", () => {
  const withEnv = (env: string) => loadWorkflow(text("[]", `workspace: { env: ${env} }\n`), "w.yml");

  test("are texts with facts of ours, under the names that the author chose", () => {
    const { definition, problems } = withEnv('{ composeName: "a_{{slot}}_{{ story }}_{{run}}", PORTS: 3, CI: true }');
    expect(problems).toEqual([]);
    expect(definition?.workspace.env).toEqual({
      composeName: "a_{{slot}}_{{ story }}_{{run}}",
      PORTS: "3",
      CI: "true",
    });
  });

  test.each([
    ['{ "A-B": x }', "is not the name of a variable"],
    ['{ "": x }', "is not the name of a variable"],
    ["{ PAWL_TOKEN: x }", "are set by Pawl itself"],
    ["{ PATH: x }", "PATH: it decides which programs run, what they obey or where keys go"],
    ["{ LD_PRELOAD: x }", "LD_PRELOAD: it decides"],
    ["{ https_proxy: x }", "https_proxy: it decides"],
    ["{ RALPH_SHARED_DIR: /root }", "RALPH_SHARED_DIR: it decides"],
    ["{ CLAUDE_CONFIG_DIR: /root }", "CLAUDE_CONFIG_DIR: it decides"],
    ["{ NODE_OPTIONS: x }", "NODE_OPTIONS: it decides"],
    ['{ A: "{{Slot}}" }', "{{Slot}} is not known here"],
    ['{ A: "{{task}}" }', "{{task}} is not known here; {{slot}}, {{story}}, {{run}} are"],
  ])("%s", (env, message) => {
    const { definition, problems } = withEnv(env);
    expect(definition).toBeNull();
    expect(problems[0]?.message).toContain(message);
  });

  test("what projects themselves need is theirs to set", () => {
    const names = ["COMPOSE_PROJECT_NAME", "DATABASE_URL", "PORT", "NODE_ENV", "CI", "DEBUG", "PYTHONPATH", "GOFLAGS"];
    const { problems } = withEnv(`{ ${names.map((name) => `${name}: x`).join(", ")} }`);
    expect(problems).toEqual([]);
  });

  test("without stories that have trees they would reach nobody", () => {
    const { problems } = loadWorkflow(
      "pawl: 1\nid: x\nworkspace: { env: { A: b } }\nsteps: [{ id: a, command: make }]\n",
      "w.yml",
    );
    expect(problems).toMatchObject([{ severity: "error", path: "workspace.env" }]);
  });
});
