// `project` and `workspace` in configuration files.

import { execFileSync } from "node:child_process";
import { mkdirSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { agents } from "../../../test/support/agents.ts";
import { tempDir } from "../../../test/support/repository.ts";
import { AppError } from "../../domain/error.ts";
import { loadWorkflow } from "../../workflows/load.ts";
import { agentsFor, type Config, plainWorkspace, projectContext, readConfig } from "./config.ts";

async function configOf(own: string, theirs: string | null = null): Promise<Config> {
  const dir = tempDir();
  const file = join(dir, "config.yml");
  writeFileSync(file, own);
  if (theirs === null) return await readConfig(file, null, agents);
  mkdirSync(join(dir, ".pawl"));
  writeFileSync(join(dir, ".pawl", "config.yml"), theirs);
  return await readConfig(file, dir, agents);
}

async function problemOf(text: string): Promise<string> {
  const error: unknown = await configOf("", text).catch((thrown: unknown) => thrown);
  if (!(error instanceof AppError)) throw new Error(`it was accepted: ${text}`);
  expect([error.code, error.exitCode]).toEqual(["CONFIG_INVALID", 2]);
  expect(error.hint).not.toBe("");
  expect(error.message).toMatch(/\.pawl.config\.yml: /);
  return error.message.replace(/^.*config\.yml: /, "");
}

test("[WF76 D63] the form of test results stands beside the command, and is replaced together with it", async () => {
  const own = "project: { test: { run: go test -json, reads: go-json } }";
  expect((await configOf(own)).project).toMatchObject({ test: "go test -json", testResults: { reads: "go-json" } });
  const { project } = await configOf(own, "project: { test: make test }");
  expect(project).toMatchObject({ test: "make test" });
  expect(project).not.toHaveProperty("testResults");
  const { project: theirs, repositoryCommands } = await configOf(
    "",
    "project: { test: { run: pytest, reads: junit, file: r.xml } }",
  );
  expect(theirs).toMatchObject({ test: "pytest", testResults: { reads: "junit", file: "r.xml" } });
  expect(repositoryCommands).toMatchObject([{ key: "project.test", command: "pytest" }]);
  expect(await problemOf("project: { test: { run: x, reads: xunit } }")).toContain("test");
  expect(await problemOf("project: { test: { run: x, reads: junit, file: ../r.xml } }")).toContain("test");
});

test("[WK40] a repository of a guest is named by its path on the host", async () => {
  const wrong = configOf("worker: { repositories: { shop: ssh://host/srv/shop } }");
  await expect(wrong).rejects.toMatchObject({
    code: "CONFIG_INVALID",
    message: expect.stringMatching(
      /worker\.repositories\.shop: it is not the absolute path of a repository on the host/,
    ),
  });
});

describe("[WF61] how the project is worked on", () => {
  test("[C21 C23 C24 C25] commands, layers and hints, in the project's own words", async () => {
    const { project } = await configOf(
      "",
      `
project:
  lint: uv run pre-commit run -a
  test: ./bin/run_agent_tests.sh
  layers: api -> core -> common
  hints: " use uv run for all Python commands "
`,
    );
    expect(project).toEqual({
      lint: "uv run pre-commit run -a",
      test: "./bin/run_agent_tests.sh",
      layers: "api -> core -> common",
      hints: "use uv run for all Python commands",
    });
    expect(projectContext(project)).toEqual({
      lint_command: "uv run pre-commit run -a",
      test_command: "./bin/run_agent_tests.sh",
      layer_rule: "api -> core -> common",
      tool_hints: "use uv run for all Python commands",
    });
  });

  test("templates are told nothing that nobody said", async () => {
    const { project } = await configOf("project: { test: make }");
    expect(project).toEqual({ lint: null, test: "make", layers: null, hints: null });
    expect(projectContext(project)).toEqual({ test_command: "make" });
  });

  test("the repository wins, one by one", async () => {
    const { project } = await configOf(
      "project: { lint: mine, hints: be brief }",
      "project: { lint: theirs, test: t }",
    );
    expect(project).toEqual({ lint: "theirs", test: "t", layers: null, hints: "be brief" });
  });
});

const noHooks = { beforeRun: [], afterRun: [], beforeRemove: [] };

describe("[WF61] what a story's tree needs", () => {
  test("everything, as it is written", async () => {
    const { workspace } = await configOf(
      "",
      `
workspace:
  setup: [npm ci, npm run build]
  setup_when: [package-lock.json, "packages/*/package.json"]
  copy: [.env, "config/*.local.yml", "**/.env.test", my.git/x]
  by_products: [reports/]
  ports: 2
  min_free: 2GB
  env: { DATABASE_URL: "postgres://localhost/app_{{slot}}", CI: 1, DEBUG: false }
`,
    );
    expect(workspace).toEqual({
      setup: ["npm ci", "npm run build"],
      hooks: noHooks,
      setupWhen: ["package-lock.json", "packages/*/package.json"],
      copy: [".env", "config/*.local.yml", "**/.env.test", "my.git/x"],
      byProducts: ["reports/"],
      ports: 2,
      minFreeBytes: 2_000_000_000,
      env: { DATABASE_URL: "postgres://localhost/app_{{slot}}", CI: "1", DEBUG: "false" },
    });
  });

  test("nothing but a port and a gigabyte where nothing is said", async () => {
    expect((await configOf("")).workspace).toEqual(plainWorkspace);
    expect(plainWorkspace).toEqual({
      setup: [],
      hooks: noHooks,
      setupWhen: [],
      copy: [],
      byProducts: [],
      ports: 1,
      minFreeBytes: 1e9,
      env: {},
    });
  });

  test("a list comes from one file, variables from both, and the repository wins", async () => {
    const own = "workspace: { setup: [mine], copy: [.env], ports: 3, env: { A: mine, B: mine } }";
    const { workspace } = await configOf(own, "workspace: { setup: [], ports: 0, env: { B: theirs } }");
    expect(workspace).toEqual({
      setup: [],
      hooks: noHooks,
      setupWhen: [],
      copy: [".env"],
      byProducts: [],
      ports: 0,
      minFreeBytes: 1e9,
      env: { A: "mine", B: "theirs" },
    });
  });

  test.each([
    ["0", 0],
    ["1500", 1_500],
    ["500MB", 500_000_000],
    ["1.5 GiB", 1_610_612_736],
    ["2tb", 2_000_000_000_000],
    ["'700'", 700],
    ["64KiB", 65_536],
  ])("sizes: %s", async (written, bytes) => {
    expect((await configOf(`workspace: { min_free: ${written} }`)).workspace.minFreeBytes).toBe(bytes);
  });
});

describe("[WF61] what is wrong is said with its file and its place", () => {
  test.each([
    ["project: { lint: '' }", "project.lint: is empty"],
    ["project: { lint: [a] }", "project.lint: "],
    ["project: { typecheck: tsc }", 'project: Unrecognized key: "typecheck"'],
    ["project: make", "project: "],
    ["workspace: { setup: npm ci }", "workspace.setup: "],
    ["workspace: { setup: ['  '] }", "workspace.setup.0: is empty"],
    ["workspace: { ports: 21 }", "workspace.ports: "],
    ["workspace: { ports: -1 }", "workspace.ports: "],
    ["workspace: { ports: 1.5 }", "workspace.ports: "],
    ["workspace: { min_free: lots }", 'workspace.min_free: a size such as "2GB"'],
    ["workspace: { min_free: -1 }", "workspace.min_free: "],
    ["workspace: { env: { 'A-B': x } }", 'workspace.env: "A-B" is not the name of a variable'],
    ["workspace: { env: { PAWL_TOKEN: x } }", "workspace.env: PAWL_TOKEN: variables that begin with PAWL_"],
    ["workspace: { env: { PATH: /evil } }", "workspace.env: PATH: it decides which programs run"],
    ["workspace: { env: { ANTHROPIC_BASE_URL: x } }", "workspace.env: ANTHROPIC_BASE_URL: it decides"],
    ["workspace: { env: { A: '{{task}}' } }", "workspace.env: A: {{task}} is not known here"],
    ["workspace: { env: { A: [x] } }", "workspace.env.A: "],
  ])("%s", async (text, problem) => {
    expect(await problemOf(text)).toContain(problem);
  });

  test.each([
    "../secret",
    "a/../../b",
    "/etc/passwd",
    "C:/x",
    "~/x",
    "a//b",
    "",
    ".git/config",
    ".GIT/hooks/x",
    "a\\\\b",
    "-rf",
  ])("a file outside of the checkout is not copied: %j", async (pattern) => {
    expect(await problemOf(`workspace: { copy: [ok, "${pattern}"] }`)).toContain(
      "workspace.copy.1: a path from the top of the repository",
    );
    expect(await problemOf(`workspace: { setup_when: ["${pattern}"] }`)).toContain("workspace.setup_when.0: ");
  });
});

describe("[WF61] a file that is none", () => {
  async function refusedFor(put: (file: string) => void, where: "home" | "repository"): Promise<AppError> {
    const dir = tempDir();
    mkdirSync(join(dir, ".pawl"));
    const [own, theirs] = [join(dir, "config.yml"), join(dir, ".pawl", "config.yml")];
    put(where === "home" ? own : theirs);
    const error: unknown = await readConfig(own, dir, agents).catch((thrown: unknown) => thrown);
    if (!(error instanceof AppError)) throw new Error(`not refused: ${String(error)}`);
    expect([error.code, error.hint]).toEqual(["CONFIG_INVALID", expect.stringContaining("or remove it")]);
    return error;
  }

  describe.each(["home", "repository"] as const)("of the %s", (where) => {
    test.each<[string, (file: string) => void, string]>([
      ["a directory", (file) => mkdirSync(file), "is not a plain file"],
      ["a pipe", (file) => execFileSync("sh", ["-c", `mkfifo "$0"`, file]), "is not a plain file"],
      ["a link to a device that never ends", (file) => symlinkSync("/dev/zero", file), "is not a plain file"],
      [
        "more than anybody writes",
        (file) => writeFileSync(file, `#${" ".repeat(1024 * 1024)}`),
        "has 1048577 bytes; at most 1048576 are read",
      ],
    ])("%s", async (_what, put, problem) => {
      expect((await refusedFor(put, where)).message).toContain(`config.yml: ${problem}`);
    });
  });

  test("a link to a plain file is one", async () => {
    const dir = tempDir();
    writeFileSync(join(dir, "mine.yml"), "project: { test: make }");
    symlinkSync(join(dir, "mine.yml"), join(dir, "config.yml"));
    expect((await readConfig(join(dir, "config.yml"), null, agents)).project.test).toBe("make");
  });

  test("aliases that lead nowhere, or grow without end", async () => {
    expect(await problemOf("project: *x")).toContain("Unresolved alias");
    const lines = ["a: &a [1, 1]", ...["b", "c", "d"].map((to, at) => `${to}: &${to} [${`*${"abc"[at]},`.repeat(9)}]`)];
    expect(await problemOf(lines.join("\n"))).toContain("Excessive alias count");
  });
});

test("[HK6] hooks are a command or a list, the repository's win one by one, and are commands to agree to", async () => {
  const own = "workspace: { hooks: { before_run: up, after_run: [down, rm] } }";
  const theirs = 'workspace: { hooks: { before_run: ["theirs up"], before_remove: "theirs gone" } }';
  const { workspace, repositoryCommands } = await configOf(own, theirs);
  expect(workspace.hooks).toEqual({
    beforeRun: ["theirs up"],
    afterRun: ["down", "rm"],
    beforeRemove: ["theirs gone"],
  });
  expect(repositoryCommands).toEqual([
    { key: "workspace.hooks.before_run", command: "theirs up" },
    { key: "workspace.hooks.before_remove", command: "theirs gone" },
  ]);
  expect(await problemOf("workspace: { hooks: { before: x } }")).toContain("workspace.hooks");
});

describe("[WF62] how many agents at once", () => {
  const text = `pawl: 1
id: x
agents: { dev: {} }
steps:
  - id: s
    stories: { concurrency: 9, workspace: worktree }
    body: [{ id: a, agent: dev }, { id: i, integrate: true }]
`;

  test("as many as the stories need, unless somebody configured a number", async () => {
    const { definition } = loadWorkflow(text, "w.yml");
    if (!definition) throw new Error("it does not load");
    expect(agentsFor(await configOf(""), definition)).toBe(9);
    expect(agentsFor(await configOf("concurrency: { agents: 2 }"), definition)).toBe(2);
    expect(agentsFor(await configOf("", "concurrency: { agents: 3 }"), definition)).toBe(3);
    expect(agentsFor(await configOf(""), { ...definition, steps: [] })).toBe(4);
  });

  test("[LO8] a repository only lowers the number for an agent", async () => {
    const { agentLimits } = await configOf(
      "concurrency: { of: { dev: 2, ops: 1 } }",
      "concurrency: { of: { dev: 5, ops: 1, doc: 3 } }",
    );
    expect(agentLimits).toEqual({ dev: 2, ops: 1, doc: 3 });
    expect(await problemOf("concurrency: { of: { dev: 0 } }")).toContain("concurrency.of.dev");
  });
});
