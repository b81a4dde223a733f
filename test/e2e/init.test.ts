// `pawl init`: from a repository that knows nothing of Pawl to a configuration and a first command.

import { existsSync, lstatSync, mkdirSync, readdirSync, readFileSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { readConfigFile } from "../../src/runtime/config/config-file.ts";
import { agents as known } from "../support/agents.ts";
import { agentsOnPath } from "../support/agents-on-path.ts";
import { expectCode, newSite, pawl } from "../support/pawl.ts";
import { commitFile, fingerprint, runGit, tempDir, writeFiles } from "../support/repository.ts";

const manifest = JSON.stringify({
  scripts: { test: "touch ran-test", lint: "touch ran-lint", pretest: "touch ran-pretest" },
  devDependencies: { x: "1" },
});

interface Document {
  readonly repo: string;
  readonly baseBranch: string;
  readonly languages: readonly string[];
  readonly commands: Readonly<Record<string, unknown>>;
  readonly agents: readonly { name: string; installed: boolean; version: string | null; isDefault: boolean }[];
  readonly config: { readonly file: string; readonly written: boolean };
  readonly next: readonly string[];
}

test("[CM60 CM63 CM65] what init finds is written and shown, and stdout has the next command", async () => {
  const site = newSite();
  const agents = agentsOnPath(site);
  agents.put("codex", "codex-cli 0.166.0");
  agents.put("claude", "2.1.325 (Claude Code)");
  commitFile(site.repo, "package.json", manifest);
  commitFile(site.repo, "src/a.ts", "");
  const before = fingerprint(site.repo);
  mkdirSync(join(site.repo, "src/deep"));

  const called = await pawl(["init"], { home: site.home, cwd: join(site.repo, "src/deep"), env: agents.env });
  expectCode(called, 0);
  expect(called.stdout).toBe('pawl run feature-dev "What you want, in a sentence"\n');
  expect(called.stderr).toMatch(/^base branch +main$/m);
  expect(called.stderr).toMatch(/^languages +TypeScript$/m);
  expect(called.stderr).toMatch(/^test +npm test$/m);
  expect(called.stderr).toMatch(/^agents +claude 2\.1\.325 \(default\), codex 0\.166\.0$/m);
  expect(called.stderr).toMatch(/^not installed +opencode, /m);
  expect(called.stderr).toMatch(/commit it, so that others have it too; secrets do not belong there/);

  const file = join(site.repo, ".pawl/config.yml");
  expect(readConfigFile(file, known)).toMatchObject({
    defaultExecutor: "claude",
    project: { test: "npm test", lint: "npm run lint" },
    workspace: { setup: ["npm install"] },
  });
  expect(readdirSync(join(site.repo, ".pawl"))).toEqual(["config.yml"]);
  // No command of the project was run, and nothing else changed.
  const after = Object.entries(fingerprint(site.repo)).filter(([name, value]) => before[name] !== value);
  expect(after.map(([name]) => name).toSorted()).toEqual([".pawl", ".pawl/config.yml", "src/deep", "status"]);
  expectCode(await agents.pawl("doctor"), 0);
});

test("[CM60] it opens no store and makes no home", async () => {
  const site = newSite();
  expectCode(await site.pawl("init"), 0);
  expect(readdirSync(site.home)).toEqual([]);
});

test("[CM65] --json has everything as one document", async () => {
  const site = newSite();
  const agents = agentsOnPath(site);
  agents.put("gemini", "0.1.0");
  agents.put("codex", "codex-cli 0.166.0");
  commitFile(site.repo, "go.mod", "module x\n");
  const called = await agents.pawl("init", "--json");
  expectCode(called, 0);
  const document = JSON.parse(called.stdout) as Document;
  expect(document).toMatchObject({
    repo: site.repo,
    baseBranch: "main",
    languages: ["Go"],
    tools: ["go"],
    commands: { test: "go test ./...", lint: "go vet ./...", types: null, setup: [] },
    config: { file: join(site.repo, ".pawl/config.yml"), written: true },
    next: [expect.stringMatching(/^pawl run feature-dev /)],
  });
  const shown = document.agents.map(({ name, installed, isDefault }) => `${name} ${installed} ${isDefault}`);
  expect(shown.slice(0, 4)).toEqual([
    "claude false false",
    "codex true true",
    "opencode false false",
    "gemini false false",
  ]);
  expect(document.agents.find(({ name }) => name === "gemini")).toMatchObject({
    version: "0.1.0",
    problem: expect.stringContaining("too old"),
  });
});

test("[CM61] an existing file stays as it is; --force writes a new one and keeps every old one", async () => {
  const site = newSite();
  const file = join(site.repo, ".pawl/config.yml");
  writeFiles(site.repo, { ".pawl/config.yml": "this: is not: yaml\n" });
  const refused = await site.pawl("init");
  expectCode(refused, 6);
  expect(refused.stderr).toMatch(/^error\[REFUSED\]: .*exists already; nothing was changed\nhint: .*--force/m);
  expect(refused.stdout).toBe("");
  expect(readFileSync(file, "utf8")).toBe("this: is not: yaml\n");

  const forced = await site.pawl("init", "--force");
  expectCode(forced, 0);
  expect(forced.stderr).toContain("the old one is .pawl/config.yml.bak");
  expect(readFileSync(`${file}.bak`, "utf8")).toBe("this: is not: yaml\n");
  expect(() => readConfigFile(file, known)).not.toThrow();
  expectCode(await site.pawl("init", "--force"), 0);
  expect(readFileSync(`${file}.bak`, "utf8")).toBe("this: is not: yaml\n");
  expect(readdirSync(join(site.repo, ".pawl")).toSorted()).toEqual([
    "config.yml",
    "config.yml.bak",
    "config.yml.bak-2",
  ]);
});

test("[CM61] --print shows what would be written, even if the file exists, and writes nothing", async () => {
  const site = newSite();
  writeFiles(site.repo, { ".pawl/config.yml": "budget: { usd: 1 }\n", "Cargo.toml": "" });
  const before = fingerprint(site.repo);
  const called = await site.pawl("init", "--print");
  expectCode(called, 0);
  const printed = site.path("printed.yml");
  writeFileSync(printed, called.stdout);
  expect(readConfigFile(printed, known).project.test).toBe("cargo test");
  const { config } = await site.json<{ config: { written: boolean; text: string } }>(["init", "--print"]);
  expect(config).toMatchObject({ written: false, text: called.stdout });
  expect(fingerprint(site.repo)).toEqual(before);
});

test("[CM60] outside a repository, in a bare one or in a missing directory, it says what to do and exits with 4", async () => {
  const site = newSite();
  const at = async (dir: string) => await pawl(["init", "--repo", dir], { home: site.home });
  const none = await at(tempDir());
  expectCode(none, 4);
  expect(none.stderr).toContain("git init");
  const bare = tempDir();
  runGit(bare, "init", "--quiet", "--bare");
  const refused = await at(bare);
  expectCode(refused, 4);
  expect(refused.stderr).toMatch(/bare repository[^]*hint: clone it/);
  expect(existsSync(join(bare, ".pawl"))).toBe(false);
  expectCode(await at(join(bare, "nowhere")), 4);
});

test("[CM64] a .pawl that leads out of the repository, into git's directory or nowhere is refused", async () => {
  const site = newSite();
  const outside = tempDir();
  const link = join(site.repo, ".pawl");
  for (const target of [outside, ".git/hooks", "nowhere", "README.md"]) {
    mkdirSync(join(site.repo, ".git/hooks"), { recursive: true });
    symlinkSync(target, link);
    for (const args of [[], ["--force"]]) {
      const called = await site.pawl("init", ...args);
      expectCode(called, 6);
      expect(called.stderr).toContain("leads out of the repository");
    }
    runGit(site.repo, "clean", "--quiet", "--force");
    expect(lstatSync(link, { throwIfNoEntry: false })).toBeUndefined();
  }
  expect(readdirSync(outside)).toEqual([]);
  expect(existsSync(join(site.repo, ".git/hooks/config.yml"))).toBe(false);

  const inside = join(site.repo, "tools/pawl");
  mkdirSync(inside, { recursive: true });
  symlinkSync("tools/pawl", link);
  expectCode(await site.pawl("init"), 0);
  expect(readdirSync(inside)).toEqual(["config.yml"]);
});

test("[CM64] a configuration that is a link is neither followed nor replaced", async () => {
  const site = newSite();
  const secret = join(tempDir(), "secret");
  writeFileSync(secret, "token\n");
  mkdirSync(join(site.repo, ".pawl"));
  symlinkSync(secret, join(site.repo, ".pawl/config.yml"));
  expectCode(await site.pawl("init", "--force"), 6);
  expect(readFileSync(secret, "utf8")).toBe("token\n");
  expect(readdirSync(join(site.repo, ".pawl"))).toEqual(["config.yml"]);
});

test("[CM65] without an agent it says how to install one and what works without; that is not a failure", async () => {
  const site = newSite();
  const called = await agentsOnPath(site).pawl("init");
  expectCode(called, 0);
  expect(called.stdout).toBe("pawl demo\n");
  expect(called.stderr).toContain("hint: claude: npm install --global @anthropic-ai/claude-code");
  expect(readFileSync(join(site.repo, ".pawl/config.yml"), "utf8")).toMatch(/^# default_executor: /m);
});

test("[CM65] the first command fits: the repository, the base, the executor, and a first commit where there is none", async () => {
  const site = newSite();
  const agents = agentsOnPath(site);
  agents.put("gemini", "0.1.0");
  agents.put("qwen", "0.24.4");
  runGit(site.repo, "switch", "--quiet", "--create", "topic");
  const elsewhere = await pawl(["init", "--repo", site.repo], { home: site.home, env: agents.env });
  expect(elsewhere.stdout).toBe(
    `pawl run feature-dev "What you want, in a sentence" --repo ${site.repo} --base main\n`,
  );
  // The first on PATH is too old, so the first usable one is written.
  expect(elsewhere.stderr).toMatch(/Gemini CLI .* is too old: it is 0\.1\.0/);
  expect(readConfigFile(join(site.repo, ".pawl/config.yml"), known).defaultExecutor).toBe("qwen");

  const fresh = tempDir();
  runGit(fresh, "init", "--quiet", "--initial-branch=main");
  const first = await pawl(["init"], { home: site.home, cwd: fresh, env: agents.env });
  expect(first.stdout).toMatch(/^git add -A && git commit -m start\npawl run feature-dev .*\n$/);
});

test("[CM63] a default that exists only in the user's own configuration is not written into the shared one", async () => {
  const site = newSite();
  writeFileSync(join(site.home, "config.yml"), "default_executor: mine\nexecutors: { mine: { command: [cat] } }\n");
  const agents = agentsOnPath(site);
  agents.put("claude", "2.1.325");
  const called = await agents.pawl("init");
  expectCode(called, 0);
  expect(called.stderr).toMatch(/^agents +mine \(default\), claude 2\.1\.325$/m);
  expect(called.stdout).not.toContain("--executor");
  expect(readConfigFile(join(site.repo, ".pawl/config.yml"), known).defaultExecutor).toBeNull();
});

test("[CM65] if git ignores the file, init says so", async () => {
  const site = newSite();
  commitFile(site.repo, ".gitignore", ".pawl/\n");
  expect((await site.pawl("init")).stderr).toContain("git ignores .pawl/config.yml here");
});
