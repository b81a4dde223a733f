// What the orchestrator of a project looks at: the files of `.ai/`, and nothing of what its executors write or read.

import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import type { Access } from "../support/access-spy.ts";
import { agenticProject } from "../support/agentic-project.ts";
import { expectCode, pawl } from "../support/pawl.ts";
import { runGit, tempDir } from "../support/repository.ts";

const spy = new URL("../support/access-spy.ts", import.meta.url);

test("[AG26 D1 D2 D14] it reads and writes .ai/ alone, talks to no host, and starts only git and the executor", async () => {
  const project = await agenticProject("2");
  const { app, root, executor } = project;
  const home = app.env["PAWL_HOME"] ?? "";
  mkdirSync(join(root, "src"), { recursive: true });
  for (const file of ["src/cart.ts", "docs/secret.md"]) writeFileSync(join(root, file), "do not read me\n");
  runGit(root, "add", "-A");
  runGit(root, "commit", "-qm", "sources");
  const log = join(tempDir("pawl-spy-"), "log");
  const env = { NODE_OPTIONS: `--import=${spy.href}`, PAWL_SPY: log };
  for (const [args, code] of [
    [["continue", "--executor", executor], 3],
    [["approve", "--note", "ten items"], 0],
    [["status"], 0],
    [["continue"], 0],
  ] as const)
    expectCode(await pawl(["project", ...args], { home, cwd: root, env }), code);
  const accesses = readFileSync(log, "utf8")
    .trim()
    .split("\n")
    .map((line) => JSON.parse(line) as Access);
  const trees = new RegExp(`^(?:${root}|${home}/worktrees/[a-z0-9]+-\\d+)(?:/|$)`);
  const inProject = (...kinds: readonly Access["kind"][]) =>
    accesses.flatMap(({ kind, what }) => (kinds.includes(kind) && trees.test(what) ? [what.replace(trees, "")] : []));
  const opened = [...new Set(inProject("reads", "writes"))];
  expect(opened).toEqual(expect.arrayContaining([".ai/STATE.json", ".ai/HANDOFF.md"]));
  // The folder of the project itself is opened to look below it without following a link.
  expect(opened.filter((file) => !/^(?:\.(?:ai|git)(?:\/|$)|$)/.test(file))).toEqual([]);
  // Whether the files of a prompt are there, what kind of project it is, and what a session has changed. Trees of Pawl's own are
  // compared with how they were, by the names and times of all their files.
  const documents = ["api/openapi.yaml", "bdd/US-001.md", "constitution.md", "deltas/US-001.md", "nfr.md", "sdd.md"];
  const asked = [
    ".gitmodules",
    ".pawl/config.yml",
    "PROJECT_CONTEXT.md",
    "PROJECT_MEMORY.md",
    "US-001.txt",
    ...documents.map((file) => `docs/${file}`),
    "go.mod",
  ];
  const compared = new Set(runGit(root, "ls-files").split("\n"));
  const looked = new Set(inProject("looks").filter((file) => !/^(?:\.(?:ai|git)(?:\/.*)?)?$/.test(file)));
  expect([...looked].filter((file) => asked.includes(file) || !compared.has(file)).toSorted()).toEqual(asked);
  expect(accesses.filter(({ kind }) => kind === "connects")).toEqual([]);
  const started = accesses.flatMap(({ kind, what }) => (kind === "starts" ? [what] : []));
  expect(started.filter((what) => what.includes(project.script))).toHaveLength(project.sessions().length);
  expect(
    started.filter(
      (what) => !what.startsWith("git ") && !what.includes(project.script) && !what.startsWith("/bin/sh -c \ntrap"),
    ),
  ).toEqual([]);
});
