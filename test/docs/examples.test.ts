// Checks the examples in documents: Pawl accepts their workflow files, scripts and configurations, their programs compile, and every
// command they show exists.

import { execFile } from "node:child_process";
import { globSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { expect, test } from "vitest";
import { catalogue } from "../../src/cli/catalogue.ts";
import { readScript } from "../../src/executors/script.ts";
import { readConfig } from "../../src/runtime/config/config.ts";
import { formatProblem } from "../../src/workflows/document/problem.ts";
import { loadWorkflow } from "../../src/workflows/load.ts";
import { agents } from "../support/agents.ts";
import { known } from "../support/protocols.ts";

const root = fileURLToPath(new URL("../../", import.meta.url));
const documents = globSync(["*.md", "{docs,workflows}/**/*.md"], { cwd: root }).map((file) => ({
  file,
  text: readFileSync(join(root, file), "utf8"),
}));
const blocks = documents.flatMap(({ file, text }) =>
  [...text.matchAll(/^```yaml\n([^]*?)^```$/gm)].map(([, block = ""], index) => ({
    name: `${file}, block ${index + 1}`,
    block,
  })),
);

test.each(blocks.filter(({ block }) => block.startsWith("pawl: 1\n")))("a workflow: $name", ({ name, block }) => {
  const { problems } = loadWorkflow(block, name, known);
  expect(problems.map((problem) => formatProblem(problem, name))).toEqual([]);
});

const isRules = (block: string) => block.includes("next_on_pass:");

test.each(blocks.filter(({ block }) => isRules(block)))("step rules: $name", ({ name, block }) => {
  const base = readFileSync(join(root, "workflows/agentic-coding/step-rules.yml"), "utf8");
  const { problems, definition } = loadWorkflow(block, name, known, { rules: { base } });
  expect(problems.map((problem) => formatProblem(problem, name))).toEqual([]);
  expect(definition).not.toBeNull();
});

const scripts = blocks.filter(({ block }) => block.startsWith("steps:\n") && !isRules(block));

test.each(scripts)("a script: $name", ({ name, block }) => {
  expect(Object.keys(readScript(block, name).steps)).not.toEqual([]);
});

test.each(blocks.filter(({ block }) => /^(?:executors|default_executor):/.test(block)))(
  "a configuration: $name",
  async ({ block }) => {
    const dir = mkdtempSync(join(tmpdir(), "pawl-docs-"));
    try {
      writeFileSync(join(dir, "config.yml"), block);
      const config = await readConfig(join(dir, "config.yml"), null, agents);
      expect(config.defaultExecutor).not.toBeNull();
    } finally {
      rmSync(dir, { recursive: true });
    }
  },
);

test.each(blocks.filter(({ block }) => block.startsWith("notify:\n")))("targets: $name", async ({ block }) => {
  const dir = mkdtempSync(join(tmpdir(), "pawl-docs-"));
  try {
    writeFileSync(join(dir, "config.yml"), block);
    expect((await readConfig(join(dir, "config.yml"), null, agents)).notify).not.toEqual([]);
  } finally {
    rmSync(dir, { recursive: true });
  }
});

test("programs that use the library compile", async () => {
  const programs = documents.flatMap(({ file, text }) =>
    [...text.matchAll(/^```ts\n([^]*?)^```$/gm)]
      .map(([, block = ""], index) => ({ name: `${file.replaceAll("/", "-")}-${index + 1}.ts`, block }))
      .filter(({ block }) => block.includes('from "pawl"')),
  );
  expect(programs.length).toBeGreaterThan(3);
  const dir = mkdtempSync(join(tmpdir(), "pawl-docs-"));
  try {
    for (const { name, block } of programs) writeFileSync(join(dir, name), block);
    const compilerOptions = { typeRoots: [join(root, "node_modules/@types")], noUnusedLocals: false };
    const settings = { extends: join(root, "tsconfig.json"), compilerOptions, include: ["*.ts"] };
    writeFileSync(join(dir, "tsconfig.json"), JSON.stringify(settings));
    writeFileSync(join(dir, "package.json"), JSON.stringify({ type: "module" }));
    const tsc = join(root, "node_modules/typescript/bin/tsc");
    const { stdout } = await promisify(execFile)(process.execPath, [tsc, "-p", dir]).catch(
      (error: { stdout: string }) => error,
    );
    expect(stdout).toBe("");
  } finally {
    rmSync(dir, { recursive: true });
  }
});

test("examples of each kind were found", () => {
  for (const start of ["pawl: 1", "steps:", "executors:", "default_executor:", "notify:"])
    expect(blocks.some(({ block }) => block.startsWith(start))).toBe(true);
});

test("every command that a document shows exists", () => {
  const known = new Set(["help", ...catalogue.map(({ name }) => name)]);
  const unknown = documents.flatMap(({ file, text }) =>
    [...text.matchAll(/(?:`|\$ |\n)pawl ([a-z]+)/g)]
      .filter(([, name = ""]) => !known.has(name))
      .map(([, name = ""]) => `${file}: pawl ${name}`),
  );
  expect(unknown).toEqual([]);
});
