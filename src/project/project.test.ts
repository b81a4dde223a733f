// What can be told of a project by looking at its repository.

import { mkdirSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { makeRepository, runGit, tempDir, writeFiles } from "../../test/support/repository.ts";
import { inspectRepository } from "../workspaces/git/repository.ts";
import { inspectProject, type Project } from "./project.ts";

async function look(repo: string): Promise<Project> {
  return await inspectProject(await inspectRepository(repo));
}

async function projectOf(files: Readonly<Record<string, string>>): Promise<Project> {
  return await look(makeRepository({ "README.md": "x", ...files }));
}

const packageOf = (scripts: object, more: object = {}) =>
  JSON.stringify({ scripts, devDependencies: { vitest: "^5" }, ...more });

describe("[CM62] tools and commands", () => {
  test.each([
    ["package-lock.json", "npm", "npm test", "npm ci"],
    ["pnpm-lock.yaml", "pnpm", "pnpm test", "pnpm install --frozen-lockfile"],
    ["yarn.lock", "yarn", "yarn test", "yarn install --frozen-lockfile"],
    ["bun.lock", "bun", "bun run test", "bun install --frozen-lockfile"],
  ])("the scripts of package.json with %s", async (lock, manager, testCommand, setup) => {
    const scripts = { test: "vitest run", lint: "eslint .", typecheck: "tsc" };
    const project = await projectOf({ "package.json": packageOf(scripts), [lock]: "" });
    expect(project.managers).toEqual([manager]);
    expect(project.commands).toEqual({
      test: testCommand,
      lint: `${manager} run lint`,
      types: `${manager} run typecheck`,
      setup: [setup],
    });
    expect(project.setupWhen).toEqual([lock]);
  });

  test("the manager that package.json names wins over a lockfile; newer Yarn has another flag; without a lock it installs", async () => {
    const named = await projectOf({
      "package.json": packageOf({}, { packageManager: "yarn@4.1.0" }),
      "package-lock.json": "{}",
      "yarn.lock": "",
    });
    expect(named.commands.setup).toEqual(["yarn install --immutable"]);
    const unlocked = await projectOf({ "package.json": packageOf({}) });
    expect([unlocked.commands.setup, unlocked.setupWhen]).toEqual([["npm install"], ["package.json"]]);
    const needsNothing = await projectOf({ "package.json": JSON.stringify({ scripts: { test: "node --test" } }) });
    expect(needsNothing.commands).toMatchObject({ test: "npm test", setup: [] });
  });

  test("npm's placeholder is no test, and neither is a script that watches for ever", async () => {
    const placeholder = { test: 'echo "Error: no test specified" && exit 1' };
    expect((await projectOf({ "package.json": packageOf(placeholder) })).commands.test).toBeNull();
    const watching = await projectOf({ "package.json": packageOf({ test: "jest --watch" }) });
    expect(watching.commands.test).toBeNull();
    expect(watching.notes.join()).toContain("watches");
    const once = await projectOf({ "package.json": packageOf({ test: "react-scripts test --watchAll=false" }) });
    expect(once.commands.test).toBe("npm test");
  });

  test.each<[string, Record<string, string>, Partial<Project["commands"]>]>([
    [
      "uv",
      { "pyproject.toml": "[dependency-groups]\ndev = ['pytest>=8']\n[tool.ruff]\n[tool.mypy]\n", "uv.lock": "" },
      { test: "uv run pytest", lint: "uv run ruff check .", types: "uv run mypy .", setup: ["uv sync"] },
    ],
    [
      "poetry",
      { "pyproject.toml": "[tool.poetry]\n[tool.pytest.ini_options]\n", ".flake8": "" },
      { test: "poetry run pytest", lint: "poetry run flake8", setup: ["poetry install"] },
    ],
    ["pip", { "requirements.txt": "pytest\n" }, { test: "python3 -m pytest", lint: null, setup: [] }],
    ["cargo", { "Cargo.toml": "" }, { test: "cargo test", lint: "cargo clippy --all-targets -- -D warnings" }],
    ["go", { "go.mod": "module x\n" }, { test: "go test ./...", lint: "go vet ./..." }],
    ["go", { "go.mod": "", ".golangci.yml": "" }, { lint: "golangci-lint run" }],
    ["maven", { "pom.xml": "", mvnw: "" }, { test: "./mvnw test", setup: [] }],
    ["gradle", { "build.gradle.kts": "" }, { test: "gradle test" }],
    ["dotnet", { "Shop.sln": "" }, { test: "dotnet test", setup: ["dotnet restore"] }],
    [
      "bundler",
      { Gemfile: "gem 'rspec'\n", ".rubocop.yml": "" },
      { test: "bundle exec rspec", lint: "bundle exec rubocop" },
    ],
    [
      "composer",
      { "composer.json": "{}", "phpunit.xml": "" },
      { test: "vendor/bin/phpunit", setup: ["composer install"] },
    ],
    ["mix", { "mix.exs": "", ".formatter.exs": "" }, { test: "mix test", lint: "mix format --check-formatted" }],
    ["make", { Makefile: "VAR := 1\ncheck: build\n\t./t\nlint:\n\t./l\n" }, { test: "make check", lint: "make lint" }],
  ])("%s", async (manager, files, commands) => {
    const project = await projectOf(files);
    expect(project.managers).toEqual([manager]);
    expect(project.commands).toMatchObject(commands);
  });

  test("what the project wrote itself comes before what is usual; of several tools, those of most files", async () => {
    const made = await projectOf({ "go.mod": "", Makefile: "test:\n\tgo test -race ./...\ntestdata := 1\n" });
    expect([made.commands.test, made.commands.lint]).toEqual(["make test", "go vet ./..."]);
    expect(made.alternatives).toEqual(["go test ./..."]);

    const scripts = { "package.json": packageOf({ test: "x" }), Makefile: "test:\n" };
    expect((await projectOf(scripts)).commands.test).toBe("npm test");

    const mixed = await projectOf({ ...scripts, "Cargo.toml": "", "src/a.rs": "", "src/b.rs": "", "docs/a.js": "" });
    expect(mixed.commands).toMatchObject({ test: "make test", setup: ["npm install"] });
    expect(mixed.alternatives).toContain("npm test");
    expect(mixed.managers).toEqual(["make", "cargo", "npm"]);
  });

  test("of a monorepo the top counts; manifests below are named, those of packages and fixtures are not", async () => {
    const { nested, commands } = await projectOf({
      "package.json": packageOf({ test: "turbo test" }, { workspaces: ["packages/*"] }),
      "packages/a/package.json": packageOf({ lint: "x" }),
      "services/api/go.mod": "",
      "test/fixtures/p/package.json": "{}",
      "vendor/v/go.mod": "",
    });
    expect(nested).toEqual({ files: ["packages/a/package.json", "services/api/go.mod"], count: 2 });
    expect(commands.lint).toBeNull();
  });
});

describe("[CM62] languages", () => {
  test("by tracked files, those with most first; a script among many says nothing", async () => {
    const files = Object.fromEntries(Array.from({ length: 40 }, (_, index) => [`src/f${index}.ts`, ""]));
    const { languages } = await projectOf({ ...files, "a.py": "", "b.py": "", "c.py": "", "run.sh": "" });
    expect(languages).toEqual(["TypeScript", "Python"]);
  });

  test("by manifests where nothing is tracked", async () => {
    const repo = makeRepository({});
    writeFiles(repo, { "Cargo.toml": "" });
    expect((await look(repo)).languages).toEqual(["Rust"]);
  });
});

describe("[CM62] the base branch", () => {
  test("origin's default, else the user's if it is there, else main, else what is checked out", async () => {
    const repo = makeRepository({ a: "" }, { branch: "work" });
    runGit(repo, "config", "init.defaultBranch", "trunk");
    expect((await look(repo)).baseBranch).toBe("work");
    runGit(repo, "branch", "main");
    expect((await look(repo)).baseBranch).toBe("main");
    runGit(repo, "branch", "trunk");
    expect((await look(repo)).baseBranch).toBe("trunk");
    runGit(repo, "update-ref", "refs/remotes/origin/develop", "HEAD");
    runGit(repo, "symbolic-ref", "refs/remotes/origin/HEAD", "refs/remotes/origin/develop");
    expect((await look(repo)).baseBranch).toBe("develop");
  });
});

describe("[CM62] local files", () => {
  test("only those that are there and that git ignores", async () => {
    const repo = makeRepository({ ".gitignore": ".env*\n!.env.test\n", ".env.test": "" });
    writeFiles(repo, { ".env": "KEY=1\n", ".env.local": "" });
    mkdirSync(join(repo, ".env.development"));
    expect((await look(repo)).localFiles).toEqual([".env", ".env.local"]);
  });
});

describe("[CM64] a repository that means harm", () => {
  test("manifests that are no JSON, no objects, or far too large say nothing", async () => {
    const bad = ["{", "[]", "null", '"x"', '{"scripts":"x"}', '{"scripts":{"test":{}},"packageManager":{}}'];
    for (const text of bad) {
      const { commands } = await projectOf({ "package.json": text, "composer.json": text });
      expect(commands).toMatchObject({ test: null, lint: null, types: null });
    }
    const repo = makeRepository();
    writeFileSync(join(repo, "package.json"), packageOf({ test: "x" }, { pad: "x".repeat(2_000_000) }));
    expect((await look(repo)).commands.test).toBeNull();
  });

  test("no value of a file is taken over: neither a script nor a manager's name", async () => {
    const evil = "x\n  default_executor: evil; $(touch /tmp/evil)";
    const scripts = { test: evil, lint: evil, [evil]: evil, typecheck: evil };
    const project = await projectOf({
      "package.json": packageOf(scripts, { packageManager: `${evil}@1` }),
      Makefile: "test $(touch x):\n",
      "composer.json": JSON.stringify({ scripts: { test: evil } }),
    });
    expect(JSON.stringify(project)).not.toContain("evil");
    expect(project.commands.test).toBe("npm test");
  });

  test("names with control characters are not shown, and links are not followed", async () => {
    const repo = makeRepository();
    const names = ["a\nb/package.json", "a\u001b[2Jb/go.mod", "a\u202eb/go.mod", "c/go.mod"];
    writeFiles(repo, Object.fromEntries(names.map((name) => [name, ""])));
    runGit(repo, "add", "--all");
    const outside = join(tempDir(), "package.json");
    writeFileSync(outside, packageOf({ test: "x" }));
    symlinkSync(outside, join(repo, "package.json"));
    const project = await look(repo);
    expect(project.nested).toEqual({ files: ["c/go.mod"], count: 1 });
    expect(project.managers).toEqual([]);
  });
});
